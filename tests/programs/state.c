/* Variables of a state machine, which have constants only, beside variables that get a part of the
 * input: at once, through a pointer, through another variable, by an index, in a loop, by a copy. */
#include <labrys.h>
#include <string.h>

static int state, steps, direct, pointed, passed, table[8], places[8], copied[2], summed;
int shared = 3;
static unsigned char letters[16];
static const int weights[4] = {7, 11, 13, 17};

static __attribute__((noinline)) void store(int *to, int value) { *to = value; }
static __attribute__((noinline)) int twice(int value) { return 2 * value; }

static void step(unsigned char letter) {
  steps++;
  if (state == 0 && letter == 'a') state = 1;
  else if (state == 1 && letter == 'b') state = 2;
  else if (state == 2 && letter == 'c') state = shared;
  else state = 0;
}

static __attribute__((noinline)) void look(void) {
  if (direct == 77) labrys_target("direct");
  if (pointed == 1234) labrys_target("pointed");
  if (passed == 4242) labrys_target("passed");
  if (table[3] == 99) labrys_target("indexed");
  if (copied[1] == 31337) labrys_target("copied");
  if (summed == 1000) labrys_target("summed");
}

int main(void) {
  unsigned char text[4];
  int numbers[8];
  labrys_symbolic(text, sizeof text, "text");
  labrys_symbolic(numbers, sizeof numbers, "numbers");
  for (int i = 0; i < 4; i++) step(text[i]);
  if (state == 3) labrys_target("end");
  direct = numbers[0];
  store(&pointed, numbers[1]);
  int *through = numbers[2] & 1 ? &passed : &shared;
  *through = twice(numbers[2] / 3);
  table[numbers[3] & 7] = 99;
  places[numbers[4] & 7] = 5;
  memcpy(copied, numbers + 5, sizeof copied);
  for (int i = 0; i < 4; i++) {
    letters[i] = text[3 - i];
    summed += weights[i] * letters[i];
  }
  if (places[2] && places[numbers[6] & 7]) labrys_target("same place");
  if (weights[numbers[7] & 3] == 13) labrys_target("weight");
  look();
  return steps;
}
