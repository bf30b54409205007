//! The shape of a call: what a driver makes for parameters, results of stubs and globals.
//!
//! Law: leaves are numbered in the order in which a walk over the parts of all variables comes to
//! them ([`crate::walk`]), which is the order in which drivers make them.

mod addresses;
mod aim;
mod choices;
mod containers;
mod depths;
mod doubles;
mod outputs;
mod places;
mod pointee;
mod regions;
pub(crate) mod registers;
mod rooms;
mod variable;
mod variables;

use labrys_llvm::{DebugNode, Module, Value, tag};
use labrys_suite::unit::{
    Allocator, Choice, Content, Entry, Failing, Leaf, Length, Made, Object, Part, Place, Pointer,
    ResultType, Root, Step, Variable,
};

use self::aim::{Aim, Array, Shared};
use self::doubles::Pending;
use self::pointee::{Pointee, PointeeKind};
use self::rooms::Rooms;
use crate::candidates::Candidates;
use crate::driver::unsigned;
use crate::extents::{Extent, last_of_several};
use crate::flow::{bytes_before, low_bits, variables_beside};
use crate::indices::Limits;
use crate::lengths::{Sibling, length_of, sibling};
use crate::prototype::{Parameter, Passed, Prototype};
use crate::types::{
    Kind, Piece, VA_LIST, c_name, content, is_constant, is_va_list, is_void, pieces, plain_pieces,
    unwrapped,
};
use crate::uses::{Named, Uses};
use crate::{Bounds, ERROR_NUMBER};

/// An array of more bytes in a structure has inputs in its first bytes only; the rest is zeros.
const LARGE_ARRAY: u64 = 1024;
const FIRST_BYTES: u64 = 256;
/// Objects behind pointers of one call, at most; further pointers are null.
const MAX_OBJECTS: usize = 32;
/// Of these, those that parameters have for themselves, and how deep those behind globals go.
const OF_PARAMETERS: usize = 16;
/// Besides, those that doubles answer.
const OF_ANSWERS: usize = 16;
const DEPTH_OF_GLOBALS: u32 = 2;
/// Most bytes of a structure behind a pointer.
const MAX_SIZE: u64 = 1024 * 1024;
/// Bytes of one leaf.
const MAX_LEAF: u64 = 4096;
/// Types of libraries whose insides are theirs.
const FOREIGN: &[&str] = &[STREAM, VA_LIST, "__dirstream"];
/// The type of streams.
const STREAM: &str = "_IO_FILE";

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
    candidates: &'a Candidates<'m>,
    uses: &'a Uses<'m>,
    module: Option<&'m Module>,
    /// The function, and the compilation that it is of.
    function: Option<Value<'m>>,
    unit: Option<DebugNode<'m>>,
    entry: Entry,
    /// What is behind each pointer with an object.
    objects: Vec<Behind<'m>>,
    /// The objects that are being made, one inside the other: a pointer to one of them would make a
    /// list without an end.
    open: Vec<usize>,
    /// Where the rings begin that are being made, an object and bytes in it, and of which type they are.
    rings: Vec<((usize, u64), DebugNode<'m>)>,
    /// Types that the source of the function does not know.
    unknown: Vec<DebugNode<'m>>,
    /// Types that stand behind pointers to others, which are only declared.
    disguised: Vec<DebugNode<'m>>,
    /// Objects that are being made and have an unknown type.
    hidden: usize,
    /// Pointers that are still to be made beside those that are being made: each may need an object.
    reserved: usize,
    /// Objects at most.
    most_objects: usize,
    /// What the pointer that is made next, behind a parameter, shares with others.
    cursor: Option<Shared<'m>>,
    /// The members that the function can come to, if pointers in others are null.
    named: Option<Named>,
    /// Whether pointers in a structure are made.
    pub(crate) pointers: bool,
    /// Whether tests are to be written, which name what they use.
    pub(crate) for_tests: bool,
    /// The type of characters that the function takes pointers to.
    characters: Option<DebugNode<'m>>,
    /// The doubles so far; those from this one on have no answers yet.
    pending: Vec<Pending<'m>>,
}

/// Where pointers to an object point.
#[derive(Default)]
struct Behind<'m> {
    /// The type of what is there.
    to: Option<DebugNode<'m>>,
    /// The structure around it, and the bytes of the object before it.
    around: Option<DebugNode<'m>>,
    before: u64,
}

impl<'m, 'a> Builder<'m, 'a> {
    pub(crate) fn new(
        bounds: Bounds,
        (candidates, uses): (&'a Candidates<'m>, &'a Uses<'m>),
        function: &str,
    ) -> Self {
        Builder {
            bounds,
            candidates,
            uses,
            module: None,
            function: None,
            unit: None,
            entry: Entry {
                function: function.to_owned(),
                name: function.to_owned(),
                ..Entry::default()
            },
            objects: Vec::new(),
            open: Vec::new(),
            rings: Vec::new(),
            unknown: Vec::new(),
            disguised: Vec::new(),
            hidden: 0,
            reserved: 0,
            most_objects: MAX_OBJECTS,
            cursor: None,
            named: None,
            pointers: true,
            for_tests: false,
            characters: None,
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
            Some(ty) => {
                let depth = self.bounds.depth.min(DEPTH_OF_GLOBALS);
                self.reserved += OF_PARAMETERS;
                self.object_parts(&spot, &pieces(ty), depth, &mut parts);
                self.reserved -= OF_PARAMETERS;
            }
            None => self.numbers(&spot, 0, "", size, size, Content::Bytes, &mut parts),
        }
        self.entry.globals.push(Variable {
            c_type: c_name(described),
            name,
            size,
            parts,
            ..Variable::default()
        });
    }

    /// The error number, as a global variable.
    pub(crate) fn error_number(&mut self) {
        let spot = Spot::new(Root::Global(ERROR_NUMBER.to_owned()), ERROR_NUMBER);
        let mut parts = Vec::new();
        self.numbers(&spot, 0, "", 4, 4, Content::Signed, &mut parts);
        self.entry.globals.push(Variable {
            c_type: "int".to_owned(),
            name: ERROR_NUMBER.to_owned(),
            size: 4,
            parts,
            ..Variable::default()
        });
    }

    /// All parameters of a function.
    pub(crate) fn parameters(&mut self, prototype: &Prototype<'m>) {
        let visible = |one: &&Parameter<'m>| !matches!(one.passed, Passed::Result(_));
        let parameters: Vec<_> = prototype.parameters.iter().filter(visible).collect();
        self.characters = variable::characters(&parameters);
        let values = self.function.map(Value::params).unwrap_or_default();
        let argument = |one: &Parameter<'m>| values.get(one.first).copied();
        let siblings: Vec<Sibling> = (parameters.iter())
            .map(|one| sibling(one, argument(one)))
            .collect();
        let mut lengths: Vec<(usize, Length)> = Vec::new();
        let counts: Vec<Option<usize>> = (0..parameters.len())
            .map(|index| {
                let place = || places::parameter(self, parameters[index].first);
                let number = || {
                    let place = place()?;
                    parameters.iter().position(|one| one.first == place)
                };
                let length = length_of(&siblings, index).or_else(number);
                length.filter(|_| self.bounds.lengths)
            })
            .collect();
        let aims = parameters.iter().zip(&counts);
        let aims = aims
            .map(|(one, count)| self.aim(one, count.map(|count| parameters[count])))
            .collect();
        let aims = depths::with_depths(self, aims);
        let mates = regions::mates(self, &parameters);
        let mut arrays: Vec<Option<Array<'m>>> = vec![None; parameters.len()];
        for ((index, parameter), (mut aim, depth)) in parameters.iter().enumerate().zip(aims) {
            let length = counts[index];
            let mate = mates[index];
            let array = mate.first.and_then(|first| arrays[first]);
            aim.share(mate, array);
            let made = self.parameter(index, parameter, &aim, depth);
            let made_here = || regions::array_of(&made, aim.to, mate.is_cursor);
            arrays[index] = array.or_else(made_here);
            if let (Some(at), [part]) = (length, &made.parts[..]) {
                let number = argument(parameters[at]);
                let length = rooms::length(part, &made.name, number, None);
                let negative = number.is_some_and(|number| Limits::of(number).negative);
                lengths.extend(length.map(|length| (at, Length { negative, ..length })));
            }
            let offset = addresses::offset(self, parameter);
            lengths.extend(offset.map(|length| (index, length)));
            self.entry.parameters.push(made);
        }
        for (index, length) in lengths {
            let made = self.entry.parameters[index]
                .parts
                .first()
                .map(|part| &part.made);
            if let Some(Made::Leaf(leaf)) = made {
                let leaf = *leaf;
                self.entry.lengths.push(Length { leaf, ..length });
            }
        }
        if self.for_tests && prototype.variadic && !parameters.is_empty() {
            self.further(parameters.len());
        }
    }

    /// What a parameter is to point to, if it is a pointer.
    fn aim(
        &mut self,
        parameter: &Parameter<'m>,
        length: Option<&Parameter<'m>>,
    ) -> Option<Aim<'m>> {
        if parameter.passed != Passed::Pointer {
            return None;
        }
        let to = parameter.ty.map(unwrapped).and_then(DebugNode::base);
        let of = self.function;
        let value = |one: &Parameter<'m>| of.and_then(|of| of.params().get(one.first).copied());
        let argument = value(parameter);
        let number = length.and_then(value).map(Extent::of_length);
        let array = argument.map(Extent::of_array);
        let container = argument.and_then(|argument| containers::of_parameter(self, to, argument));
        let told = argument
            .filter(|_| is_void(to) && container.is_none())
            .and_then(|argument| self.uses.of_parameter(argument));
        let told = self.told(told);
        let member = container.as_ref().and_then(|one| one.member);
        Some(Aim {
            to: told.or(member).or(to),
            container,
            counted: length.is_some(),
            several: argument
                .filter(|_| self.for_tests)
                .and_then(last_of_several),
            variables: argument.map_or_else(Vec::new, variables_beside),
            low_bits: argument.filter(|_| self.for_tests).map_or(0, low_bits),
            before: (self.module.zip(argument))
                .map_or(0, |(module, one)| bytes_before(module, one)),
            extent: array.unwrap_or_default().or(number.unwrap_or_default()),
            ..Aim::default()
        })
    }

    fn parameter(
        &mut self,
        index: usize,
        parameter: &Parameter<'m>,
        aim: &Aim<'m>,
        depth: u32,
    ) -> Variable {
        let spot = Spot::new(Root::Parameter(index), &parameter.name);
        let mut parts = Vec::new();
        let size = match &parameter.passed {
            Passed::Number { size, content, .. } => {
                let behind = (depth, aim.behind);
                if !addresses::add_parameter(self, &spot, parameter, behind, &mut parts) {
                    self.numbers(&spot, 0, "", *size, *size, *content, &mut parts);
                }
                *size
            }
            Passed::Pointer => {
                parts.push(self.pointer(&spot, 0, "", aim, depth));
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
            ..Variable::default()
        }
    }

    /// The result of a stub, and what it writes through its parameters.
    pub(crate) fn stub(&mut self, prototype: &Prototype<'m>, parts: &mut Vec<Part>) {
        let spot = |name: &str| Spot::new(Root::Result, &format!("{name}()"));
        match prototype.result_type.map(unwrapped) {
            Some(node) if node.tag() == tag::POINTER => {
                // Stubs that return the same share the function that makes it: names do not tell
                // which it was.
                let spot = spot("stub");
                let aim = Aim {
                    to: node.base(),
                    ..Aim::default()
                };
                parts.push(self.pointer(&spot, 0, "", &aim, self.bounds.depth));
            }
            Some(node) => {
                let spot = spot(&self.entry.name);
                self.object_parts(&spot, &pieces(node), self.bounds.depth, parts);
            }
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

    /// The compilation that the function is of.
    pub(crate) fn unit(&self) -> Option<DebugNode<'m>> {
        self.unit
    }

    /// The functions that pointers of parameters and globals may point to.
    pub(crate) fn functions_behind(&self) -> Vec<String> {
        let mut functions = Vec::new();
        for variable in self.entry.parameters.iter().chain(&self.entry.globals) {
            crate::name_functions(&variable.parts, &mut functions);
        }
        functions
    }

    /// Whether allocations of the function's own source and of others can fail.
    pub(crate) fn failing(&mut self, own: bool, others: bool, allocators: &[Allocator]) {
        let mut leaf = |name: &str| {
            let number = self.entry.leaves.len();
            let spot = Spot::new(Root::Result, name);
            let mut parts = Vec::new();
            self.numbers(&spot, 0, "", 1, 1, Content::Unsigned, &mut parts);
            number
        };
        let own = own.then(|| leaf("failing allocation"));
        let others = others.then(|| leaf("failing allocation of other sources"));
        let allocators = match own {
            Some(_) => allocators.to_vec(),
            None => Vec::new(),
        };
        self.entry.failing = Failing {
            own,
            others,
            allocators,
        };
    }

    /// The members that the function can come to: pointers in others are null.
    pub(crate) fn comes_to(&mut self, named: Named) {
        self.named = Some(named);
    }

    /// Whether the function can give memory back.
    pub(crate) fn frees(&mut self, frees: bool) {
        self.entry.frees = frees;
    }

    /// Where the source has the function.
    pub(crate) fn source(&mut self, module: &'m Module, function: Value<'m>) {
        self.module = Some(module);
        self.function = Some(function);
        if let Some(described) = DebugNode::of_function(module, function) {
            self.unit = described.unit();
            let name = described.name();
            if !name.is_empty() {
                self.entry.name = name;
            }
            // A function in a header belongs to the source that includes it.
            let file = self
                .unit
                .and_then(DebugNode::file)
                .or_else(|| described.file());
            self.entry.source = file.map(|path| path.display().to_string());
        }
    }

    /// The structure of this name.
    fn told(&mut self, name: Option<String>) -> Option<DebugNode<'m>> {
        let (node, known) = self.uses.named(self.unit, &name?)?;
        if !known {
            self.unknown.push(unwrapped(node));
        }
        Some(node)
    }

    /// The complete form of a structure that is only declared.
    fn completed(&mut self, to: Option<DebugNode<'m>>) -> Option<DebugNode<'m>> {
        let node = to.map(unwrapped)?;
        let structure = matches!(node.tag(), tag::STRUCTURE | tag::UNION);
        let complete = match structure && node.size() == 0 && !is_foreign(node) {
            true => self.told(Some(node.name())),
            false => None,
        };
        complete.or(to)
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
                raw: false,
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
        let bounds = places::bounds(self, pieces);
        let mut lengths: Vec<(usize, Length)> = Vec::new();
        let mut leaves: Vec<Option<usize>> = Vec::new();
        let mut arrays: Vec<Array<'m>> = Vec::new();
        let mut rooms = Rooms::default();
        let is_made = |piece: &&Piece<'m>| piece.is_pointer() && regions::is_made(self, piece);
        let mut behind = pieces.iter().filter(is_made).count();
        for (index, piece) in pieces.iter().enumerate() {
            let Piece {
                offset, path, kind, ..
            } = piece;
            leaves.push(None);
            let first = parts.len();
            if !regions::is_made(self, piece)
                || addresses::add_piece(self, spot, piece, (depth, behind), parts)
            {
                continue;
            }
            match kind {
                Kind::Numbers(content, element) => {
                    let leaf = self.entry.leaves.len();
                    leaves[index] = Some(leaf);
                    let inside = places::inside(self, pieces, piece, leaf);
                    self.entry.lengths.extend(inside);
                    lengths.extend(places::of_tail(piece, &bounds[index]));
                    let (size, element) = first_bytes(*content, piece.size, *element);
                    self.numbers(spot, *offset, path, size, element, *content, parts);
                }
                Kind::Pointer { .. } => {
                    behind -= 1;
                    let counts = &bounds[index];
                    let mut aim =
                        regions::member(self, piece, (!counts.is_empty(), behind), &arrays);
                    aim.room = rooms.of(counts);
                    if places::are_named(self, pieces, counts) {
                        aim.extent = Extent::default();
                    }
                    let part = self.pointer(spot, *offset, path, &aim, depth);
                    let name = format!("{}{path}", spot.name);
                    lengths.extend(rooms.lengths(&part, &name, counts));
                    arrays.extend(regions::array(self, piece, &part));
                    parts.push(part);
                }
            }
            let made = parts[first..].iter_mut();
            made.for_each(|part| part.raw = piece.raw);
        }
        places::note(self, pieces, &leaves, lengths);
        places::note_order(self, pieces, &leaves);
    }

    fn pointer(&mut self, spot: &Spot, offset: u64, path: &str, aim: &Aim<'m>, depth: u32) -> Part {
        let to = self.completed(aim.to);
        let is_list = to.is_some_and(is_va_list);
        if is_list && self.for_tests && depth > 0 {
            return self.list(spot, offset, path);
        }
        let pointee = pointee::behind(self, to, aim)
            .filter(|_| self.pointers)
            .map(|pointee| match aim.paired {
                true => pointee.longer(),
                false => pointee,
            })
            .map(|pointee| pointee.aligned(aim.low_bits));
        let owner = to.and_then(|to| regions::owner(self, to));
        // An owner is what it points to first; another one of its type needs nothing behind it.
        let depth = if owner.is_some() { depth.min(1) } else { depth };
        let room = self.objects.len() + self.reserved < self.most_objects;
        let fresh = pointee.filter(|_| depth > 0 && room && aim.array.is_none());
        let choices = choices::choices(self, to, (aim, owner), (path, fresh.as_ref()));
        let choice = (choices.len() > 1).then(|| self.choice(spot, offset, path));
        let rings = self.rings.len();
        let ring = self.open.last().copied().zip(aim.ring);
        self.rings.extend(ring.zip(to.map(unwrapped)));
        self.reserved += aim.behind;
        self.cursor = aim.cursor;
        let object = fresh.map(|pointee| {
            let is_numbers = matches!(pointee.kind, PointeeKind::Numbers(..));
            let room = aim.room.filter(|_| is_numbers).map(|room| room.object);
            let object = self.object(&spot.behind(offset, path), to, &pointee, depth);
            Object {
                room,
                aligned: is_numbers && aim.low_bits > 0,
                low: aim.number.is_some_and(|size| size < 8),
                ..object
            }
        });
        self.reserved -= aim.behind;
        self.cursor = None;
        self.rings.truncate(rings);
        Part {
            offset,
            path: path.to_owned(),
            raw: false,
            made: Made::Pointer(Pointer {
                number: aim.number,
                choice,
                choices,
                object,
            }),
        }
    }

    /// The functions that a pointer to one of a type may point to.
    fn functions(&mut self, ty: DebugNode<'m>) -> Vec<Choice> {
        let mut choices = Vec::new();
        let unit = self.unit.filter(|_| self.for_tests);
        for one in self.candidates.of_type(ty, unit) {
            if one.is_distant(self.unit) && !self.entry.distant.contains(&one.name) {
                self.entry.distant.push(one.name.clone());
            }
            choices.push(Choice::Function(one.name.clone()));
        }
        // Callers may be in other programs, with functions of their own.
        if self.bounds.doubles {
            choices.extend(self.double_of(ty).map(Choice::Double));
        }
        choices
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

    fn object(
        &mut self,
        spot: &Spot,
        to: Option<DebugNode<'m>>,
        pointee: &Pointee<'m>,
        depth: u32,
    ) -> Object {
        let number = self.objects.len();
        let is_around = !pointee.member.is_empty();
        let (of, has_type) = match pointee.kind {
            PointeeKind::Objects(node) => (Some(node), true),
            PointeeKind::Numbers(..) => (to, pointee.before == 0),
        };
        let hides = of.is_some_and(|of| self.unknown.contains(&unwrapped(of)));
        self.hidden += usize::from(hides);
        let c_type = match self.hidden {
            0 if has_type && is_void(of) => unsigned(pointee.size / pointee.count).to_owned(),
            0 if has_type => c_name(of),
            _ => String::new(),
        };
        self.objects.push(Behind {
            to: to.map(unwrapped),
            around: of.map(unwrapped).filter(|_| is_around),
            before: pointee.before,
        });
        self.open.push(number);
        let mut parts = Vec::new();
        match &pointee.kind {
            PointeeKind::Numbers(content, element) => {
                pointee.add_numbers(self, spot, (*content, *element), &mut parts);
            }
            PointeeKind::Objects(node) => {
                let all = pointee.pieces(*node);
                self.object_parts(spot, &all, depth - 1, &mut parts);
            }
        }
        self.open.pop();
        self.hidden -= usize::from(hides);
        Object {
            number,
            size: pointee.size,
            before: pointee.before,
            member: pointee.member.clone(),
            room: None,
            aligned: false,
            low: false,
            count: pointee.count,
            flexible: !pointee.tail.is_empty(),
            c_type,
            disguised: to.is_some_and(|to| self.disguised.contains(&unwrapped(to))),
            constant: is_constant(to),
            parts,
        }
    }
}

/// The bytes of an array in a structure that are inputs, and those of an element.
fn first_bytes(content: Content, size: u64, element: u64) -> (u64, u64) {
    match content {
        _ if size <= LARGE_ARRAY => (size, element),
        Content::Bytes => (FIRST_BYTES, FIRST_BYTES.min(element)),
        _ => (FIRST_BYTES - FIRST_BYTES % element, element),
    }
}

/// Whether the insides of a structure are those of a library.
fn is_foreign(node: DebugNode<'_>) -> bool {
    FOREIGN.contains(&node.name().as_str())
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
            && !is_foreign(*node)
    })
}
