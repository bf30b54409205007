//! Labels of the program's memory, and the objects that its addresses point into.

pub(crate) mod access;
mod address;
pub(crate) mod blocks;
pub(crate) mod flags;
pub(crate) mod object;
pub(crate) mod pick;
pub(crate) mod poison;
pub(crate) mod reserved;
pub(crate) mod scatter;
pub(crate) mod shadow;
pub(crate) mod table;
pub(crate) mod variadic;
