//! Types as debug information describes them: what C calls them, and the numbers and pointers that
//! an object of a type consists of.

use std::fmt::Write as _;

use labrys_llvm::{DebugNode, tag};
use labrys_suite::unit::Content;

/// Names and structures in each other that are followed.
const MAX_NESTING: u32 = 64;
/// Pieces of an object that are told apart; with more, neighbors without pointers are bytes.
const MAX_PIECES: usize = 256;
/// Pieces of an object at all.
const MAX_ALL: usize = 1024;
/// Pieces of an array of structures that are told apart; with more, the array is bytes.
const MAX_IN_ARRAY: u64 = 64;
/// Elements of an array that may hold pointers, at most.
const MAX_ELEMENTS: u64 = 64;
/// Rows of an array of arrays that are told apart; of more, the bytes.
const MAX_ROWS: u64 = 8;
/// Pieces of more bytes stay apart from their neighbors.
const LARGE: u64 = 256;

/// The type behind other names and qualifiers.
pub(crate) fn unwrapped(node: DebugNode<'_>) -> DebugNode<'_> {
    let mut node = node;
    for _ in 0..MAX_NESTING {
        match node.base() {
            Some(base) if tag::WRAPPERS.contains(&node.tag()) => node = base,
            _ => break,
        }
    }
    node
}

/// The name of a structure or union: its tag, else that of the `typedef` around it; empty for other
/// types and if it has none.
pub(crate) fn structure_name(node: DebugNode<'_>) -> String {
    let mut node = node;
    let mut name = String::new();
    for _ in 0..MAX_NESTING {
        match (node.tag(), node.base()) {
            (tag::STRUCTURE | tag::UNION, _) => {
                let own = node.name();
                return if own.is_empty() { name } else { own };
            }
            (tag, Some(base)) if tag::WRAPPERS.contains(&tag) => {
                if tag == tag::TYPEDEF {
                    name = node.name();
                }
                node = base;
            }
            _ => break,
        }
    }
    String::new()
}

/// The structure that a `va_list` is, or points to.
pub(crate) const VA_LIST: &str = "__va_list_tag";

/// Whether a type is that of a `va_list`.
pub(crate) fn is_va_list(node: DebugNode<'_>) -> bool {
    let node = unwrapped(node);
    node.tag() == tag::STRUCTURE && node.name() == VA_LIST
}

/// Whether a type is `void` under its names and qualifiers, or not described.
pub(crate) fn is_void(node: Option<DebugNode<'_>>) -> bool {
    node.map(unwrapped)
        .is_none_or(|node| tag::WRAPPERS.contains(&node.tag()))
}

/// Whether a type is `const`, whatever its names.
pub(crate) fn is_constant(node: Option<DebugNode<'_>>) -> bool {
    is_qualified(node, tag::CONST)
}

/// Whether a type has a qualifier, whatever its names.
fn is_qualified(node: Option<DebugNode<'_>>, qualifier: u16) -> bool {
    let mut node = node;
    for _ in 0..MAX_NESTING {
        match node {
            Some(inner) if inner.tag() == qualifier => return true,
            Some(inner) if tag::WRAPPERS.contains(&inner.tag()) => node = inner.base(),
            _ => return false,
        }
    }
    false
}

/// Whether C does not let something of this type be assigned: a constant, or an array of them.
fn is_fixed(node: DebugNode<'_>) -> bool {
    let mut node = node;
    for _ in 0..MAX_NESTING {
        if is_constant(Some(node)) {
            return true;
        }
        match unwrapped(node) {
            array if array.tag() == tag::ARRAY && array.base().is_some() => {
                node = array.base().unwrap_or(array);
            }
            _ => break,
        }
    }
    false
}

/// Whether members of a structure cannot be named in C for every compiler: an atomic one has none, and each
/// compiler has its own names for those of its headers (`atomic_flag`).
fn is_closed(node: DebugNode<'_>) -> bool {
    let structure = unwrapped(node);
    let file = structure.file().filter(|_| structure.size() > 0);
    let known = matches!(structure.tag(), tag::STRUCTURE | tag::UNION);
    let of_compiler = file.is_some_and(|file| {
        let names = file.components().map(std::path::Component::as_os_str);
        let names: Vec<_> = names.collect();
        names
            .windows(2)
            .any(|two| two[0] == "lib" && two[1] == "clang")
    });
    known && (of_compiler || is_qualified(Some(node), tag::ATOMIC))
}

/// Whether one of the names of a type is that of a size: `size_t`, `ssize_t`.
pub(crate) fn is_size(node: Option<DebugNode<'_>>) -> bool {
    let mut node = node;
    for _ in 0..MAX_NESTING {
        match node {
            Some(inner) if inner.tag() == tag::TYPEDEF && inner.name().ends_with("size_t") => {
                return true;
            }
            Some(inner) if tag::WRAPPERS.contains(&inner.tag()) => node = inner.base(),
            _ => return false,
        }
    }
    false
}

/// What C calls a type, without qualifiers; empty if it takes more than a name and stars.
pub(crate) fn c_name(node: Option<DebugNode<'_>>) -> String {
    named(node, MAX_NESTING)
}

fn named(node: Option<DebugNode<'_>>, nesting: u32) -> String {
    let Some(node) = node else {
        return "void".to_owned();
    };
    let name = node.name();
    let with = |word: &str| match name.is_empty() {
        true => String::new(),
        false => format!("{word} {name}"),
    };
    match node.tag() {
        _ if nesting == 0 => String::new(),
        tag::STRUCTURE => with("struct"),
        tag::UNION => with("union"),
        tag::ENUMERATION => with("enum"),
        // What has this name is a constant, too.
        tag::TYPEDEF if is_fixed(node) => named(node.base(), nesting - 1),
        tag::BASE | tag::TYPEDEF => name,
        // clang does not initialize an atomic structure.
        tag::ATOMIC if is_closed(node) => String::new(),
        tag::ATOMIC => match named(node.base(), nesting - 1) {
            base if base.is_empty() => base,
            base => format!("_Atomic({base})"),
        },
        tag::POINTER => {
            let base = named(node.base(), nesting - 1);
            let qualifiers = [(tag::CONST, "const "), (tag::VOLATILE, "volatile ")];
            let qualifiers = qualifiers.iter();
            let words = qualifiers.filter(|one| is_qualified(node.base(), one.0));
            let words: String = words.map(|one| one.1).collect();
            match base.is_empty() || node.base().is_some_and(is_function) {
                true => String::new(),
                false if base.ends_with('*') => format!("{base}{}*", words.trim_end()),
                false => format!("{words}{base} *"),
            }
        }
        other if tag::WRAPPERS.contains(&other) => named(node.base(), nesting - 1),
        _ => String::new(),
    }
}

fn is_function(node: DebugNode<'_>) -> bool {
    unwrapped(node).tag() == tag::SUBROUTINE
}

/// What a number of a type is; `None` for other types.
pub(crate) fn content(node: DebugNode<'_>) -> Option<Content> {
    let node = unwrapped(node);
    if node.size() == 0 {
        return None;
    }
    match node.tag() {
        tag::ENUMERATION => Some(node.base().and_then(content).unwrap_or(Content::Unsigned)),
        tag::BASE => Some(match &*node.name() {
            "char" => Content::Characters,
            "_Bool" | "bool" => Content::Boolean,
            "float" | "double" => Content::Float,
            "int" | "short" | "long" | "long long" | "signed char" | "__int128" | "wchar_t" => {
                Content::Signed
            }
            name if name.contains("unsigned") => Content::Unsigned,
            // Of other numbers, such as `long double`, the bytes.
            _ => Content::Bytes,
        }),
        _ => None,
    }
}

/// One line for a type of functions, the same for functions that can be called in place of each
/// other.
pub(crate) fn signature(function: DebugNode<'_>) -> String {
    let word = |ty: Option<DebugNode<'_>>| match ty.map(unwrapped) {
        None => "void".to_owned(),
        Some(node) if node.tag() == tag::POINTER => "pointer".to_owned(),
        Some(node) if matches!(node.tag(), tag::BASE | tag::ENUMERATION) => {
            let float = content(node) == Some(Content::Float);
            format!("{}{}", if float { "float" } else { "int" }, node.size())
        }
        Some(node) => format!("{} {}", node.name(), node.size()),
    };
    let mut text = word(function.result());
    for parameter in function.parameters() {
        text.push(',');
        text.push_str(&word(parameter));
    }
    text
}

/// A member: the [layout] of its structure, and its offset there.
pub(crate) type Member = (String, u64);

/// A number, or an array of numbers, or a pointer in an object.
#[derive(Clone, Debug)]
pub(crate) struct Piece<'m> {
    pub(crate) offset: u64,
    /// Bytes.
    pub(crate) size: u64,
    /// How C names it in the object; empty if it has no one name.
    pub(crate) path: String,
    /// See [`labrys_suite::unit::Part::raw`].
    pub(crate) raw: bool,
    pub(crate) kind: Kind<'m>,
    /// The member that it is, if it is one.
    pub(crate) member: Option<Member>,
    /// The members in which a pointer lies: structures in others.
    pub(crate) around: Vec<Member>,
    /// Whether it is the array without a length at the end of a structure.
    pub(crate) is_tail: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind<'m> {
    /// Numbers, with the size of one.
    Numbers(Content, u64),
    /// A pointer to a type, `None` for `void`.
    Pointer {
        to: Option<DebugNode<'m>>,
        /// It shares its bytes with other members of a union.
        shared: bool,
    },
}

impl Piece<'_> {
    /// So many bytes that are of no one member.
    pub(crate) fn bytes(offset: u64, size: u64) -> Self {
        Piece {
            offset,
            size,
            path: String::new(),
            raw: false,
            kind: Kind::Numbers(Content::Bytes, size),
            member: None,
            around: Vec::new(),
            is_tail: false,
        }
    }

    pub(crate) fn is_pointer(&self) -> bool {
        matches!(self.kind, Kind::Pointer { .. })
    }
}

/// The pieces of an object of a type, in order; pointers in unions behind the bytes that they share.
pub(crate) fn pieces(node: DebugNode<'_>) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    add(node, 0, "", 0, &mut pieces);
    joined_bits(&mut pieces);
    match pieces.len() > MAX_PIECES {
        true => coalesced(pieces),
        false => pieces,
    }
}

/// The pieces of the array without a length at the end of a structure, with so many numbers, or so many
/// other elements.
pub(crate) fn tail(node: DebugNode<'_>, count: u64, others: u64) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let node = unwrapped(node);
    let last = node
        .members()
        .pop()
        .filter(|_| node.tag() == tag::STRUCTURE);
    let array = last.and_then(DebugNode::base).map(unwrapped);
    let (Some(last), Some(array)) = (last, array.filter(|array| array.tag() == tag::ARRAY)) else {
        return pieces;
    };
    let mut dimensions = array.dimensions();
    let Some(first) = dimensions.first_mut().filter(|first| **first == 0) else {
        return pieces;
    };
    *first = match array.base().and_then(content) {
        Some(_) => count,
        None => others,
    };
    let (offset, path) = (last.offset_bits() / 8, format!(".{}", last.name()));
    add_array(array, &dimensions, offset, &path, 1, &mut pieces);
    name_member(&mut pieces, &layout(node), last);
    if let [array] = &mut pieces[..] {
        array.is_tail = !array.is_pointer();
    }
    pieces
}

fn add<'m>(
    node: DebugNode<'m>,
    offset: u64,
    path: &str,
    nesting: u32,
    pieces: &mut Vec<Piece<'m>>,
) {
    if nesting > MAX_NESTING || pieces.len() >= MAX_ALL {
        return;
    }
    let is_closed = is_closed(node);
    let node = unwrapped(node);
    let size = node.size();
    let piece = |kind| Piece {
        offset,
        size,
        path: path.to_owned(),
        raw: is_closed,
        kind,
        member: None,
        around: Vec::new(),
        is_tail: false,
    };
    match node.tag() {
        tag::POINTER => pieces.push(piece(Kind::Pointer {
            to: node.base(),
            shared: false,
        })),
        tag::STRUCTURE | tag::UNION if is_closed => {
            let content = only_number(node).unwrap_or(Content::Bytes);
            pieces.push(piece(Kind::Numbers(content, size)));
        }
        tag::STRUCTURE => {
            let layout = layout(node);
            for member in node.members() {
                let first = pieces.len();
                add_member(member, offset, path, nesting, pieces);
                name_member(&mut pieces[first..], &layout, member);
            }
        }
        tag::ARRAY => add_array(node, &node.dimensions(), offset, path, nesting, pieces),
        tag::UNION if size > 0 => {
            pieces.push(piece(Kind::Numbers(Content::Bytes, size)));
            let mut inside = Vec::new();
            for member in node.members() {
                add_member(member, offset, path, nesting, &mut inside);
            }
            add_shared(inside, pieces);
        }
        _ => {
            if let Some(content) = content(node) {
                pieces.push(piece(Kind::Numbers(content, size)));
            }
        }
    }
}

/// The pointers of a union, one at each place.
fn add_shared<'m>(inside: Vec<Piece<'m>>, pieces: &mut Vec<Piece<'m>>) {
    let mut known: Vec<u64> = Vec::new();
    for mut pointer in inside.into_iter().filter(Piece::is_pointer) {
        if let Kind::Pointer { shared, .. } = &mut pointer.kind {
            *shared = true;
        }
        if !known.contains(&pointer.offset) {
            known.push(pointer.offset);
            pieces.push(pointer);
        }
    }
}

/// What the number is that a structure consists of, if it is one.
fn only_number(structure: DebugNode<'_>) -> Option<Content> {
    match &structure.members()[..] {
        [only] if structure.tag() == tag::STRUCTURE => {
            let node = unwrapped(only.base()?);
            content(node).filter(|_| node.size() == structure.size())
        }
        _ => None,
    }
}

/// Notes which member of a structure a piece is, or in which one pointers lie.
fn name_member(pieces: &mut [Piece<'_>], structure: &str, member: DebugNode<'_>) {
    let place = (structure.to_owned(), member.offset_bits() / 8);
    if let [piece] = pieces
        && piece.member.is_none()
    {
        piece.member = Some(place);
        return;
    }
    for piece in pieces.iter_mut().filter(|piece| piece.is_pointer()) {
        piece.around.push(place.clone());
    }
}

/// What tells structures apart in debug information and bitcode: where linking meets two of the same
/// members, the bitcode calls both by the name of one.
pub(crate) fn layout(node: DebugNode<'_>) -> String {
    let node = unwrapped(node);
    let members = node.members().into_iter();
    let pointers = members.filter(|member| is_pointer(member.base()));
    layout_of(node.size(), pointers.map(|member| member.offset_bits() / 8))
}

/// The same of a structure of so many bytes with pointers at these offsets.
pub(crate) fn layout_of(size: u64, pointers: impl Iterator<Item = u64>) -> String {
    let pointers: Vec<String> = pointers.map(|offset| offset.to_string()).collect();
    format!("{size}:{}", pointers.join(","))
}

/// The first member of a structure, or of the innermost one there: a number or a pointer.
pub(crate) fn first_of(node: DebugNode<'_>) -> Option<Member> {
    let mut node = unwrapped(node);
    let mut found = None;
    for _ in 0..MAX_NESTING {
        match node.tag() {
            tag::STRUCTURE => found = Some((layout(node), 0)),
            tag::ARRAY => return None,
            _ => break,
        }
        node = node
            .members()
            .first()
            .and_then(|one| one.base())
            .map(unwrapped)?;
    }
    found
}

/// What lies inside a structure, as far from its beginning as somebody says.
pub(crate) struct Inside<'m> {
    /// How C names it.
    pub(crate) path: String,
    pub(crate) node: DebugNode<'m>,
    /// The members on the way to it.
    pub(crate) members: Vec<Member>,
}

/// What lies so many bytes behind the beginning of a structure: a structure like this one, or what is
/// the outermost there.
pub(crate) fn inside<'m>(
    structure: DebugNode<'m>,
    at: u64,
    like: Option<DebugNode<'_>>,
) -> Option<Inside<'m>> {
    let (mut node, mut at) = (unwrapped(structure), at);
    let (mut path, mut members) = (String::new(), Vec::new());
    for _ in 0..MAX_NESTING {
        if at == 0 && like.map_or(!path.is_empty(), |like| are_alike(node, like)) {
            return Some(Inside {
                path,
                node,
                members,
            });
        }
        match node.tag() {
            tag::STRUCTURE => {
                let is_there = |member: &DebugNode<'m>| {
                    let size = member.base().map_or(0, |ty| unwrapped(ty).size());
                    let start = member.offset_bits() / 8;
                    start == at || (start..start + size).contains(&at)
                };
                let mut all = node.members().into_iter().filter(is_there);
                let member = all.next_back()?;
                let start = member.offset_bits() / 8;
                members.push((layout(node), start));
                if !member.name().is_empty() {
                    let _ = write!(path, ".{}", member.name());
                }
                (node, at) = (unwrapped(member.base()?), at - start);
            }
            tag::ARRAY => {
                let element = unwrapped(node.base()?);
                let index = at.checked_div(element.size())?;
                if at >= node.size() {
                    return None;
                }
                let _ = write!(path, "[{index}]");
                (node, at) = (element, at - index * element.size());
            }
            _ => return None,
        }
    }
    None
}

/// Whether two structures, of two sources perhaps, are the same.
fn are_alike(one: DebugNode<'_>, other: DebugNode<'_>) -> bool {
    let (left, right) = (unwrapped(one), unwrapped(other));
    let name = structure_name(other);
    left == right || !name.is_empty() && structure_name(one) == name && left.size() == right.size()
}

fn is_pointer(node: Option<DebugNode<'_>>) -> bool {
    node.map(unwrapped)
        .is_some_and(|node| node.tag() == tag::POINTER)
}

fn add_member<'m>(
    member: DebugNode<'m>,
    offset: u64,
    path: &str,
    nesting: u32,
    pieces: &mut Vec<Piece<'m>>,
) {
    let Some(ty) = member.base() else { return };
    let (start, bits) = (member.offset_bits(), member.size_bits());
    let name = member.name();
    let is_part = start % 8 != 0 || bits < 8 * ty.size().min(unwrapped(ty).size());
    if is_part {
        let (first, end) = (start / 8, (start + bits).div_ceil(8));
        pieces.push(Piece {
            raw: true,
            ..Piece::bytes(offset + first, end - first)
        });
        return;
    }
    // Members of a structure without a name are members of the one around it.
    let path = match name.is_empty() {
        true => path.to_owned(),
        false => format!("{path}.{name}"),
    };
    let first = pieces.len();
    add(ty, offset + start / 8, &path, nesting + 1, pieces);
    if is_fixed(ty) {
        pieces[first..]
            .iter_mut()
            .for_each(|piece| piece.raw = true);
    }
}

/// What so many elements are if they are numbers, or bytes; by the pieces of one.
fn numbers(element: &[Piece<'_>], size: u64, count: u64) -> Option<Content> {
    match element {
        [only] => match only.kind {
            Kind::Numbers(content, _) if only.size == size => Some(content),
            _ => None,
        },
        pieces if !pieces.iter().any(Piece::is_pointer) => {
            let all = pieces.len() as u64 * count;
            (all > MAX_IN_ARRAY).then_some(Content::Bytes)
        }
        _ => None,
    }
}

/// An array with these dimensions, or a row of it.
fn add_array<'m>(
    array: DebugNode<'m>,
    dimensions: &[u64],
    offset: u64,
    path: &str,
    nesting: u32,
    pieces: &mut Vec<Piece<'m>>,
) {
    let Some(base) = array.base() else { return };
    let element = unwrapped(base).size();
    let size = dimensions.iter().fold(element, |a, b| a.saturating_mul(*b));
    if element == 0 || size == 0 {
        return;
    }
    let mut inside = Vec::new();
    add(base, 0, "", nesting + 1, &mut inside);
    let count = size / element;
    let (numbers, path) = match (dimensions, numbers(&inside, element, count)) {
        ([rows, _, ..], Some(_)) if *rows > MAX_ROWS => (Some(Content::Bytes), ""),
        ([_, _, ..], Some(content)) if content != Content::Bytes => (None, path),
        (_, numbers) => (numbers, path),
    };
    if let Some(content) = numbers {
        let one = if content == Content::Bytes {
            size
        } else {
            element
        };
        // An array of one number is no number: C names its element.
        let alone = size == element && content != Content::Bytes;
        let path = format!("{path}{}", if alone { "[0]" } else { "" });
        pieces.push(Piece {
            offset,
            size,
            path,
            raw: inside.iter().any(|piece| piece.raw),
            kind: Kind::Numbers(content, one),
            member: None,
            around: Vec::new(),
            is_tail: false,
        });
        return;
    }
    let most = |count: &u64| (*count).min(MAX_ELEMENTS);
    for index in 0..dimensions.first().map_or(0, most) {
        let path = format!("{path}[{index}]");
        let at = |size: u64| offset + index * size;
        match &dimensions[1..] {
            [] => add(base, at(element), &path, nesting + 1, pieces),
            rest => add_array(
                array,
                rest,
                at(size / dimensions[0]),
                &path,
                nesting + 1,
                pieces,
            ),
        }
    }
}

/// The numbers in an object.
pub(crate) fn plain_pieces(node: DebugNode<'_>) -> Vec<Piece<'_>> {
    let all = pieces(node).into_iter();
    let plain = all.filter(|one| matches!(one.kind, Kind::Numbers(..)) && node.tag() != tag::UNION);
    plain.collect()
}

/// Pieces further on, without names.
pub(crate) fn unnamed(pieces: Vec<Piece<'_>>, by: u64) -> Vec<Piece<'_>> {
    let moved = pieces.into_iter().map(|piece| Piece {
        offset: piece.offset + by,
        path: String::new(),
        ..piece
    });
    moved.collect()
}

/// Bytes of several bit fields are one piece.
fn joined_bits(pieces: &mut Vec<Piece<'_>>) {
    let bytes = |piece: &Piece<'_>| {
        piece.path.is_empty() && matches!(piece.kind, Kind::Numbers(Content::Bytes, _))
    };
    let mut joined: Vec<Piece<'_>> = Vec::new();
    for piece in pieces.drain(..) {
        match joined.last_mut() {
            Some(last)
                if bytes(last) && bytes(&piece) && piece.offset <= last.offset + last.size =>
            {
                let end = (last.offset + last.size).max(piece.offset + piece.size);
                last.size = end - last.offset;
                last.kind = Kind::Numbers(Content::Bytes, last.size);
            }
            _ => joined.push(piece),
        }
    }
    *pieces = joined;
}

/// Neighbors without pointers as bytes.
fn coalesced(pieces: Vec<Piece<'_>>) -> Vec<Piece<'_>> {
    let mut fewer: Vec<Piece<'_>> = Vec::new();
    let mut run = false;
    for piece in pieces {
        let joins = !piece.is_pointer() && piece.size <= LARGE;
        match fewer.last_mut() {
            Some(last) if run && joins => {
                last.size = (piece.offset + piece.size).saturating_sub(last.offset);
                last.path.clear();
                last.member = None;
                last.kind = Kind::Numbers(Content::Bytes, last.size);
            }
            _ => {
                run = joins;
                fewer.push(piece);
            }
        }
    }
    fewer.truncate(MAX_PIECES);
    fewer
}
