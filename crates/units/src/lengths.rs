//! Numbers that are the length of the array behind a pointer beside them: `(p, n)`.
//!
//! A number is taken for a length by its name or its type: a `size_t` behind the pointer, or a name
//! such as `len`, `buf_size`, `nitems`.

use labrys_llvm::{DebugNode, Value, tag};
use labrys_suite::unit::Content;

use crate::extents::compared;
use crate::flow::is_alone;
use crate::prototype::{Parameter, Passed};
use crate::types::{Kind, Piece, is_size, unwrapped};

/// Names of lengths whatever they are the length of.
const NAMES: &[&str] = &[
    "n",
    "len",
    "length",
    "size",
    "sz",
    "count",
    "cnt",
    "num",
    "nmemb",
    "nelem",
    "nelems",
    "bytes",
    "nbytes",
    "nbyte",
    "cb",
    "cap",
    "capacity",
    "max",
    "maxlen",
    "argc",
    "elements",
    "total",
    "limit",
    "l",
    "siz",
    "used",
    "alloc",
    "allocated",
];
/// How such names end.
const ENDINGS: &[&str] = &[
    "len", "length", "size", "count", "_n", "_sz", "cnt", "bytes", "_num", "_max",
];
/// How names of what is left of an array begin.
const LEFT: &str = "avail";
/// How names begin that go on with that of the array.
const BEGINNINGS: &[&str] = &[
    "n", "num", "n_", "num_", "nr_", "len", "len_", "size_", "count_",
];

/// A parameter, or a member of a structure, as far as lengths go.
#[derive(Clone, Debug)]
pub(crate) struct Sibling {
    pub(crate) name: String,
    pub(crate) kind: SiblingKind,
    /// Whether a pointer may have its length in common with those behind it: `(a, b, n)`. A structure
    /// is rather a context, and a pointer a place for another one.
    pub(crate) shares: bool,
    /// Whether the code only comes to one structure there: a context, of which no number is the length.
    pub(crate) is_alone: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SiblingKind {
    /// A pointer to objects.
    Pointer,
    /// A pointer of a structure to structures: a link of a list, say, unless a number is named after
    /// it.
    Link,
    /// An integer of two bytes or more.
    Integer,
    /// One that is a `size_t` or `ssize_t`.
    Size,
    Other,
}

/// The index of the length of the pointer at `index`, if one of its neighbors is that.
pub(crate) fn length_of(siblings: &[Sibling], index: usize) -> Option<usize> {
    let pointer = siblings
        .get(index)
        .filter(|one| matches!(one.kind, SiblingKind::Pointer | SiblingKind::Link))?;
    let is = |at: usize, certain: bool| {
        siblings.get(at).is_some_and(|other| match other.kind {
            SiblingKind::Size => certain || is_length(&other.name, &pointer.name),
            SiblingKind::Integer => is_length(&other.name, &pointer.name),
            _ => false,
        })
    };
    if pointer.kind == SiblingKind::Link || pointer.is_alone {
        return named_after(siblings, pointer);
    }
    // A place for a length, behind the pointer that it is of, is no array: `(buffer, bufferlen, n)`.
    let before = index.checked_sub(1).map(|before| &siblings[before]);
    let before = before.filter(|before| before.kind == SiblingKind::Pointer);
    if before.is_some_and(|before| names(&pointer.name, &before.name)) {
        return named_after(siblings, pointer);
    }
    // Behind other pointers that share the length: `(a, b, n)`.
    let pointers = siblings[index + 1..]
        .iter()
        .take_while(|other| other.kind == SiblingKind::Pointer);
    let next = index + 1 + pointers.count();
    if is(index + 1, true) || pointer.shares && is(next, false) {
        return Some(if is(index + 1, true) { index + 1 } else { next });
    }
    // A number between two pointers is of the first one.
    let is_free = |at: &usize| {
        let before = at.checked_sub(1).map(|at| siblings[at].kind);
        before != Some(SiblingKind::Pointer)
    };
    let before = index.checked_sub(1).filter(is_free);
    named_after(siblings, pointer).or_else(|| before.filter(|before| is(*before, false)))
}

/// The number whose name is made of that of a pointer.
fn named_after(siblings: &[Sibling], pointer: &Sibling) -> Option<usize> {
    siblings.iter().position(|other| {
        matches!(other.kind, SiblingKind::Size | SiblingKind::Integer)
            && names(&other.name, &pointer.name)
    })
}

/// Whether a name is that of a length of this array, or of any.
fn is_length(name: &str, array: &str) -> bool {
    let name = name.to_ascii_lowercase();
    NAMES.contains(&&*name)
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
        || name.starts_with(LEFT)
        || names(&name, array)
}

/// Whether a name is made of that of an array: `nitems`, `items_len`.
fn names(name: &str, array: &str) -> bool {
    let (name, array) = (name.to_ascii_lowercase(), array.to_ascii_lowercase());
    if array.len() < 2 {
        return false;
    }
    let before = BEGINNINGS
        .iter()
        .any(|beginning| name.strip_prefix(beginning) == Some(&*array));
    let rest = name.strip_prefix(&*array);
    before || rest.is_some_and(|rest| ENDINGS.iter().any(|ending| rest.ends_with(ending)))
}

/// Whether the code takes a number for bytes, not elements: it compares it with a constant that so
/// many bytes can be, but not so many elements.
pub(crate) fn counts_bytes(number: Value<'_>, elements: u64, bytes: u64) -> bool {
    let mut constants = compared(number).into_iter();
    constants.any(|one| one > elements && one <= bytes)
}

/// A parameter, as far as lengths go, with what a call passes there.
pub(crate) fn sibling(parameter: &Parameter<'_>, argument: Option<Value<'_>>) -> Sibling {
    let to = parameter.ty.map(unwrapped).and_then(DebugNode::base);
    let function = to
        .map(unwrapped)
        .is_some_and(|node| node.tag() == tag::SUBROUTINE);
    let kind = match &parameter.passed {
        Passed::Pointer if !function => SiblingKind::Pointer,
        Passed::Number {
            size: 2..,
            content: Content::Signed | Content::Unsigned,
            ..
        } if parameter
            .ty
            .map(unwrapped)
            .is_none_or(|ty| ty.tag() != tag::ENUMERATION) =>
        {
            match is_size(parameter.ty) {
                true => SiblingKind::Size,
                false => SiblingKind::Integer,
            }
        }
        _ => SiblingKind::Other,
    };
    let is_structure = |node: DebugNode<'_>| matches!(node.tag(), tag::STRUCTURE | tag::UNION);
    let is_one = |node: DebugNode<'_>| is_structure(node) || node.tag() == tag::POINTER;
    let to = to.map(unwrapped);
    Sibling {
        name: parameter.name.clone(),
        kind,
        shares: !to.is_some_and(is_one),
        is_alone: to.is_some_and(is_structure) && argument.is_some_and(is_alone),
    }
}

/// A member, as far as lengths go.
pub(crate) fn piece_sibling(piece: &Piece<'_>) -> Sibling {
    let kind = match piece.kind {
        Kind::Pointer {
            shared: false, to, ..
        } => {
            let structure = |node: DebugNode<'_>| matches!(node.tag(), tag::STRUCTURE | tag::UNION);
            match to.map(unwrapped).is_some_and(structure) {
                true => SiblingKind::Link,
                false => SiblingKind::Pointer,
            }
        }
        Kind::Numbers(Content::Signed | Content::Unsigned, element)
            if element >= 2 && piece.size == element =>
        {
            SiblingKind::Integer
        }
        _ if piece.is_tail => SiblingKind::Pointer,
        _ => SiblingKind::Other,
    };
    let name = piece.path.rsplit('.').next().unwrap_or_default();
    Sibling {
        name: name.to_owned(),
        kind,
        shares: true,
        is_alone: false,
    }
}

/// The indices of the lengths of a pointer among the members of the same structure: several where it
/// is the only one there.
pub(crate) fn member_lengths(
    siblings: &[Sibling],
    pieces: &[Piece<'_>],
    index: usize,
) -> Vec<usize> {
    let structure = |piece: &Piece<'_>| {
        let end = piece.path.rfind('.').unwrap_or(0);
        piece.path[..end].to_owned()
    };
    let own = structure(&pieces[index]);
    let members: Vec<usize> = (0..pieces.len())
        .filter(|at| structure(&pieces[*at]) == own)
        .collect();
    let among: Vec<Sibling> = members.iter().map(|at| siblings[*at].clone()).collect();
    let Some(at) = members.iter().position(|at| *at == index) else {
        return Vec::new();
    };
    let found = lengths_of(&among, at).into_iter();
    found.map(|length| members[length]).collect()
}

/// The indices of the lengths of the pointer at `index`: all that may be where it is the only pointer.
fn lengths_of(siblings: &[Sibling], index: usize) -> Vec<usize> {
    let is_pointer = |one: &&Sibling| matches!(one.kind, SiblingKind::Pointer | SiblingKind::Link);
    let alone = siblings.iter().filter(is_pointer).count() == 1;
    let pointer = &siblings[index];
    let is_length = |one: &Sibling| {
        alone
            && pointer.kind == SiblingKind::Pointer
            && matches!(one.kind, SiblingKind::Integer | SiblingKind::Size)
            && is_length(&one.name, &pointer.name)
    };
    let first = length_of(siblings, index);
    let all = (0..siblings.len()).filter(|at| first == Some(*at) || is_length(&siblings[*at]));
    all.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pairs among parameters: `*name` is a pointer, `&name` one to a structure, `=name` one to a single
    /// structure, `@name` a link, `+name` a `size_t`, `name` an integer.
    fn pairs(text: &str) -> String {
        let siblings: Vec<Sibling> = text
            .split(' ')
            .map(|word| {
                let (kind, name) = match word.split_at(1) {
                    ("*" | "&" | "=", name) => (SiblingKind::Pointer, name),
                    ("@", name) => (SiblingKind::Link, name),
                    ("+", name) => (SiblingKind::Size, name),
                    ("-", name) => (SiblingKind::Other, name),
                    _ => (SiblingKind::Integer, word),
                };
                Sibling {
                    name: name.to_owned(),
                    kind,
                    shares: !word.starts_with(['&', '=']),
                    is_alone: word.starts_with('='),
                }
            })
            .collect();
        let found = (0..siblings.len()).filter_map(|index| {
            let length = length_of(&siblings, index)?;
            Some(format!(
                "{}:{}",
                siblings[index].name, siblings[length].name
            ))
        });
        found.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_only_pointer_of_a_structure_has_several_lengths() {
        let names = ["used", "alloc", "sign", "dp"].map(str::to_owned);
        let mut siblings = names.map(|name| Sibling {
            name,
            kind: SiblingKind::Integer,
            shares: true,
            is_alone: false,
        });
        siblings[3].kind = SiblingKind::Pointer;
        assert_eq!(lengths_of(&siblings, 3), [0, 1]);
        siblings[2].kind = SiblingKind::Pointer;
        assert!(lengths_of(&siblings, 3).is_empty());
    }

    #[test]
    fn lengths_are_told_by_name_and_type() {
        for (parameters, expected) in [
            ("*buf len", "buf:len"),
            ("*s +x", "s:x"),
            ("*s c", ""),
            ("*values count key", "values:count"),
            ("*a *b n", "a:n b:n"),
            ("n *items", "items:n"),
            ("*abuf alen *host", "abuf:alen"),
            ("nitems key *items", "items:nitems"),
            ("*out outlen *in inlen", "out:outlen in:inlen"),
            ("*base +nmemb +size -compare", "base:nmemb"),
            ("*s flags -mode", ""),
            ("price count @next", ""),
            (
                "*next_in avail_in *next_out avail_out",
                "next_in:avail_in next_out:avail_out",
            ),
            ("@items nitems", "items:nitems"),
            ("&context *s +len", "s:len"),
            ("&items +n", "items:n"),
            ("=context +n", ""),
            ("len =context *s +n", "s:n"),
            ("=items +nitems", "items:nitems"),
            ("&buf *buflen len", ""),
        ] {
            assert_eq!(pairs(parameters), expected, "{parameters}");
        }
    }
}
