//! Binders as C text: a function that goes through the leaves of an entry at a real call of it, and
//! hands on where each lies.
//!
//! A binder takes the parameters of the bitcode, so that a call of it can be put at the beginning of
//! the function. It has no decision on input, and reads memory only through the runtime, which does not read
//! what is not there.

use std::fmt::Write as _;

use labrys_suite::unit::{Choice, Entry, Leaf, Pointer, Variable};

use crate::prototype::{Parameter, Passed, Prototype};
use crate::walk::{Spot, Visitor, walk};
use crate::{BINDER, FUNCTION, IS_BOUND, VARIABLE};

struct Reader<'a> {
    body: String,
    functions: &'a [String],
    /// The number of the pointer at work.
    next: usize,
    /// The pointer to each object.
    objects: Vec<String>,
}

impl Reader<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.body, "  {text}");
    }

    /// The address of a parameter that these of the bitcode are.
    fn base(&mut self, parameter: &Parameter<'_>, names: &[String]) -> Option<String> {
        match (&parameter.passed, names) {
            (_, []) => None,
            // Passed in memory: the parameter is its address.
            (Passed::Structure { .. }, [one]) if parameter.in_memory => {
                self.line(&format!("unsigned char *s{one} = {one};"));
                Some(format!("s{one}"))
            }
            (Passed::Structure { .. }, [first]) | (_, [first, _, ..]) => {
                let whole = format!("s{first}");
                self.line(&format!("unsigned char {whole}[16];"));
                for (piece, name) in names.iter().enumerate() {
                    self.line(&format!(
                        "__builtin_memcpy({whole} + {}, &{name}, sizeof {name});",
                        8 * piece
                    ));
                }
                Some(whole)
            }
            (_, [first, ..]) => Some(format!("&{first}")),
        }
    }

    /// How one choice is told, as a condition over a pointer.
    fn condition(&self, choice: &Choice, pointer: &str) -> Option<String> {
        match choice {
            Choice::Null => Some(format!("({pointer} == 0)")),
            Choice::Alias(number) => {
                let object = self.objects.get(*number)?;
                Some(format!("({pointer} == {object})"))
            }
            Choice::Within(number, bytes) => {
                let object = self.objects.get(*number)?;
                Some(format!("({pointer} == {object} + {bytes})"))
            }
            Choice::Function(name) => {
                let number = self.functions.iter().position(|one| one == name)?;
                Some(format!(
                    "({pointer} == (unsigned char *){FUNCTION}{number})"
                ))
            }
            Choice::Fresh
            | Choice::Roomy
            | Choice::Stream
            | Choice::Sealed
            | Choice::Broken
            | Choice::Contents
            | Choice::Variable { .. }
            | Choice::Double(_)
            | Choice::Keep => None,
        }
    }
}

impl Visitor for Reader<'_> {
    fn leaf(&mut self, _: usize, leaf: &Leaf, spot: &Spot) {
        self.line(&format!(
            "__labrys_bind({}, {}, {});",
            leaf.offset,
            spot.address(),
            leaf.size
        ));
    }

    fn open(&mut self, entry: &Entry, pointer: &Pointer, spot: &Spot, _: &str) -> String {
        let name = format!("p{}", self.next);
        self.next += 1;
        self.line(&format!(
            "unsigned char *{name} = __labrys_bind_pointer({});",
            spot.address()
        ));
        if let Some(number) = pointer.choice {
            let choice = format!("c{number}");
            self.line(&format!("unsigned char {choice} = 0, {choice}_known = 0;"));
            for (index, one) in pointer.choices.iter().enumerate() {
                if let Some(condition) = self.condition(one, &name) {
                    self.line(&format!(
                        "{choice} += (!{choice}_known & {condition}) * {index}; \
                         {choice}_known |= {condition};"
                    ));
                }
            }
            let offset = entry.leaves[number].offset;
            self.line(&format!("__labrys_bind({offset}, &{choice}, 1);"));
        }
        if let Some(object) = &pointer.object {
            let known = self.objects.len();
            self.objects
                .resize(known.max(object.number + 1), "0".to_owned());
            self.objects[object.number].clone_from(&name);
        }
        name
    }

    fn close(&mut self, _: &Pointer, _: &Spot, _: &str) {}
}

/// The binder of an entry: `labrys_binder_NUMBER`; at work only if a variable says so, if it is
/// `switched`. What variables and functions are called comes as in drivers.
pub(crate) fn binder(
    number: usize,
    entry: &Entry,
    prototype: &Prototype<'_>,
    (globals, functions): (&[String], &[String]),
    switched: bool,
) -> String {
    let mut reader = Reader {
        body: String::new(),
        functions,
        next: 0,
        objects: Vec::new(),
    };
    let mut switch = String::new();
    if switched {
        switch = format!("unsigned char {IS_BOUND}{number};\n");
        reader.line(&format!("if (!{IS_BOUND}{number}) return;"));
    }
    reader.line(&format!("__labrys_bind_call({number});"));
    for global in &entry.globals {
        let known = globals.iter().position(|name| *name == global.name);
        let base = format!("{VARIABLE}{}", known.unwrap_or(globals.len()));
        walk(entry, &global.parts, &base, &mut reader);
    }
    let mut parameters = Vec::new();
    let mut visible = entry.parameters.iter();
    for parameter in &prototype.parameters {
        let pieces = parameter.pieces.iter();
        let names = (parameter.first..).zip(pieces).map(|(index, c)| {
            parameters.push(format!("{c} a{index}"));
            format!("a{index}")
        });
        let names: Vec<String> = names.collect();
        if matches!(parameter.passed, Passed::Result(_)) {
            continue;
        }
        let Some(Variable { parts, .. }) = visible.next() else {
            continue;
        };
        if let Some(base) = reader.base(parameter, &names) {
            walk(entry, parts, &base, &mut reader);
        }
    }
    let parameters = match parameters.is_empty() {
        true => "void".to_owned(),
        false => parameters.join(", "),
    };
    format!(
        "\n/* {} */\n{switch}void {BINDER}{number}({parameters}) {{\n{}}}\n",
        entry.name, reader.body
    )
}
