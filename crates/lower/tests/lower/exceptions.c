/* flags: -fexceptions */
/* Cleanups make calls that may unwind. */
extern void may_throw(int *);
static void release(int *p) { *p = 0; }
int guarded(int x) {
    __attribute__((cleanup(release))) int resource = x;
    may_throw(&resource);
    return resource > 3 ? 1 : 2;
}
