//! The harness of `cargo xtask fuzz`: libFuzzer on the reader that `LABRYS_READER` names.
//!
//! `LABRYS_READER=list` names the readers. `LABRYS_EXAMPLES` is a folder to which examples are
//! written first, `LABRYS_WORDS` a file for the words in them, as libFuzzer's dictionary.

#![no_main]
// `sigaltstack` tells the system where a handler finds memory when the stack is used up.
#![allow(unsafe_code)]

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::OnceLock;

use labrys_readers::{READERS, Reader};
use libfuzzer_sys::fuzz_target;
use rustix::process::{Resource, Rlimit, setrlimit};

/// Most bytes of memory that can be written.
const MEMORY: u64 = 2 << 30;

/// Letters of a word in a dictionary.
const WORD: RangeInclusive<usize> = 2..=24;

/// Bytes of the stack on which libFuzzer tells of a crash.
const STACK: usize = 1 << 20;

static READER: OnceLock<&Reader> = OnceLock::new();

fuzz_target!(
    init: start(),
    |bytes: &[u8]| {
        if let Some(reader) = READER.get() {
            (reader.read)(bytes);
        }
    }
);

fn start() {
    let name = std::env::var("LABRYS_READER").unwrap_or_default();
    if name == "list" {
        READERS
            .iter()
            .for_each(|reader| println!("{}", reader.name));
        std::process::exit(0);
    }
    let reader = Reader::named(&name).expect("LABRYS_READER names a reader");
    READER.get_or_init(|| reader);
    let examples = (reader.examples)();
    if let Some(path) = std::env::var_os("LABRYS_WORDS") {
        std::fs::write(path, words(&examples)).expect("the file of words can be written");
    }
    if let Some(folder) = std::env::var_os("LABRYS_EXAMPLES") {
        for (number, example) in (0..).zip(examples) {
            let path = Path::new(&folder).join(format!("example-{number}"));
            std::fs::write(path, example).expect("the folder of examples can be written");
        }
    }
    // An allocation beyond it fails, which ends the process.
    let limit = Rlimit {
        current: Some(MEMORY),
        maximum: Some(MEMORY),
    };
    setrlimit(Resource::Data, limit).expect("a limit can be lowered");
    report_overflows();
}

/// The words of examples as a dictionary.
fn words(examples: &[Vec<u8>]) -> String {
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.:-".contains(byte);
    let words = examples
        .iter()
        .flat_map(|example| example.split(|byte| !is_letter(byte)));
    let words = words.filter(|word| WORD.contains(&word.len()));
    let words: BTreeSet<_> = words.map(String::from_utf8_lossy).collect();
    // A dictionary must not be empty.
    let lines = words.iter().map(|word| format!("\"{word}\"\n"));
    lines
        .chain(["\"99999999999999999999\"\n".to_owned()])
        .collect()
}

/// Lets libFuzzer keep an input that uses up the stack.
fn report_overflows() {
    let memory = Box::leak(vec![0_u8; STACK].into_boxed_slice());
    let stack = libc::stack_t {
        ss_sp: memory.as_mut_ptr().cast(),
        ss_flags: 0,
        ss_size: memory.len(),
    };
    // SAFETY: the memory is never freed, and nobody else writes to it; zeros are an action. The flag
    // stays when libFuzzer puts its handler there.
    unsafe {
        let status = libc::sigaltstack(&raw const stack, std::ptr::null_mut());
        assert_eq!(status, 0, "sigaltstack");
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_flags = libc::SA_ONSTACK;
        libc::sigaction(libc::SIGSEGV, &raw const action, std::ptr::null_mut());
    }
}
