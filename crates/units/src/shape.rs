//! The shape of a call: what a driver makes for parameters, results of stubs and globals.
//!
//! Law: leaves are numbered in the order in which a walk over the parts of all variables comes to
//! them ([`crate::walk`]), which is the order in which drivers make them.

use labrys_llvm::{DebugNode, Module, Value, tag};
use labrys_suite::unit::{
    ANSWERS, Choice, Content, Entry, Leaf, Length, Made, Object, Part, Place, Pointer, ResultType,
    Root, Step, Variable,
};

use crate::Bounds;
use crate::double::double;
use crate::lengths::{Sibling, SiblingKind, length_of};
use crate::prototype::{self, Parameter, Passed, Prototype};
use crate::types::{self, Kind, Piece, c_name, content, is_constant, is_size, pieces, unwrapped};

/// Most bytes of a structure behind a pointer.
const MAX_SIZE: u64 = 16 * 1024;
/// Objects behind pointers of one call, at most; further pointers are null.
const MAX_OBJECTS: usize = 32;
/// Bytes of one leaf.
const MAX_LEAF: u64 = 4096;
/// Elements of an array of structures or pointers with a length, at most.
const MAX_STRUCTURES: u64 = 4;
/// Earlier objects that a pointer may point to, and functions, at most.
const MAX_ALIASES: usize = 3;
const MAX_FUNCTIONS: usize = 6;
/// Types of libraries whose insides are theirs.
const FOREIGN: &[&str] = &["_IO_FILE", "__va_list_tag", "__dirstream"];

/// Functions whose address the program takes, with their types.
#[derive(Debug, Default)]
pub(crate) struct Candidates(Vec<(String, String)>);

impl Candidates {
    pub(crate) fn of(module: &Module) -> Self {
        let functions = module.functions().into_iter();
        let taken = functions.filter(|function| {
            function.is_address_taken() && !function.name().starts_with("llvm.")
        });
        let (own, others): (Vec<_>, Vec<_>) = taken.partition(|one| !one.is_declaration());
        let own = own.into_iter().filter_map(|function| {
            let described = DebugNode::of_function(module, function)?;
            Some((types::signature(described), function.name()))
        });
        // Libraries are described by their declarations, if at all.
        let others = others.into_iter().filter_map(|function| {
            let signature = prototype::signature(module, function)?;
            Some((signature, function.name()))
        });
        Candidates(own.chain(others).collect())
    }

    fn of_type(&self, function: DebugNode<'_>) -> Vec<String> {
        let wanted = types::signature(function);
        let fitting = self.0.iter().filter(|(signature, _)| *signature == wanted);
        let names = fitting.map(|(_, name)| name.clone());
        names.take(MAX_FUNCTIONS).collect()
    }
}

/// Where the parts that are being made lie.
#[derive(Clone)]
struct Spot {
    place: Place,
    name: String,
}

impl Spot {
    fn new(root: Root, name: &str) -> Self {
        Spot {
            place: Place {
                root,
                path: Vec::new(),
            },
            name: name.to_owned(),
        }
    }

    fn at(&self, offset: u64) -> Place {
        let mut place = self.place.clone();
        if offset > 0 {
            place.path.push(Step::Offset(offset));
        }
        place
    }

    fn behind(&self, offset: u64, path: &str) -> Self {
        let mut place = self.at(offset);
        place.path.push(Step::Dereference);
        Spot {
            place,
            name: format!("{}{path}", self.name),
        }
    }
}

/// Makes the shape of one entry or stub.
pub(crate) struct Builder<'m, 'a> {
    bounds: Bounds,
    candidates: &'a Candidates,
    entry: Entry,
    /// The type behind each pointer with an object.
    objects: Vec<Option<DebugNode<'m>>>,
    /// The objects that are being made, one inside the other: a pointer to one of them would make a
    /// list without an end.
    open: Vec<usize>,
    /// Whether pointers in a structure are made.
    pub(crate) pointers: bool,
    /// The doubles so far; those from this one on have no answers yet.
    pending: Vec<Pending<'m>>,
}

/// A double whose answers are to be made.
struct Pending<'m> {
    name: String,
    missing: Option<String>,
    /// The type of the pointers to it.
    ty: Option<DebugNode<'m>>,
    prototype: Prototype<'m>,
}

/// Pointers that follow one another in what a double returns.
const ANSWER_DEPTH: u32 = 2;

impl<'m, 'a> Builder<'m, 'a> {
    pub(crate) fn new(bounds: Bounds, candidates: &'a Candidates, function: &str) -> Self {
        Builder {
            bounds,
            candidates,
            entry: Entry {
                function: function.to_owned(),
                name: function.to_owned(),
                ..Entry::default()
            },
            objects: Vec::new(),
            open: Vec::new(),
            pointers: true,
            pending: Vec::new(),
        }
    }

    pub(crate) fn finish(self) -> Entry {
        self.entry
    }

    /// A global variable.
    pub(crate) fn global(&mut self, module: &'m Module, variable: Value<'m>) {
        let size = module.size_of(variable.global_type());
        let name = variable.name();
        let spot = Spot::new(Root::Global(name.clone()), &name);
        let described = DebugNode::of_global(module, variable).and_then(DebugNode::base);
        let mut parts = Vec::new();
        match described.filter(|ty| unwrapped(*ty).size() == size) {
            Some(ty) => self.object_parts(&spot, &pieces(ty), 0, &mut parts),
            None => self.numbers(&spot, 0, "", size, size, Content::Bytes, &mut parts),
        }
        self.entry.globals.push(Variable {
            c_type: c_name(described),
            name,
            size,
            parts,
        });
    }

    /// All parameters of a function.
    pub(crate) fn parameters(&mut self, prototype: &Prototype<'m>) {
        let visible = |one: &&Parameter<'m>| !matches!(one.passed, Passed::Result(_));
        let parameters: Vec<_> = prototype.parameters.iter().filter(visible).collect();
        let siblings: Vec<Sibling> = parameters.iter().map(|one| sibling(one)).collect();
        let mut lengths: Vec<(usize, u64, String)> = Vec::new();
        for (index, parameter) in parameters.iter().enumerate() {
            let length = length_of(&siblings, index).filter(|_| self.bounds.lengths);
            let made = self.parameter(index, parameter, length.is_some());
            if let (Some(length), Some(most)) = (length, most_elements(&made.parts)) {
                lengths.push((length, most, made.name.clone()));
            }
            self.entry.parameters.push(made);
        }
        for (index, most, of) in lengths {
            let made = self.entry.parameters[index]
                .parts
                .first()
                .map(|part| &part.made);
            if let Some(Made::Leaf(leaf)) = made {
                let leaf = *leaf;
                self.entry.lengths.push(Length { leaf, of, most });
            }
        }
    }

    fn parameter(&mut self, index: usize, parameter: &Parameter<'m>, counted: bool) -> Variable {
        let spot = Spot::new(Root::Parameter(index), &parameter.name);
        let mut parts = Vec::new();
        let size = match &parameter.passed {
            Passed::Number { size, content, .. } => {
                self.numbers(&spot, 0, "", *size, *size, *content, &mut parts);
                *size
            }
            Passed::Pointer => {
                let to = parameter.ty.map(unwrapped).and_then(DebugNode::base);
                let depth = self.bounds.depth;
                let pointer = self.pointer(&spot, 0, "", to, false, depth, counted);
                parts.push(pointer);
                8
            }
            Passed::Structure { size, .. } => {
                match parameter.ty {
                    Some(ty) => {
                        self.object_parts(&spot, &pieces(ty), self.bounds.depth, &mut parts);
                    }
                    None => self.numbers(&spot, 0, "", *size, *size, Content::Bytes, &mut parts),
                }
                *size
            }
            Passed::Result(size) => *size,
        };
        Variable {
            name: parameter.name.clone(),
            c_type: parameter.ty.map(|ty| c_name(Some(ty))).unwrap_or_default(),
            size,
            parts,
        }
    }

    /// The result of a stub, and what it writes through its parameters.
    pub(crate) fn stub(&mut self, prototype: &Prototype<'m>, parts: &mut Vec<Part>) {
        let spot = Spot::new(Root::Result, &format!("{}()", self.entry.name));
        match prototype.result_type.map(unwrapped) {
            Some(node) if node.tag() == tag::POINTER => {
                let pointer =
                    self.pointer(&spot, 0, "", node.base(), false, self.bounds.depth, false);
                parts.push(pointer);
            }
            Some(node) => self.object_parts(&spot, &pieces(node), self.bounds.depth, parts),
            None => {}
        }
    }

    /// What a stub writes where a parameter points.
    pub(crate) fn output(&mut self, index: usize, parameter: &Parameter<'m>) -> Vec<Part> {
        let spot = Spot::new(Root::Parameter(index), &format!("*{}", parameter.name));
        let mut parts = Vec::new();
        if let Some(node) = written(parameter) {
            let behind = spot.behind(0, "");
            self.object_parts(&behind, &plain_pieces(node), 0, &mut parts);
        }
        parts
    }

    /// The type of the result, if a test can look at it.
    pub(crate) fn result(&mut self, prototype: &Prototype<'m>) {
        let Some(ty) = prototype
            .result_type
            .filter(|_| !prototype.result_in_memory)
        else {
            return;
        };
        let node = unwrapped(ty);
        let content = match node.tag() {
            tag::POINTER => Some(Content::Pointer),
            _ => content(node).filter(|content| *content != Content::Bytes),
        };
        self.entry.result = content.map(|content| ResultType {
            c_type: c_name(Some(ty)),
            size: node.size(),
            content,
        });
    }

    /// Whether the function can give memory back.
    pub(crate) fn frees(&mut self, frees: bool) {
        self.entry.frees = frees;
    }

    /// Where the source has the function.
    pub(crate) fn source(&mut self, described: Option<DebugNode<'m>>) {
        if let Some(described) = described {
            let name = described.name();
            if !name.is_empty() {
                self.entry.name = name;
            }
            let file = described.file();
            self.entry.source = file.map(|path| path.display().to_string());
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn numbers(
        &mut self,
        spot: &Spot,
        offset: u64,
        path: &str,
        size: u64,
        element: u64,
        content: Content,
        parts: &mut Vec<Part>,
    ) {
        let step = match element {
            0..=MAX_LEAF => MAX_LEAF - MAX_LEAF % element.max(1),
            _ => MAX_LEAF,
        };
        for start in (0..size).step_by(step as usize) {
            let length = step.min(size - start);
            let whole = length == size;
            let leaf = Leaf {
                name: format!("{}{path}", spot.name),
                place: spot.at(offset + start),
                offset: self.end(),
                size: length,
                element: element.min(length),
                content: if whole || content != Content::Text {
                    content
                } else {
                    Content::Characters
                },
            };
            parts.push(Part {
                offset: offset + start,
                path: if whole {
                    path.to_owned()
                } else {
                    String::new()
                },
                made: Made::Leaf(self.entry.leaves.len()),
            });
            self.entry.leaves.push(leaf);
        }
    }

    /// Bytes of the leaves so far.
    fn end(&self) -> u64 {
        let last = self.entry.leaves.last();
        last.map_or(0, |leaf| leaf.offset + leaf.size)
    }

    fn object_parts(
        &mut self,
        spot: &Spot,
        pieces: &[Piece<'m>],
        depth: u32,
        parts: &mut Vec<Part>,
    ) {
        let siblings: Vec<Sibling> = pieces.iter().map(piece_sibling).collect();
        let mut lengths: Vec<(usize, u64, String)> = Vec::new();
        let mut leaves: Vec<Option<usize>> = Vec::new();
        for (index, piece) in pieces.iter().enumerate() {
            let Piece {
                offset,
                size,
                path,
                kind,
            } = piece;
            leaves.push(None);
            match kind {
                Kind::Numbers(content, element) => {
                    leaves[index] = Some(self.entry.leaves.len());
                    self.numbers(spot, *offset, path, *size, *element, *content, parts);
                }
                Kind::Pointer { to, shared } => {
                    let length = member_length(&siblings, pieces, index);
                    let length = length.filter(|_| self.bounds.lengths);
                    let counted = length.is_some();
                    let part = self.pointer(spot, *offset, path, *to, *shared, depth, counted);
                    let most = most_elements(std::slice::from_ref(&part));
                    if let (Some(length), Some(most)) = (length, most) {
                        lengths.push((length, most, format!("{}{path}", spot.name)));
                    }
                    parts.push(part);
                }
            }
        }
        for (index, most, of) in lengths {
            if let Some(leaf) = leaves[index] {
                self.entry.lengths.push(Length { leaf, of, most });
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn pointer(
        &mut self,
        spot: &Spot,
        offset: u64,
        path: &str,
        to: Option<DebugNode<'m>>,
        shared: bool,
        depth: u32,
        counted: bool,
    ) -> Part {
        let function = to
            .map(unwrapped)
            .filter(|node| node.tag() == tag::SUBROUTINE);
        let pointee = self.pointee(to, counted).filter(|_| self.pointers);
        let fresh = pointee.filter(|_| depth > 0 && self.objects.len() < MAX_OBJECTS);
        let mut choices = Vec::new();
        if let Some(function) = function {
            let names = self.candidates.of_type(function).into_iter();
            choices.extend(names.map(Choice::Function));
            if choices.is_empty() && self.bounds.doubles {
                choices.extend(self.double_of(function).map(Choice::Double));
            }
        }
        if fresh.is_some() {
            choices.push(Choice::Fresh);
        }
        choices.push(Choice::Null);
        if let Some(to) = to.filter(|_| self.bounds.aliases && function.is_none()) {
            let key = Some(unwrapped(to));
            let earlier = (0..self.objects.len())
                .filter(|number| self.objects[*number] == key && !self.open.contains(number));
            choices.extend(earlier.take(MAX_ALIASES).map(Choice::Alias));
        }
        if shared {
            choices.push(Choice::Keep);
        }
        let choice = (choices.len() > 1).then(|| self.choice(spot, offset, path));
        let object =
            fresh.map(|pointee| self.object(&spot.behind(offset, path), to, &pointee, depth));
        Part {
            offset,
            path: path.to_owned(),
            made: Made::Pointer(Pointer {
                choice,
                choices,
                object,
            }),
        }
    }

    /// The double for pointers to functions of a type.
    fn double_of(&mut self, ty: DebugNode<'m>) -> Option<String> {
        let known = self.pending.iter().find(|one| one.ty == Some(ty));
        if let Some(known) = known {
            return Some(known.name.clone());
        }
        let prototype = prototype::of_pointer(ty)?;
        let number = self.pending.iter().filter(|one| one.ty.is_some()).count() + 1;
        let name = format!("{}_callback_{number}", identifier(&self.entry.function));
        self.pending.push(Pending {
            name: name.clone(),
            missing: None,
            ty: Some(ty),
            prototype,
        });
        Some(name)
    }

    /// A function that nobody defines and that the entry can come to.
    pub(crate) fn missing(&mut self, function: Value<'m>, prototype: Prototype<'m>) {
        let name = function.name();
        self.pending.push(Pending {
            name: format!("double_of_{}", identifier(&name)),
            missing: Some(name),
            ty: None,
            prototype,
        });
    }

    /// Makes the answers of all doubles.
    pub(crate) fn doubles(&mut self) {
        // What one answers may be a pointer to the next.
        let mut next = 0;
        while next < self.pending.len() {
            let prototype = self.pending[next].prototype.clone();
            let name = self.pending[next].name.clone();
            let parameters = prototype.parameters.iter().enumerate();
            let outputs = parameters
                .filter_map(|(index, parameter)| self.outputs(&name, index, parameter))
                .collect();
            // In the order of the answers.
            let results = self.results(&name, &prototype);
            let missing = self.pending[next].missing.clone();
            let double = double(&name, missing, &prototype, results, outputs);
            self.entry.doubles.push(double);
            next += 1;
        }
    }

    /// What a double returns.
    fn results(&mut self, double: &str, prototype: &Prototype<'m>) -> Option<Variable> {
        let name = format!("{double}_results");
        let spot = Spot::new(Root::Result, &format!("{double}()"));
        let mut parts = Vec::new();
        let ty = prototype.result_type.map(unwrapped);
        let number = ty.and_then(|ty| Some((ty.size(), content(ty)?)));
        let number = number.or_else(|| prototype::number_of(&prototype.result));
        let (size, c_type) = match (number, ty) {
            _ if prototype.result == "void" => return None,
            (Some((size, content)), _) => {
                let all = ANSWERS * size;
                self.numbers(&spot, 0, "", all, size, content, &mut parts);
                (size, prototype.result.clone())
            }
            (None, Some(node)) if node.tag() != tag::POINTER => {
                for call in 0..ANSWERS {
                    let pieces = unnamed(pieces(node), call * node.size());
                    self.object_parts(&spot, &pieces, 0, &mut parts);
                }
                (node.size(), String::new())
            }
            (None, pointer) => {
                for call in 0..ANSWERS {
                    let (path, to) = (format!("[{call}]"), pointer.and_then(DebugNode::base));
                    let depth = self.bounds.depth.min(ANSWER_DEPTH);
                    parts.push(self.pointer(&spot, 8 * call, &path, to, false, depth, false));
                }
                (8, "void *".to_owned())
            }
        };
        Some(Variable {
            name,
            c_type,
            size: ANSWERS * size,
            parts,
        })
    }

    /// What a double writes where a parameter points, with the bytes of one call.
    fn outputs(
        &mut self,
        double: &str,
        index: usize,
        parameter: &Parameter<'m>,
    ) -> Option<(usize, u64, Variable)> {
        let spot = Spot::new(Root::Result, &format!("{double}(*{})", parameter.name));
        let (size, pieces) = match parameter.passed {
            Passed::Result(size) => {
                let kind = Kind::Numbers(Content::Bytes, size);
                let path = String::new();
                let whole = Piece {
                    offset: 0,
                    size,
                    path,
                    kind,
                };
                (size, vec![whole])
            }
            Passed::Pointer => {
                let node = written(parameter)?;
                (node.size(), plain_pieces(node))
            }
            _ => return None,
        };
        let mut parts = Vec::new();
        for call in 0..ANSWERS {
            let pieces = unnamed(pieces.clone(), call * size);
            self.object_parts(&spot, &pieces, 0, &mut parts);
        }
        let variable = Variable {
            name: format!("{double}_output_{}", index + 1),
            c_type: String::new(),
            size: ANSWERS * size,
            parts,
        };
        Some((index, size, variable))
    }

    /// The leaf that says where a pointer points.
    fn choice(&mut self, spot: &Spot, offset: u64, path: &str) -> usize {
        let leaf = Leaf {
            name: format!("{}{path}", spot.name),
            place: spot.at(offset),
            offset: self.end(),
            size: 1,
            element: 1,
            content: Content::Choice,
        };
        self.entry.leaves.push(leaf);
        self.entry.leaves.len() - 1
    }

    /// What there is behind a pointer to a type; `None`: nothing that a driver makes.
    fn pointee(&self, to: Option<DebugNode<'m>>, counted: bool) -> Option<Pointee<'m>> {
        let elements = self.bounds.elements;
        let numbers = |content, element: u64| Pointee {
            size: element.saturating_mul(elements).max(1),
            count: elements,
            kind: PointeeKind::Numbers(content, element),
        };
        let node = to.map(unwrapped);
        let Some(node) = node.filter(|node| !tag::WRAPPERS.contains(&node.tag())) else {
            // `void`, `const void`, or a type that is not described.
            return Some(numbers(Content::Bytes, 1));
        };
        match content(node) {
            Some(Content::Characters) => return Some(numbers(Content::Text, 1)),
            Some(content) => return Some(numbers(content, node.size())),
            None => {}
        }
        let size = node.size();
        let known = matches!(
            node.tag(),
            tag::STRUCTURE | tag::UNION | tag::ARRAY | tag::POINTER
        );
        if !known || !(1..=MAX_SIZE).contains(&size) || FOREIGN.contains(&node.name().as_str()) {
            return None;
        }
        let count = match counted {
            true => elements.clamp(1, MAX_STRUCTURES),
            false => 1,
        };
        Some(Pointee {
            size: size * count,
            count,
            kind: PointeeKind::Objects(node),
        })
    }

    fn object(
        &mut self,
        spot: &Spot,
        to: Option<DebugNode<'m>>,
        pointee: &Pointee<'m>,
        depth: u32,
    ) -> Object {
        let number = self.objects.len();
        self.objects.push(to.map(unwrapped));
        self.open.push(number);
        let mut parts = Vec::new();
        match &pointee.kind {
            PointeeKind::Numbers(content, element) => {
                self.numbers(spot, 0, "", pointee.size, *element, *content, &mut parts);
            }
            PointeeKind::Objects(node) => {
                let one = pieces(*node);
                let mut all = Vec::new();
                for index in 0..pointee.count {
                    let at = index * node.size();
                    let name = match pointee.count {
                        1 => String::new(),
                        _ => format!("[{index}]"),
                    };
                    all.extend(one.iter().cloned().map(|piece| Piece {
                        offset: piece.offset + at,
                        path: format!("{name}{}", piece.path),
                        ..piece
                    }));
                }
                self.object_parts(spot, &all, depth - 1, &mut parts);
            }
        }
        self.open.pop();
        Object {
            number,
            size: pointee.size,
            count: pointee.count,
            c_type: match c_name(to) {
                // Of `void` and `const void`, bytes.
                name if name == "void" => "unsigned char".to_owned(),
                name => name,
            },
            constant: is_constant(to),
            parts,
        }
    }
}

/// The type behind a parameter that a function may write to: of a known number of bytes, which
/// those of strings are not.
fn written<'m>(parameter: &Parameter<'m>) -> Option<DebugNode<'m>> {
    let to = parameter.ty.map(unwrapped).and_then(DebugNode::base);
    let written = to.filter(|_| !is_constant(to)).map(unwrapped);
    written.filter(|node| {
        (1..=MAX_LEAF).contains(&node.size())
            && node.tag() != tag::POINTER
            && content(*node) != Some(Content::Characters)
            && !FOREIGN.contains(&node.name().as_str())
    })
}

/// The numbers in an object.
fn plain_pieces(node: DebugNode<'_>) -> Vec<Piece<'_>> {
    let all = pieces(node).into_iter();
    let plain = all.filter(|one| matches!(one.kind, Kind::Numbers(..)) && node.tag() != tag::UNION);
    plain.collect()
}

/// Pieces further on, without names.
fn unnamed(pieces: Vec<Piece<'_>>, by: u64) -> Vec<Piece<'_>> {
    let moved = pieces.into_iter().map(|piece| Piece {
        offset: piece.offset + by,
        path: String::new(),
        ..piece
    });
    moved.collect()
}

/// A name for C.
fn identifier(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    name.chars().map(plain).collect()
}

/// What a driver makes behind a pointer.
struct Pointee<'m> {
    size: u64,
    count: u64,
    kind: PointeeKind<'m>,
}

enum PointeeKind<'m> {
    Numbers(Content, u64),
    Objects(DebugNode<'m>),
}

/// The elements of the object behind the pointer that these parts are.
fn most_elements(parts: &[Part]) -> Option<u64> {
    match parts {
        [
            Part {
                made: Made::Pointer(pointer),
                ..
            },
        ] => pointer.object.as_ref().map(|object| object.count),
        _ => None,
    }
}

fn sibling(parameter: &Parameter<'_>) -> Sibling {
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
    Sibling {
        name: parameter.name.clone(),
        kind,
    }
}

fn piece_sibling(piece: &Piece<'_>) -> Sibling {
    let kind = match piece.kind {
        Kind::Pointer { shared: false, to } => {
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
        _ => SiblingKind::Other,
    };
    let name = piece.path.rsplit('.').next().unwrap_or_default();
    Sibling {
        name: name.to_owned(),
        kind,
    }
}

/// The index of the length of a pointer among the members of the same structure.
fn member_length(siblings: &[Sibling], pieces: &[Piece<'_>], index: usize) -> Option<usize> {
    let structure = |piece: &Piece<'_>| {
        let end = piece.path.rfind('.').unwrap_or(0);
        piece.path[..end].to_owned()
    };
    let own = structure(&pieces[index]);
    let members: Vec<usize> = (0..pieces.len())
        .filter(|at| structure(&pieces[*at]) == own)
        .collect();
    let among: Vec<Sibling> = members.iter().map(|at| siblings[*at].clone()).collect();
    let at = members.iter().position(|at| *at == index)?;
    length_of(&among, at).map(|length| members[length])
}
