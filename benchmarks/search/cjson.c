/* cJSON on 50 symbolic bytes: parse, print, minify. */
#include <labrys.h>
#include <stdlib.h>
#include <string.h>

#include "cJSON.h"

int main(void) {
  static char text[51];
  labrys_symbolic(text, 50, "text");
  text[50] = 0;
  cJSON *item = cJSON_Parse(text);
  if (item) {
    free(cJSON_Print(item));
    free(cJSON_PrintUnformatted(item));
    cJSON_Delete(item);
  }
  cJSON_Minify(text);
  return 0;
}
