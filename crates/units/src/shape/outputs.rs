//! What doubles write where their parameters point: numbers of a structure, or bytes beside their
//! number.
//!
//! Pointers that stand in an object are kept, unless a call passes a local object that nobody has
//! written: what would be read there is anything.

use labrys_llvm::{DebugNode, LLVMOpcode, Module, Value, tag};
use labrys_suite::unit::Content;
use rustc_hash::FxHashSet;

use super::plain_pieces;
use crate::double::Most;
use crate::lengths::{length_of, sibling};
use crate::prototype::{Parameter, Passed, Prototype};
use crate::types::{Piece, content, is_constant, is_size, is_void, pieces, unwrapped};
use crate::uses::Uses;

/// Bytes that are written where no call tells how many there may be, and at most.
const BYTES: u64 = 32;
const MOST_BYTES: u64 = 256;

/// How the name of the type of a length ends that is no `size_t`.
const LENGTH_TYPE: &str = "len_t";

/// What a double stands for.
#[derive(Clone, Copy)]
pub(super) struct Stood<'m, 'a> {
    pub(super) module: Option<&'m Module>,
    /// The function that nobody defines, if it is one.
    pub(super) function: Option<Value<'m>>,
    pub(super) prototype: &'a Prototype<'m>,
    /// The calls of it.
    pub(super) calls: &'a [Value<'m>],
}

impl<'m> Stood<'m, '_> {
    fn arguments(&self, index: usize) -> impl Iterator<Item = (Value<'m>, Value<'m>)> {
        let first = self.prototype.parameters.get(index).map(|one| one.first);
        self.calls.iter().filter_map(move |call| {
            let arguments = call.arguments();
            Some((*call, arguments.get(first?).copied()?))
        })
    }

    /// The structure as which functions use what it returns.
    pub(super) fn structure(
        &self,
        uses: &Uses<'m>,
        functions: &FxHashSet<Value<'m>>,
    ) -> Option<String> {
        let calls = self.calls.iter();
        let mut own = calls.filter(|call| functions.contains(&call.parent().function()));
        own.find_map(|call| uses.structure(*call))
    }

    /// The bytes that are written behind a parameter to bytes, and what says how many there may be.
    pub(super) fn bytes(&self, index: usize) -> Option<(u64, Most)> {
        let parameter = &self.prototype.parameters[index];
        if !takes_bytes(parameter) {
            return None;
        }
        if let Some(most) = self.behind(index) {
            return Some((BYTES, most));
        }
        let number = self.number(index)?;
        let passed = self
            .arguments(number)
            .map(|(_, size)| size.const_int_value());
        let mut size = 0;
        for one in passed {
            size = size.max(one.unwrap_or(BYTES));
        }
        let size = if size == 0 {
            BYTES
        } else {
            size.min(MOST_BYTES)
        };
        Some((size, Most::Number(number)))
    }

    /// The parameter that is the number of bytes behind another one. Before an event or the like there
    /// is a context, which some call would have to tell from bytes.
    fn number(&self, index: usize) -> Option<usize> {
        let parameters = &self.prototype.parameters;
        if self.has_number(index) && (self.is_told(index) || self.counts()) {
            return Some(index + 1);
        }
        let makes = self.prototype.result == "void *";
        let context = self.function.is_none() && index == 0 && is_void(pointee(&parameters[index]));
        let siblings: Vec<_> = parameters.iter().map(|one| sibling(one, None)).collect();
        length_of(&siblings, index).filter(|_| !makes && !context)
    }

    /// Whether a call passes a local object and, behind it, its size.
    fn is_told(&self, index: usize) -> bool {
        let sizes = self.arguments(index + 1).map(|(_, size)| size);
        let pairs = self.arguments(index).zip(sizes);
        pairs
            .filter_map(|((_, pointer), size)| Some((self.local(pointer)?, size)))
            .any(|(bytes, size)| size.const_int_value() == Some(bytes))
    }

    /// The bytes of a local object.
    fn local(&self, value: Value<'m>) -> Option<u64> {
        let is_local = value.is_instruction() && value.opcode() == LLVMOpcode::LLVMAlloca;
        let ty = is_local.then(|| value.allocated_type())?;
        let module = self.module.filter(|_| ty.is_sized())?;
        Some(module.size_of(ty))
    }

    /// Whether a number stands behind a parameter.
    fn has_number(&self, index: usize) -> bool {
        let next = self.prototype.parameters.get(index + 1);
        next.is_some_and(|next| {
            matches!(next.passed, Passed::Number { size: 4 | 8, content, .. }
                if matches!(content, Content::Signed | Content::Unsigned))
        })
    }

    /// Whether the result is a number of bytes, or an error: `ssize_t`.
    fn counts(&self) -> bool {
        let result = self.prototype.result_type.filter(|ty| is_size(Some(*ty)));
        result.and_then(|ty| content(unwrapped(ty))) == Some(Content::Signed)
    }

    /// The parameter that the result is at most: the size of a buffer, of `read` and its kin.
    pub(super) fn at_most(&self) -> Option<usize> {
        let parameters = self.prototype.parameters.iter().enumerate();
        let is_buffer = |parameter: &Parameter<'m>| {
            let to = pointee(parameter);
            let byte = to.map(unwrapped).is_some_and(|node| node.size() == 1);
            parameter.passed == Passed::Pointer && (is_void(to) || byte)
        };
        let mut buffers =
            parameters.filter(|(index, one)| is_buffer(one) && self.has_number(*index));
        let (index, _) = buffers.next().filter(|_| self.counts())?;
        Some(index + 1)
    }

    /// The parameter that points to the number of bytes: `(void *value, socklen_t *length)`.
    fn behind(&self, index: usize) -> Option<Most> {
        let next = self.prototype.parameters.get(index + 1)?;
        let to = pointee(next).filter(|to| !is_constant(Some(*to)))?;
        let is_length = is_size(Some(to)) || to.name().ends_with(LENGTH_TYPE);
        let size = unwrapped(to).size();
        let plain = next.passed == Passed::Pointer && matches!(size, 4 | 8);
        (plain && is_length).then_some(Most::Behind(index + 1, size))
    }

    /// The bytes of an object behind a parameter that are written, of one of this type.
    pub(super) fn ranges(&self, index: usize, node: DebugNode<'m>) -> Vec<(u64, u64)> {
        let pointers = pieces(node).into_iter().filter(Piece::is_pointer);
        let pointers: Vec<u64> = pointers.map(|one| one.offset).collect();
        // Calls through pointers may be of other functions.
        let fits = |one: Value<'m>| self.function.is_some() || self.local(one) == Some(node.size());
        let mut passed = self.arguments(index);
        let fresh = passed.any(|(call, one)| fits(one) && is_fresh(call, one));
        if pointers.is_empty() || fresh {
            return vec![(0, node.size())];
        }
        let numbers = plain_pieces(node).into_iter();
        without(
            numbers.map(|one| (one.offset, one.size)).collect(),
            &pointers,
        )
    }
}

fn pointee<'m>(parameter: &Parameter<'m>) -> Option<DebugNode<'m>> {
    parameter.ty.map(unwrapped).and_then(DebugNode::base)
}

/// Whether a parameter points to what may be bytes of anything.
fn takes_bytes(parameter: &Parameter<'_>) -> bool {
    let to = pointee(parameter);
    let pointer = parameter.ty.map(unwrapped);
    let pointer = pointer.is_some_and(|node| node.tag() == tag::POINTER);
    let bytes = to.map(unwrapped).filter(|node| node.size() == 1);
    let bytes = bytes.and_then(content);
    let bytes = matches!(bytes, Some(Content::Unsigned | Content::Signed));
    pointer && !is_constant(to) && (is_void(to) || bytes) && parameter.passed == Passed::Pointer
}

/// Parts of an object without the pointers at some offsets; padding joins its neighbors.
fn without(mut parts: Vec<(u64, u64)>, pointers: &[u64]) -> Vec<(u64, u64)> {
    for pointer in pointers {
        let (start, end) = (*pointer, pointer + 8);
        let cut = |(at, size): (u64, u64)| {
            let (first, last) = (at, at + size);
            let before = (first, start.min(last).saturating_sub(first));
            let behind = (end.max(first), last.saturating_sub(end.max(first)));
            [before, behind]
        };
        parts = parts.into_iter().flat_map(cut).collect();
        parts.retain(|(_, size)| *size > 0);
    }
    let mut joined: Vec<(u64, u64)> = Vec::new();
    for (at, size) in parts {
        match joined.last_mut() {
            Some((first, bytes)) if at < *first + *bytes + 8 => {
                *bytes = (*bytes).max(at + size - *first);
            }
            _ => joined.push((at, size)),
        }
    }
    joined
}

/// Whether an argument is a new object of the caller, which nobody has written before the call.
fn is_fresh(call: Value<'_>, argument: Value<'_>) -> bool {
    let mut object = argument;
    while object.is_instruction() && object.opcode() == LLVMOpcode::LLVMGetElementPtr {
        object = object.operand(0);
    }
    let new = object.is_instruction()
        && match object.opcode() {
            LLVMOpcode::LLVMAlloca => true,
            LLVMOpcode::LLVMCall => object.called().name() == "malloc",
            _ => false,
        };
    if !new {
        return false;
    }
    let mut open = vec![object];
    let mut writers = Vec::new();
    while let Some(value) = open.pop() {
        for user in value.users().into_iter().filter(|one| one.is_instruction()) {
            match user.opcode() {
                LLVMOpcode::LLVMGetElementPtr => open.push(user),
                LLVMOpcode::LLVMStore => writers.push(user),
                LLVMOpcode::LLVMCall if !user.called().name().starts_with("llvm.lifetime") => {
                    writers.push(user);
                }
                _ => {}
            }
        }
    }
    let blocks = call.parent().function().blocks().into_iter();
    let mut before = blocks.flat_map(labrys_llvm::Block::instructions);
    let first = before.find(|one| *one == call || writers.contains(one));
    first == Some(call)
}

/// The calls of a function, or those through pointers in functions that an entry can come to with as
/// many arguments.
pub(super) fn calls<'m>(
    function: Option<Value<'m>>,
    count: usize,
    through_pointers: &[Value<'m>],
) -> Vec<Value<'m>> {
    let Some(function) = function else {
        let alike = through_pointers.iter().copied();
        return alike
            .filter(|call| call.arguments().len() == count)
            .collect();
    };
    let users = function.users().into_iter();
    let is_call = |user: &Value<'m>| {
        user.is_instruction() && user.opcode() == LLVMOpcode::LLVMCall && user.called() == function
    };
    users.filter(is_call).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_are_left_out_and_padding_is_not() {
        assert_eq!(without(vec![(8, 4)], &[0]), [(8, 4)]);
        assert_eq!(without(vec![(0, 4), (16, 4)], &[8]), [(0, 4), (16, 4)]);
        assert_eq!(without(vec![(0, 1), (4, 4)], &[]), [(0, 8)]);
        assert_eq!(without(vec![(0, 24)], &[8]), [(0, 8), (16, 8)]);
        assert_eq!(without(vec![(0, 8)], &[0]), []);
    }
}
