//! How closely a pass of the search looks.

/// What is followed and what is stepped over. Whatever the precision, a pass that ends without a
/// path proves that there is none: what is stepped over may do anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Precision {
    /// Times that a path goes round a loop before the loop is stepped over.
    pub loops: u32,
    /// Frames of one function before a call is stepped over.
    pub recursion: u32,
    /// Whether calls are entered that cannot be said in expressions.
    pub enter: bool,
    /// Whether ways that part and meet again are taken at once, as choices in expressions.
    pub merge: bool,
}
