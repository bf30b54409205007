//! The one contract of instrumentation pass, runtime and trace reader.
//!
//! One shared region (a memory file) carries everything between the explorer and a program
//! under test:
//!
//! ```text
//! ┌────────┬──────────┬──────┬───────┬────────┬───────┬──────┐
//! │ Header │ coverage │ near │ input │ events │ nodes │ data │
//! └────────┴──────────┴──────┴───────┴────────┴───────┴──────┘
//! ```
//!
//! Each section starts at a multiple of [`PAGE`]; offsets and capacities stand in the
//! [`Header`], which the explorer writes before the run. Counters live in the header and are
//! written as the run goes, so a crash or a kill loses nothing.
//!
//! Invariant: a label (node id) is an index into the node section; label 0 means "concrete";
//! the operands of a node have smaller labels than the node.

#![no_std]

mod call;
mod event;
pub mod linked;
pub mod marked;
mod node;
mod region;

pub use call::{Intrinsic, Meta, WIDE_PREDICATE};
pub use event::{
    ARRAY, Cause, Event, EventKind, LONGEST_COMPARED, MODEL_SITE, MOST_COMPARED, OBJECT_SITE,
    PLACES, RUNTIME_SITE, RuntimeSite, SIZE_SITE, is_size,
};
pub use node::{Node, Op, flag};
pub use region::{
    CONTROL_FD, Command, ENV_ACTIVE, ExitKind, Header, MAGIC, MAX_OBJECTS, Mode, PAGE, REGION_FD,
    Region, SANITIZER_VARIABLES, STATUS_FD, Status, Stream, StreamKind, VERSION, WEAK_REFERENCE,
};

/// Number of low address bits that select a shadow slot.
pub const SHADOW_ADDRESS_MASK: u64 = 0xfff_ffff_ffff;
/// A shadow slot is one `u32` label, so the shadow of address `a` is at
/// `(a & SHADOW_ADDRESS_MASK) << SHADOW_SHIFT`.
pub const SHADOW_SHIFT: u32 = 2;
/// First mapped shadow address; the pages below cannot be mapped by ordinary processes.
pub const SHADOW_START: u64 = 0x1_0000;
/// End of the shadow (exclusive).
pub const SHADOW_END: u64 = (SHADOW_ADDRESS_MASK + 1) << SHADOW_SHIFT;

/// Beside the shadow, one byte for each `1 << FLAG_SHIFT` bytes of memory is not 0 where the
/// shadow may be not 0: that of address `a` is at `FLAG_START + (a >> FLAG_SHIFT)`.
pub const FLAG_SHIFT: u32 = 6;
/// First address of the flags.
pub const FLAG_START: u64 = SHADOW_END;
/// End of the flags (exclusive): user space has 47 bits of address.
pub const FLAG_END: u64 = FLAG_START + (1 << (47 - FLAG_SHIFT));

/// Beside the flags, one byte for each `1 << PAGE_FLAG_SHIFT` bytes of memory is not 0 where one of
/// their flags is not 0: that of address `a` is at `PAGE_FLAG_START + (a >> PAGE_FLAG_SHIFT)`.
pub const PAGE_FLAG_SHIFT: u32 = 12;
/// Where the flags of pages begin.
pub const PAGE_FLAG_START: u64 = FLAG_END;
/// Behind the last flag of a page.
pub const PAGE_FLAG_END: u64 = PAGE_FLAG_START + (1 << (47 - PAGE_FLAG_SHIFT));

/// When runs begin, and as of when their input files are, in seconds since 1970.
pub const CLOCK_START: u64 = 1_795_478_400;

/// Argument labels passed in thread-local storage per call; later arguments are concretized.
pub const MAX_ARGUMENT_LABELS: usize = 64;
/// Result labels passed so.
pub const MAX_RESULT_LABELS: usize = 32;

/// ELF sections of an executable built by `labrys-cc` (none of them is loaded at run time).
pub mod section {
    /// The merged bitcode, of an executable whose build is put off; it has a link and a seal besides.
    pub const MERGED: &str = ".labrys.merged";
    /// The program model, serialized.
    pub const PROGRAM: &str = ".labrys.program";
    /// The frozen bitcode.
    pub const BITCODE: &str = ".labrys.bitcode";
    /// The plain executable: the same frozen bitcode with coverage bytes only.
    pub const PLAIN: &str = ".labrys.plain";
    /// The checked executable: the same frozen bitcode under AddressSanitizer. Missing where it
    /// cannot be linked.
    pub const CHECKED: &str = ".labrys.checked";
    /// The command of the linker, so that the program can be linked again with a driver.
    pub const LINK: &str = ".labrys.link";
    /// Of an executable that is not optimized, with nothing in it.
    pub const UNOPTIMIZED: &str = ".labrys.unoptimized";
    /// The checksum of the others and of what is loaded.
    pub const SEAL: &str = ".labrys.seal";
    /// What all these names begin with.
    pub const PREFIX: &str = ".labrys.";
}
