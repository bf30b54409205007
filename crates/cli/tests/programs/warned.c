/* The compiler warns of this. */
int main(void) {
  5;
  return "text" + 1 == 0;
}
