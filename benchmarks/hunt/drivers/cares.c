/* c-ares: hands a file to the functions that read what comes from elsewhere: cares WHAT FILE.
   WHAT is name (of a query), reply (of a server) or sortlist (of a configuration). */
#include "input.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>

#include "ares.h"

static void name(const char *path) {
  char *text = read_text(path);
  unsigned char *query = NULL;
  int length = 0;
  if (ares_create_query(text, 1, 1, 0x1234, 1, &query, &length, 0) == ARES_SUCCESS)
    ares_free_string(query);
  free(text);
}

static void reply(const char *path) {
  size_t size;
  unsigned char *bytes = read_input(path, &size);
  int length = (int)size;
  struct hostent *host = NULL;
  struct ares_mx_reply *mx = NULL;
  struct ares_naptr_reply *naptr = NULL;
  struct ares_soa_reply *soa = NULL;
  struct ares_srv_reply *srv = NULL;
  struct ares_txt_reply *txt = NULL;
  unsigned char address[4] = {127, 0, 0, 1};
  if (ares_parse_a_reply(bytes, length, &host, NULL, NULL) == ARES_SUCCESS) ares_free_hostent(host);
  if (ares_parse_aaaa_reply(bytes, length, &host, NULL, NULL) == ARES_SUCCESS) ares_free_hostent(host);
  if (ares_parse_ns_reply(bytes, length, &host) == ARES_SUCCESS) ares_free_hostent(host);
#if ARES_VERSION >= 0x010b00
  int lifetime; /* A parameter that pycares adds. */
  if (ares_parse_ptr_reply(bytes, length, address, 4, AF_INET, &host, &lifetime) == ARES_SUCCESS)
    ares_free_hostent(host);
#else
  if (ares_parse_ptr_reply(bytes, length, address, 4, AF_INET, &host) == ARES_SUCCESS) ares_free_hostent(host);
#endif
  if (ares_parse_mx_reply(bytes, length, &mx) == ARES_SUCCESS) ares_free_data(mx);
  if (ares_parse_naptr_reply(bytes, length, &naptr) == ARES_SUCCESS) ares_free_data(naptr);
  if (ares_parse_soa_reply(bytes, length, &soa) == ARES_SUCCESS) ares_free_data(soa);
  if (ares_parse_srv_reply(bytes, length, &srv) == ARES_SUCCESS) ares_free_data(srv);
  if (ares_parse_txt_reply(bytes, length, &txt) == ARES_SUCCESS) ares_free_data(txt);
  free(bytes);
}

#if ARES_VERSION >= 0x010b00
static void sortlist(const char *path) {
  char *text = read_text(path);
  ares_channel channel;
  if (ares_init(&channel) == ARES_SUCCESS) {
    ares_set_sortlist(channel, text);
    ares_destroy(channel);
  }
  free(text);
}
#endif

int main(int count, char **words) {
  if (count != 3 || ares_library_init(ARES_LIB_INIT_ALL)) return 2;
  if (!strcmp(words[1], "name")) name(words[2]);
  if (!strcmp(words[1], "reply")) reply(words[2]);
#if ARES_VERSION >= 0x010b00
  if (!strcmp(words[1], "sortlist")) sortlist(words[2]);
#endif
  ares_library_cleanup();
  return 0;
}
