//! The texts that the rows stand in.

/// Name and text of each file.
pub(crate) const FILES: &[(&str, &str)] = &[
    ("strings", include_str!("functions/strings.txt")),
    ("stdio", include_str!("functions/stdio.txt")),
    ("stdlib", include_str!("functions/stdlib.txt")),
    ("math", include_str!("functions/math.txt")),
    ("posix", include_str!("functions/posix.txt")),
    ("wide", include_str!("functions/wide.txt")),
    ("harness", include_str!("functions/harness.txt")),
    ("support", include_str!("functions/support.txt")),
];
