//! Where a pointer may point, the first choice first.

use labrys_llvm::{DebugNode, tag};
use labrys_suite::unit::{Choice, Content};

use super::pointee::{Pointee, PointeeKind};
use super::regions::{aliases, ends};
use super::{Aim, Builder, STREAM, variables};
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
    choices.extend(owner);
    if fresh.is_some() {
        choices.push(Choice::Fresh);
    }
    choices.extend(aim.array.iter().flat_map(|array| array.choices(path)));
    if builder.for_tests && node.is_some_and(|node| node.name() == STREAM) {
        builder.entry.reads = true;
        choices.extend([Choice::Stream, Choice::Sealed, Choice::Broken]);
        choices.push(Choice::Contents);
    }
    let object = to.filter(|_| function.is_none() && aim.array.is_none());
    if let Some(to) = object {
        add(ends(builder, to, aim), &mut choices);
    }
    if !aim.is_set || choices.is_empty() {
        choices.push(Choice::Null);
    }
    if let Some(to) = object {
        add(aliases(builder, to, aim), &mut choices);
    }
    choices.extend(variables::choices(builder, to, aim));
    let number = builder.objects.len();
    let steps = fresh
        .into_iter()
        .flat_map(|pointee| pointee.steps(aim.low_bits));
    choices.extend(steps.map(|bytes| Choice::Within(number, bytes)));
    let is_array = |pointee: &Pointee<'_>| match &pointee.kind {
        PointeeKind::Numbers(content, _) => aim.counted || *content != Content::Text,
        PointeeKind::Objects(_) => false,
    };
    let has_own = !aim.shares && aim.room.is_none() && aim.block.is_none();
    if builder.for_tests && has_own && fresh.is_some_and(is_array) {
        choices.push(Choice::Roomy);
    }
    if aim.shared {
        let place = if aim.is_other_first { 0 } else { choices.len() };
        choices.insert(place, Choice::Keep);
    }
    choices
}

/// Adds choices that are not there.
fn add(further: Vec<Choice>, choices: &mut Vec<Choice>) {
    for choice in further {
        if !choices.contains(&choice) {
            choices.push(choice);
        }
    }
}
