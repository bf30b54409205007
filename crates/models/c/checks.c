/* What a check of a value comes to in the checked build when it fails: a report, once for each
 * check, and the program goes on with the value that the machine gives. */

void __sanitizer_report_error_summary(const char *text);
void __sanitizer_print_stack_trace(void);

/* Checks that share a place in this table are reported once, and so many in a run. */
enum { TOLD = 1 << 16, MOST = 32 };

/* `number` is that of clang's list of handlers; reports are read by `report.rs` of the executor. */
__attribute__((noinline, visibility("hidden"))) void
__labrys_check_failed(unsigned char number, unsigned int check)
{
  static unsigned char told[TOLD];
  static int count;
  char text[] = "Labrys: check 000 failed";
  if (count == MOST || told[check % TOLD])
    return;
  told[check % TOLD] = 1;
  count++;
  text[14] += number / 100;
  text[15] += number / 10 % 10;
  text[16] += number % 10;
  __sanitizer_report_error_summary(text);
  __sanitizer_print_stack_trace();
}
