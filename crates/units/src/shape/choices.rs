//! Where a pointer may point, the first choice first.

use labrys_llvm::{DebugNode, tag};
use labrys_suite::unit::{Choice, Content};

use super::pointee::{Pointee, PointeeKind};
use super::regions::aliases;
use super::{Aim, Builder, STREAM};
use crate::types::unwrapped;

/// The choices of a pointer to a type, with what is behind it if it has an object of its own, and the owner to
/// which it points first.
pub(super) fn choices<'m>(
    builder: &mut Builder<'m, '_>,
    to: Option<DebugNode<'m>>,
    (aim, owner): (&Aim<'m>, Option<usize>),
    (path, fresh): (&str, Option<&Pointee<'m>>),
) -> Vec<Choice> {
    let node = to.map(unwrapped);
    let function = node.filter(|node| node.tag() == tag::SUBROUTINE);
    let mut choices = Vec::new();
    if let Some(function) = function {
        choices = builder.functions(function);
    }
    let owner = owner.map(Choice::Alias);
    choices.extend(owner.clone());
    if fresh.is_some() {
        choices.push(Choice::Fresh);
    }
    choices.extend(aim.array.iter().flat_map(|array| array.choices(path)));
    if builder.for_tests && node.is_some_and(|node| node.name() == STREAM) {
        builder.entry.reads = true;
        choices.extend([Choice::Stream, Choice::Sealed, Choice::Broken]);
        choices.push(Choice::Contents);
    }
    choices.push(Choice::Null);
    if let Some(to) = to.filter(|_| function.is_none() && aim.array.is_none()) {
        let aliases = aliases(builder, to, aim).into_iter();
        choices.extend(aliases.filter(|alias| Some(alias) != owner.as_ref()));
    }
    let is_array = |pointee: &Pointee<'_>| match &pointee.kind {
        PointeeKind::Numbers(content, _) => aim.counted || *content != Content::Text,
        PointeeKind::Objects(_) => false,
    };
    if builder.for_tests && !aim.shares && fresh.is_some_and(is_array) {
        choices.push(Choice::Roomy);
    }
    if aim.shared {
        let place = if aim.number { 0 } else { choices.len() };
        choices.insert(place, Choice::Keep);
    }
    choices
}
