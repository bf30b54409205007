//! Variables of the C library: which names are of one.

/// Names, those of one variable together.
const VARIABLES: &[&[&str]] = &[
    &["environ", "__environ", "_environ"],
    &["timezone", "__timezone"],
    &["daylight", "__daylight"],
    &["tzname", "__tzname"],
    &["program_invocation_name", "__progname_full"],
    &["program_invocation_short_name", "__progname"],
    &["signgam", "__signgam"],
    &["stdin"],
    &["stdout"],
    &["stderr"],
    &["optarg"],
    &["optind"],
    &["opterr"],
    &["optopt"],
    &["obstack_alloc_failed_handler"],
    &["obstack_exit_failure"],
    &["error_print_progname"],
    &["error_message_count"],
    &["error_one_per_line"],
];

/// Whether two names that a program does not define may be names of one variable. Of those that are
/// not the C library's nothing is known.
#[must_use]
pub fn may_be_one_variable(a: &str, b: &str) -> bool {
    let place = |name: &str| VARIABLES.iter().position(|names| names.contains(&name));
    place(a) == place(b)
}

#[cfg(test)]
mod tests {
    use super::may_be_one_variable;

    #[test]
    fn names_of_one_variable() {
        for (a, b, may_be_one) in [
            ("environ", "__environ", true),
            ("environ", "optarg", false),
            ("stdin", "stdout", false),
            ("mine", "stdin", false),
            ("mine", "yours", true),
        ] {
            assert_eq!(may_be_one_variable(a, b), may_be_one, "{a} {b}");
        }
    }
}
