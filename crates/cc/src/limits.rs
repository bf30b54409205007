//! What the system allows this process: LLVM ends a process that has too little memory or stack
//! without a word of the cause.

use rustix::process::{Resource, getrlimit};

/// Limits with the least with which a small program is built, and what to say of less: LLVM's code
/// alone is 150 MB.
const LEAST: [(Resource, u64, &str); 2] = [
    (
        Resource::As,
        512 << 20,
        "the limit of virtual memory is too low for LLVM; raise it (ulimit -v unlimited)",
    ),
    (
        Resource::Stack,
        512 << 10,
        "the limit of the stack is too low for LLVM; raise it (ulimit -s 8192)",
    ),
];

/// Why this process cannot do its work, with what to do about it.
#[must_use]
pub fn too_low() -> Option<&'static str> {
    let low = |resource, least| getrlimit(resource).current.is_some_and(|now| now < least);
    let mut limits = LEAST.iter();
    let found = limits.find(|(resource, least, _)| low(*resource, *least));
    found.map(|(_, _, text)| *text)
}
