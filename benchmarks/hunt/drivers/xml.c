/* libxml2: hands a file to a part of the library: xml WHAT FILE.
   WHAT is schema or schematron (to parse, and to validate a fixed document with), or shell (whose commands are
   run on that document). */
#include "input.h"

#include <libxml/debugXML.h>
#include <libxml/parser.h>
#include <libxml/schematron.h>
#include <libxml/xmlschemas.h>

static const char document[] =
    "<library xmlns='' xmlns:l='urn:l'><book id='a' l:lent='no'><title>One</title></book>"
    "<book id='b'><title>Two</title><author/></book></library>";

static void quiet(void *state, const char *format, ...) { (void)state, (void)format; }

static void schema(const char *text, int length, xmlDocPtr doc) {
  xmlSchemaParserCtxtPtr parser = xmlSchemaNewMemParserCtxt(text, length);
  xmlSchemaPtr schema = parser ? xmlSchemaParse(parser) : NULL;
  xmlSchemaFreeParserCtxt(parser);
  xmlSchemaValidCtxtPtr valid = schema ? xmlSchemaNewValidCtxt(schema) : NULL;
  if (valid) xmlSchemaValidateDoc(valid, doc);
  xmlSchemaFreeValidCtxt(valid);
  xmlSchemaFree(schema);
}

static void schematron(const char *text, int length, xmlDocPtr doc) {
  xmlSchematronParserCtxtPtr parser = xmlSchematronNewMemParserCtxt(text, length);
  xmlSchematronPtr rules = parser ? xmlSchematronParse(parser) : NULL;
  xmlSchematronFreeParserCtxt(parser);
  xmlSchematronValidCtxtPtr valid = rules ? xmlSchematronNewValidCtxt(rules, XML_SCHEMATRON_OUT_ERROR) : NULL;
  if (valid) xmlSchematronValidateDoc(valid, doc);
  xmlSchematronFreeValidCtxt(valid);
  xmlSchematronFree(rules);
}

static const char *rest;

/* The next line of the input, as readline gives it. */
static char *line(char *prompt) {
  (void)prompt;
  if (!*rest) return NULL;
  size_t length = strcspn(rest, "\n");
  char *copy = malloc(length + 1);
  if (!copy) exit(2);
  memcpy(copy, rest, length);
  copy[length] = 0;
  rest += length + (rest[length] == '\n');
  return copy;
}

static void shell(const char *text, xmlDocPtr doc) {
  FILE *nowhere = fopen("/dev/null", "w");
  if (!nowhere) exit(2);
  rest = text;
  xmlShell(doc, "document", line, nowhere);
  fclose(nowhere);
}

int main(int count, char **words) {
  if (count != 3) return 2;
  char *text = read_text(words[2]);
  int length = (int)strlen(text);
  xmlSetGenericErrorFunc(NULL, quiet);
  xmlDocPtr doc = xmlReadMemory(document, sizeof document - 1, NULL, NULL, 0);
  if (!doc) return 2;
  if (!strcmp(words[1], "schema")) schema(text, length, doc);
  if (!strcmp(words[1], "schematron")) schematron(text, length, doc);
  if (!strcmp(words[1], "shell")) shell(text, doc);
  xmlFreeDoc(doc);
  xmlCleanupParser();
  free(text);
  return 0;
}
