//! Drivers as C text: an input of each leaf, then the call.
//!
//! There is no decision in a driver but those that pick where a pointer points and those of the
//! assumed lengths: all objects are made first, in one order, so each input has the same place in
//! every run.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use labrys_abi::ARRAY;
use labrys_suite::unit::{
    CALL, Choice, Content, Entry, FAILED as PLACE_OF_FAILED, FIRST_GLOBAL, FIRST_OBJECT, Failing,
    Leaf, Length, Made, Object, Order, PLACES, Part, Pointer, RETURNED, ROOM, Room, SPREAD,
    Variable,
};

use crate::allocations::{FAILED, FAILING};
use crate::prototype::{Passed, Prototype};
use crate::walk::{Spot, Visitor, walk};
use crate::{ENTRY, ERROR_NUMBER, FUNCTION, PICK, VARIABLE};

/// Writes a body that makes the leaves of an entry.
#[derive(Debug)]
pub(crate) struct Maker<'a> {
    pub(crate) body: String,
    /// How the functions that pointers may point to are called, in order.
    functions: &'a [String],
    /// The variables of the program that have names here, in order.
    globals: &'a [String],
    /// The bytes of earlier objects before the places where pointers to them point.
    before: BTreeMap<usize, u64>,
    /// When earlier objects have room behind them, in C.
    roomy: BTreeMap<usize, String>,
    /// What is assumed of leaves.
    lengths: &'a [Length],
    /// What is assumed of leaves that begin anew at others, and the numbers that these are.
    orders: &'a [Order],
    numbers: BTreeMap<usize, String>,
    /// Assumptions that wait for a choice that comes later, by its leaf.
    waiting: Vec<(usize, String)>,
    /// Put before the numbers of local variables, so that they are distinguished from others.
    prefix: &'static str,
    /// Whether a choice of a pointer is a value ([`PICK`]), not a decision.
    picks: bool,
}

impl<'a> Maker<'a> {
    pub(crate) fn new(entry: &'a Entry, functions: &'a [String], prefix: &'static str) -> Self {
        Maker {
            body: String::new(),
            functions,
            globals: &[],
            before: BTreeMap::new(),
            roomy: BTreeMap::new(),
            lengths: &entry.lengths,
            orders: &entry.orders,
            numbers: BTreeMap::new(),
            waiting: Vec::new(),
            prefix,
            picks: false,
        }
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.body, "  {text}");
    }

    /// Makes bytes input.
    pub(crate) fn input(&mut self, address: &str, size: u64, name: &str, kind: u32) {
        let name = name.replace(['"', '\\'], "?");
        self.line(&format!(
            "__labrys_object({address}, {size}, \"{name}\", {kind});"
        ));
    }

    /// A pointer to an object.
    fn pointing(&self, object: &str, number: Option<usize>) -> String {
        match number.and_then(|number| self.before.get(&number)) {
            Some(before) => format!("(void *)({object} + {before})"),
            None => format!("(void *){object}"),
        }
    }

    fn value(&self, pointer: &Pointer, choice: &Choice, object: &str, spot: &Spot) -> String {
        match choice {
            Choice::Fresh | Choice::Roomy => {
                let own = pointer.object.as_ref().map(|object| object.number);
                self.pointing(object, own)
            }
            Choice::Stream | Choice::Sealed | Choice::Broken | Choice::Contents => {
                choice.stream().unwrap_or_default().to_owned()
            }
            Choice::Null => "(void *)0".to_owned(),
            Choice::Alias(number) => {
                self.pointing(&format!("{}o{number}", self.prefix), Some(*number))
            }
            Choice::Within(number, bytes) => {
                format!("(void *)({}o{number} + {bytes})", self.prefix)
            }
            Choice::Variable { name, bytes, .. } => {
                let known = self.globals.iter().position(|one| one == name);
                known.map_or_else(
                    || "(void *)0".to_owned(),
                    |number| format!("(void *)({VARIABLE}{number} + {bytes})"),
                )
            }
            Choice::Function(name) => {
                let known = self.functions.iter().position(|one| one == name);
                known.map_or_else(
                    || "(void *)0".to_owned(),
                    |number| format!("(void *){FUNCTION}{number}"),
                )
            }
            Choice::Double(name) => format!("(void *){name}"),
            Choice::Keep if pointer.choice.is_some() => match pointer.number {
                Some(size) => format!("(void *)(unsigned long){}", spot.value(unsigned(size))),
                None => spot.value("void *"),
            },
            Choice::Keep => "(void *)0".to_owned(),
        }
    }

    /// The bytes of an object, with room behind it if that is picked for it or for the one with which it has
    /// room.
    fn bytes(&mut self, pointer: &Pointer, object: &Object) -> String {
        let Object {
            number, size, room, ..
        } = object;
        let roomy = pointer.choices.iter().position(|one| *one == Choice::Roomy);
        let own = pointer.choice.zip(roomy);
        let own = own.map(|(choice, index)| format!("{}c{choice} == {index}", self.prefix));
        let shared = || self.roomy.get(&(*room)?).cloned();
        let Some(has_room) = own.or_else(shared) else {
            return size.to_string();
        };
        let bytes = format!("{}n{number}", self.prefix);
        self.line(&format!(
            "unsigned long {bytes} = {has_room} ? {} : {size};",
            size + ROOM
        ));
        self.roomy.insert(*number, has_room);
        bytes
    }

    /// Assumes what is told of a leaf that is a length: at once, or behind the choice that it waits for.
    fn assume_lengths(&mut self, number: usize, leaf: &Leaf, spot: &Spot) {
        let lengths = self.lengths;
        for Length {
            most,
            room,
            negative,
            ..
        } in lengths.iter().filter(|length| length.leaf == number)
        {
            let c_type = unsigned(leaf.size);
            let value = spot.value(c_type);
            let most = match room {
                Some(Room {
                    choice,
                    index,
                    most: more,
                }) => format!("({}c{choice} == {index} ? {more} : {most})", self.prefix),
                None => most.to_string(),
            };
            let assumed = match negative {
                true => format!("labrys_assume(({c_type})({value} + 1) <= {most} + 1);"),
                false => format!("labrys_assume({value} <= {most});"),
            };
            match room.as_ref().filter(|room| room.choice > number) {
                Some(room) => self.waiting.push((room.choice, assumed)),
                None => self.line(&assumed),
            }
        }
    }

    /// Assumes what is told of two leaves when both are there.
    fn assume_orders(&mut self, number: usize, leaf: &Leaf, spot: &Spot) {
        let orders = self.orders;
        for Order { leaf: of, below } in orders {
            if ![of, below].contains(&&number) {
                continue;
            }
            let value = spot.value(unsigned(leaf.size));
            self.numbers.insert(number, value);
            let both = self.numbers.get(of).zip(self.numbers.get(below));
            let assumed = both
                .map(|(value, end)| format!("labrys_assume(({value} < {end}) | ({value} == 0));"));
            assumed.into_iter().for_each(|assumed| self.line(&assumed));
        }
    }
}

impl Visitor for Maker<'_> {
    fn leaf(&mut self, number: usize, leaf: &Leaf, spot: &Spot) {
        let kind = match leaf.content {
            Content::Signed | Content::Unsigned | Content::Float if leaf.element != leaf.size => {
                u32::from(ARRAY) * leaf.element.trailing_zeros()
            }
            _ if leaf.element != leaf.size => 0,
            content => kind_number(content),
        };
        self.input(&spot.address(), leaf.size, &leaf.name, kind);
        match leaf.content {
            // Only 0 and 1 are values.
            Content::Boolean => {
                for index in 0..leaf.size {
                    let place = format!("((unsigned char *)({}))[{index}]", spot.address());
                    self.line(&format!("{place} &= 1;"));
                }
            }
            Content::Places => {
                let places = format!("((unsigned char *)({}))", spot.address());
                self.line(&format!("{places}[5] = (~{places}[0] >> 1) & 1;"));
                self.line(&format!("{places}[0] = 48 & (({places}[0] & 1) - 1);"));
                for index in [1, 2, 3, 4, 6, 7] {
                    self.line(&format!("{places}[{index}] = {};", PLACES[index]));
                }
            }
            Content::Text => {
                let last = leaf.size - 1;
                self.line(&format!(
                    "((unsigned char *)({}))[{last}] = 0;",
                    spot.address()
                ));
            }
            _ => {}
        }
        self.assume_lengths(number, leaf, spot);
        self.assume_orders(number, leaf, spot);
    }

    fn open(&mut self, entry: &Entry, pointer: &Pointer, _: &Spot, _: &str) -> String {
        if let Some(number) = pointer.choice {
            let choice = format!("{}c{number}", self.prefix);
            self.line(&format!("unsigned char {choice};"));
            let leaf = &entry.leaves[number];
            self.input(
                &format!("&{choice}"),
                1,
                &format!("{} points", leaf.name),
                1,
            );
            // As `Pointer::chosen`, without a decision.
            let choices = pointer.choices.len();
            self.line(&format!(
                "{choice} = ({choice} < {SPREAD}) * ({choice} % {choices});"
            ));
            let waiting = std::mem::take(&mut self.waiting).into_iter();
            let (ready, later) = waiting.partition(|(leaf, _)| *leaf == number);
            self.waiting = later;
            ready
                .into_iter()
                .for_each(|(_, assumed)| self.line(&assumed));
        }
        let Some(made) = &pointer.object else {
            return String::new();
        };
        if made.before > 0 {
            self.before.insert(made.number, made.before);
        }
        let object = format!("{}o{}", self.prefix, made.number);
        let make = match entry.frees {
            _ if made.low => "__labrys_low",
            true => "__labrys_new",
            false => "__labrys_place",
        };
        let bytes = self.bytes(pointer, made);
        self.line(&format!("unsigned char *{object} = {make}({bytes});"));
        self.line(&format!("__builtin_memset({object}, 0, {bytes});"));
        object
    }

    fn close(&mut self, pointer: &Pointer, spot: &Spot, object: &str) {
        let value = |choice: &Choice| self.value(pointer, choice, object, spot);
        let Some(first) = pointer.choices.first() else {
            return;
        };
        let mut text = value(first);
        if let Some(leaf) = pointer.choice {
            for (index, choice) in pointer.choices.iter().enumerate().skip(1) {
                let picked = value(choice);
                let is_picked = format!("{}c{leaf} == {index}", self.prefix);
                // A stream is opened only where it is picked.
                text = match self.picks && choice.stream().is_none() {
                    true => format!("{PICK}({is_picked}, {picked}, {text})"),
                    false => format!("({is_picked} ? {picked} : {text})"),
                };
            }
        }
        match pointer.number {
            Some(size) => {
                let c_type = unsigned(size);
                self.line(&format!(
                    "{} = ({c_type})(unsigned long){text};",
                    spot.value(c_type)
                ));
            }
            None => self.line(&format!("{} = {text};", spot.value("void *"))),
        }
    }
}

/// The C type of numbers without sign of so many bytes.
pub(crate) fn unsigned(size: u64) -> &'static str {
    match size {
        1 => "unsigned char",
        2 => "unsigned short",
        4 => "unsigned int",
        16 => "unsigned __int128",
        _ => "unsigned long",
    }
}

/// The number of a type in records of a run (`labrys_abi::Event::aux`).
fn kind_number(content: Content) -> u32 {
    match content {
        Content::Bytes | Content::Text | Content::Characters | Content::Places => 0,
        Content::Unsigned | Content::Choice | Content::Boolean => 1,
        Content::Signed => 2,
        Content::Float => 3,
        Content::Pointer => 5,
    }
}

/// The declaration of a function in C: with this name, and with names of its parameters, `a0`, `a1`
/// and so on, if it is to be defined.
pub(crate) fn declaration(
    prototype: &Prototype<'_>,
    name: &str,
    types: &str,
    defined: bool,
) -> String {
    let mut parameters: Vec<String> = (0..)
        .zip(&prototype.parameters)
        .map(
            |(index, one)| match (c_type(&one.passed, types, index), defined) {
                (c, true) => format!("{c} a{index}"),
                (c, false) => c,
            },
        )
        .collect();
    match (prototype.variadic, parameters.is_empty()) {
        (true, false) => parameters.push("...".to_owned()),
        (false, true) => parameters.push("void".to_owned()),
        _ => {}
    }
    let result = result_type(prototype, types);
    format!("{result} {name}({})", parameters.join(", "))
}

/// The type of the result in C; structures have names.
pub(crate) fn result_type(prototype: &Prototype<'_>, types: &str) -> String {
    match prototype.result.starts_with(['s', 'u']) && prototype.result.contains('{') {
        true => format!("{types}result"),
        false => prototype.result.clone(),
    }
}

/// The type of a parameter in C; structures have names.
pub(crate) fn c_type(passed: &Passed, types: &str, index: usize) -> String {
    match passed {
        Passed::Number { c, .. } => c.clone(),
        Passed::Pointer | Passed::Result(_) => "void *".to_owned(),
        Passed::Structure { .. } => format!("{types}{index}"),
    }
}

/// Changes what the call finds where nobody wrote, in the run that is compared with another.
const UNWRITTEN: &str = "  __labrys_unwritten();\n";

/// Asks what memory is lost while the variables here hold all that the driver made and got.
const LEAKS: &str = "  __labrys_leaks();\n";

/// The structures that a declaration needs.
pub(crate) fn definitions(prototype: &Prototype<'_>, types: &str) -> String {
    let mut text = String::new();
    for (index, parameter) in prototype.parameters.iter().enumerate() {
        if let Passed::Structure { members, .. } = &parameter.passed {
            let _ = writeln!(text, "typedef {members} {types}{index};");
        }
    }
    if prototype.result.contains('{') {
        let _ = writeln!(text, "typedef {} {types}result;", prototype.result);
    }
    text
}

/// The function `labrys_call_NUMBER`, which makes the leaves of an entry and calls it.
pub(crate) fn driver(
    number: usize,
    entry: &Entry,
    prototype: &Prototype<'_>,
    (globals, functions): (&[String], &[String]),
    begins: &str,
    observed: bool,
) -> String {
    let types = format!("labrys_type_{number}_");
    let mut maker = Maker::new(entry, functions, "");
    maker.picks = observed;
    maker.globals = globals;
    for global in &entry.globals {
        let known = globals.iter().position(|name| *name == global.name);
        let base = format!("{VARIABLE}{}", known.unwrap_or(globals.len()));
        walk(entry, &global.parts, &base, &mut maker);
    }
    let passed = make_arguments(entry, prototype, &types, &mut maker);
    make_answers(entry, &mut maker);
    make_failing(entry, begins, &mut maker);
    let call = format!("{ENTRY}{number}({})", passed.join(", "));
    let call = match (observed, &entry.result) {
        (false, _) => format!("  {call};\n"),
        (true, Some(_)) => format!(
            "{UNWRITTEN}  {} r = {call};\n  __labrys_observe({RETURNED}, &r, sizeof r);\n",
            result_type(prototype, &types),
        ),
        (true, None) => {
            format!("{UNWRITTEN}  {call};\n  __labrys_observe({RETURNED}, (void *)0, 0);\n")
        }
    };
    let after = match observed {
        true => observations(entry, globals) + LEAKS,
        false => String::new(),
    };
    format!(
        "\n/* {} */\n{}extern {};\n__attribute__((noinline)) static void {CALL}{number}(void) {{\n{}{call}{after}}}\n",
        entry.name,
        definitions(prototype, &types),
        declaration(prototype, &format!("{ENTRY}{number}"), &types, false),
        maker.body,
    )
}

/// Makes the arguments of the call; the variables that have them.
fn make_arguments(
    entry: &Entry,
    prototype: &Prototype<'_>,
    types: &str,
    maker: &mut Maker<'_>,
) -> Vec<String> {
    let mut visible = entry.parameters.iter();
    let mut passed = Vec::new();
    for (index, parameter) in prototype.parameters.iter().enumerate() {
        let variable = format!("a{index}");
        let ty = c_type(&parameter.passed, types, index);
        if let Passed::Result(size) = parameter.passed {
            maker.line(&format!("void *{variable} = __labrys_new({size});"));
            passed.push(variable);
            continue;
        }
        maker.line(&format!("{ty} {variable};"));
        if let Passed::Structure { .. } = parameter.passed {
            maker.line(&format!(
                "__builtin_memset(&{variable}, 0, sizeof {variable});"
            ));
        }
        if let Some(Variable { parts, .. }) = visible.next() {
            walk(entry, parts, &format!("&{variable}"), maker);
        }
        passed.push(variable);
    }
    for (index, Variable { parts, .. }) in visible.enumerate() {
        let variable = format!("further{index}");
        maker.line(&format!("void *{variable} = (void *)0;"));
        walk(entry, parts, &format!("&{variable}"), maker);
        passed.push(variable);
    }
    passed
}

/// Fills the variables with what doubles answer.
fn make_answers(entry: &Entry, maker: &mut Maker<'_>) {
    for answers in entry.doubles.iter().flat_map(|double| &double.answers) {
        let base = format!("((unsigned char *){})", answers.name);
        walk(entry, &answers.parts, &base, maker);
    }
}

/// Fills the variable that says which allocations fail.
fn make_failing(entry: &Entry, begins: &str, maker: &mut Maker<'_>) {
    let Failing { own, others, .. } = &entry.failing;
    if entry.can_fail() {
        maker.line(begins);
    }
    for (index, leaf) in [*own, *others].into_iter().enumerate() {
        if let Some(leaf) = leaf.and_then(|leaf| entry.leaves.get(leaf)) {
            maker.input(&format!("&{FAILING}[{index}]"), 1, &leaf.name, 1);
        }
    }
}

/// Statements that report what the call left in objects and variables.
fn observations(entry: &Entry, globals: &[String]) -> String {
    let mut text = String::new();
    // What comes behind the call may set the error number.
    let globals_of = entry.globals.iter().enumerate();
    for (index, global) in globals_of.filter(|(_, one)| one.name != ERROR_NUMBER) {
        let known = globals.iter().position(|name| *name == global.name);
        let _ = writeln!(
            text,
            "  __labrys_observe({}, {VARIABLE}{}, {});",
            FIRST_GLOBAL + index,
            known.unwrap_or(globals.len()),
            global.size
        );
    }
    if entry.can_fail() {
        let _ = writeln!(text, "  __labrys_observe({PLACE_OF_FAILED}, {FAILED}, 2);");
    }
    if !entry.frees {
        let variables = entry.globals.iter().chain(&entry.parameters);
        let objects = variables.map(|variable| &variable.parts);
        objects.for_each(|parts| observe(parts, &mut text));
    }
    text
}

fn observe(parts: &[Part], text: &mut String) {
    let pointers = parts.iter().filter_map(|part| match &part.made {
        Made::Pointer(pointer) => pointer.object.as_ref(),
        Made::Leaf(_) => None,
    });
    for object in pointers {
        if !object.constant {
            let number = object.number;
            let _ = writeln!(
                text,
                "  __labrys_observe({}, o{number}, {});",
                FIRST_OBJECT + number,
                object.size
            );
        }
        observe(&object.parts, text);
    }
}
