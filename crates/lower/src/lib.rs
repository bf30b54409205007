//! From the merged bitcode of a program to frozen bitcode ([`freeze`]), and from that to the
//! static program model ([`lower`]).
//!
//! The frozen bitcode is the reference for everything: each later build is made from it, and
//! [`sites`] numbers its decisions.

mod classes;
mod freeze;
mod harness;
mod hints;
mod lowering;
pub mod marked;
mod promises;
pub mod sites;
mod source;
mod surroundings;
mod traps;
mod undefined;
mod unset;
mod vectors;
mod wrapped;

pub use freeze::{FreezeError, freeze};
pub use harness::is_harness;
pub use lowering::{lower, lower_part};
pub use source::source;
pub use surroundings::Linking;
pub use traps::trap_of;
