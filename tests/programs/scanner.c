/* A scanner made of tables, without a decision for each byte: only its last state is looked at. */
#include <labrys.h>
#include <unistd.h>

enum { START, SLASH, COMMENT, STAR, DONE, STRING, ESCAPE, QUOTED, NAME, WRONG };
enum { OTHER, DIVIDE, TIMES, QUOTE, BACK, LETTER, CLASSES };

static const unsigned char next[][CLASSES] = {
    [START] = {WRONG, SLASH, WRONG, STRING, WRONG, NAME},
    [SLASH] = {WRONG, WRONG, COMMENT, WRONG, WRONG, WRONG},
    [COMMENT] = {COMMENT, COMMENT, STAR, COMMENT, COMMENT, COMMENT},
    [STAR] = {COMMENT, DONE, STAR, COMMENT, COMMENT, COMMENT},
    [DONE] = {WRONG, SLASH, WRONG, STRING, WRONG, NAME},
    [STRING] = {STRING, STRING, STRING, QUOTED, ESCAPE, STRING},
    [ESCAPE] = {STRING, STRING, STRING, STRING, STRING, STRING},
    [QUOTED] = {WRONG, SLASH, WRONG, STRING, WRONG, NAME},
    [NAME] = {START, SLASH, WRONG, STRING, WRONG, NAME},
    [WRONG] = {WRONG, WRONG, WRONG, WRONG, WRONG, WRONG},
};

static const unsigned char classes[256] = {
    ['/'] = DIVIDE, ['*'] = TIMES, ['"'] = QUOTE, ['\\'] = BACK,
    ['a'] = LETTER, ['b'] = LETTER, ['c'] = LETTER, ['d'] = LETTER, ['e'] = LETTER,
};

int main(void) {
  unsigned char text[40];
  if (read(0, text, sizeof text) != sizeof text) return 1;
  unsigned state = START, escapes = 0, comments = 0;
  for (unsigned i = 0; i < sizeof text; i++) {
    state = next[state][classes[text[i]]];
    escapes += state == ESCAPE;
    comments += state == DONE;
  }
  switch (state) {
  case DONE: labrys_target("comment"); break;
  case QUOTED: labrys_target("string"); break;
  case NAME: labrys_target("name"); break;
  case WRONG: labrys_target("wrong"); return 1;
  }
  if (escapes == 5 && state == QUOTED) labrys_target("five escapes");
  if (comments == 3 && escapes == 2) labrys_target("three comments");
  return 0;
}
