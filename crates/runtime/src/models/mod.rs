//! Models of library functions, and the functions of harnesses.

pub(crate) mod binder;
pub(crate) mod compared;
pub(crate) mod file;
pub(crate) mod harness;
pub(crate) mod heap;
pub(crate) mod math;
pub(crate) mod objects;
pub(crate) mod position;
pub(crate) mod pure;
pub(crate) mod seek;
pub(crate) mod sink;
pub(crate) mod status;
pub(crate) mod stdio;
pub(crate) mod stream;
pub(crate) mod text;
pub(crate) mod unseen;
pub(crate) mod wide;
