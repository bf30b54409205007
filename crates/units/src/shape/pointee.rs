//! What a driver makes behind a pointer.

use labrys_llvm::DebugNode;
use labrys_suite::unit::Content;

/// How many times as long an array is into which several parameters point.
const PAIRED: u64 = 4;

/// See the module.
pub(super) struct Pointee<'m> {
    /// Bytes before the place where pointers point, which are among the size.
    pub(super) before: u64,
    pub(super) size: u64,
    pub(super) count: u64,
    pub(super) kind: PointeeKind<'m>,
}

impl Pointee<'_> {
    /// An array of numbers [`PAIRED`] times as long: a part of it, from one place to another, is to
    /// have room for what the code looks for.
    pub(super) fn longer(self) -> Self {
        match self.kind {
            PointeeKind::Numbers(..) => Pointee {
                size: (self.size - self.before) * PAIRED + self.before,
                count: self.count * PAIRED,
                ..self
            },
            PointeeKind::Objects(_) => self,
        }
    }
}

pub(super) enum PointeeKind<'m> {
    Numbers(Content, u64),
    Objects(DebugNode<'m>),
}
