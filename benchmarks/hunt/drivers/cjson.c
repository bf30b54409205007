/* cJSON: parses a file, prints it in each way, and applies the utility functions. */
#include "input.h"

#include "cJSON.h"
#include "cJSON_Utils.h"

int main(int count, char **words) {
  if (count != 2) return 2;
  size_t length;
  char *text = (char *)read_input(words[1], &length);
  const char *end = NULL;
  cJSON *item = cJSON_ParseWithLengthOpts(text, length, &end, 0);
  if (item) {
    cJSON *copy = cJSON_Duplicate(item, 1);
    char *printed = cJSON_Print(item);
    char *short_form = cJSON_PrintUnformatted(item);
    cJSON *patches = cJSONUtils_GeneratePatches(copy, item);
    cJSONUtils_ApplyPatches(copy, item);
    cJSONUtils_SortObject(item);
    cJSON_Delete(patches);
    cJSON_Delete(copy);
    cJSON_Delete(item);
    if (printed) cJSON_Minify(printed);
    cJSON_free(printed);
    cJSON_free(short_form);
  }
  free(text);
  return item == NULL;
}
