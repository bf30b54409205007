/* A state machine with enums, booleans, ternaries over pointers and structs. */
#include <stdbool.h>
#include <stddef.h>
enum state { START, NUMBER, NAME, END };
struct token { enum state kind; const char *at; size_t length; };

bool next_token(struct token *t, const char *text) {
    enum state s = START;
    size_t i = 0;
    for (; text[i]; i++) {
        char c = text[i];
        switch (s) {
        case START:
            s = c >= '0' && c <= '9' ? NUMBER : c == ' ' ? START : NAME;
            break;
        case NUMBER:
            if (c < '0' || c > '9') s = END;
            break;
        case NAME:
            if (c == ' ') s = END;
            break;
        case END:
            goto done;
        }
    }
done:
    *t = (struct token){s, s == START ? NULL : text, i};
    return t->at != NULL;
}
