/* A threaded interpreter: computed jumps keep their successors. */
int run(const unsigned char *code) {
    static void *const next[] = {&&increment, &&twice, &&stop};
    int value = 0;
    goto *next[*code++];
increment:
    value++;
    goto *next[*code++];
twice:
    value *= 2;
    goto *next[*code++];
stop:
    return value;
}
