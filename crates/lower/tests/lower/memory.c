/* Structs, arrays, bit fields, unions, negative and narrow indices, pointer differences. */
struct inner { char tag; int value[4]; };
struct outer { long id; struct inner parts[3]; unsigned flags : 5, mode : 11; union { float f; int i; } u; };

int read_part(struct outer *o, short part, unsigned char index) {
    return o->parts[part].value[index] + o[-1].parts[2].tag + (int)o->flags + o->mode;
}

void write_part(struct outer *o, int n, int matrix[][7]) {
    o->u.f = 1.0f;
    o->parts[n].value[n + 1] = matrix[n][o->u.i];
    o->mode = (unsigned)n;
}

long distance(struct outer *a, struct outer *b) { return b - a; }

char *middle(char *start, char *end) { return start + (end - start) / 2; }

int variable(int n) {
    int array[n];
    array[0] = n;
    return array[n - 1];
}
