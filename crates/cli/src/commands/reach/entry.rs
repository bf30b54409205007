//! Functions as entries of `labrys reach`: which ones, their drivers, and what a driver's input
//! means as a call.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use clap::{Args, ValueEnum};
use labrys_backward::Target;
use labrys_program::graph::CallGraph;
use labrys_program::{FunctionId, Program};
use labrys_suite::{Input, StreamKind};
use labrys_units::{Bounds, Content, Entry, Slot, Unit};

use crate::output::console::note;
use crate::output::problem::Problem;
use crate::wiring::subject::Subject;

/// Where runs begin.
#[derive(Args, Debug)]
#[command(next_help_heading = "Entries")]
pub(crate) struct EntryOptions {
    /// Begin with a call of this function instead of main; may be given several times
    #[arg(long, value_name = "FUNCTION")]
    pub(crate) entry: Vec<String>,

    /// Begin with any function from which calls lead to a target
    #[arg(long, conflicts_with = "entry")]
    pub(crate) all_entries: bool,

    /// Elements of the arrays that pointers to numbers and characters point to
    #[arg(long, value_name = "N", default_value_t = Bounds::default().elements,
          value_parser = clap::value_parser!(u64).range(1..=4096))]
    pub(crate) elements: u64,

    /// Depth of pointers to pointers in the arguments of an entry; deeper ones are null
    #[arg(long, value_name = "N", default_value_t = Bounds::default().depth)]
    pub(crate) pointer_depth: u32,

    /// What global variables hold when an entry is called
    #[arg(long, value_name = "WHAT", value_enum, default_value_t)]
    pub(crate) globals: Globals,
}

/// What global variables hold at a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Globals {
    /// What they hold when the program begins
    #[default]
    Initial,
    /// Anything, if there are no pointers in them
    Any,
}

/// The main function of programs.
const MAIN: &str = "main";

impl EntryOptions {
    fn bounds(&self) -> Bounds {
        Bounds {
            elements: self.elements,
            depth: self.pointer_depth,
            any_globals: self.globals == Globals::Any,
        }
    }

    /// The functions that need drivers, in the order of the program; none if runs begin in main.
    fn functions(&self, program: &Program, targets: &[Target]) -> Vec<String> {
        if !self.all_entries {
            let wanted = self.entry.iter().filter(|name| *name != MAIN);
            return wanted.cloned().collect();
        }
        let calls = CallGraph::new(program);
        let points = targets.iter().flat_map(|target| &target.points);
        let mut open: Vec<FunctionId> = points.map(|point| point.function).collect();
        let mut found = BTreeSet::new();
        while let Some(id) = open.pop() {
            if found.insert(id) {
                open.extend(calls.callers(id).map(|call| call.function));
            }
        }
        let functions = found.iter().filter_map(|id| program.function(*id));
        let own = functions.filter(|function| function.defined && function.name != MAIN);
        own.map(|function| function.name.clone()).collect()
    }
}

/// The program with drivers, and its entries; `None` if runs begin in main.
pub(crate) fn with_drivers(
    options: &EntryOptions,
    subject: &Subject,
    targets: &[Target],
) -> Result<Option<(Subject, Unit)>, Problem> {
    let functions = options.functions(&subject.program, targets);
    if functions.is_empty() {
        return Ok(None);
    }
    if functions.len() < options.entry.len() {
        return Err(Problem::usage(
            "--entry main stands alone: it is not called by a driver",
        ));
    }
    let (built, unit) = subject.with_drivers(&functions, options.bounds())?;
    for (name, refusal) in &unit.left_out {
        if !options.all_entries {
            return Err(Problem::usage(format!("--entry {name}: {refusal}")));
        }
        note(format_args!("labrys: note: {name} is no entry: {refusal}"));
    }
    match built {
        Some(built) => Ok(Some((built, unit))),
        None => Err(Problem::usage(
            "no function from which calls lead to a target has a driver; name one by --entry",
        )),
    }
}

/// Puts the executable with the drivers, and their text, into the folder of the suite.
pub(crate) fn keep(subject: &Subject, unit: &Unit, program: &Path) -> Result<(), Problem> {
    let failed = |error| Problem::program(format!("cannot write {}: {error}", program.display()));
    std::fs::copy(&subject.instrumented, program).map_err(failed)?;
    std::fs::write(program.with_file_name("driver.c"), &unit.text).map_err(failed)
}

/// The assumptions of a proof, one line each.
pub(crate) fn assumptions(options: &EntryOptions, unit: &Unit) -> Vec<String> {
    let mut lines = vec![match unit.entries.as_slice() {
        [one] => format!("the program calls {} first", one.function),
        several => format!("the program calls one of {} functions first", several.len()),
    }];
    let left_out = unit.left_out.iter().map(|(name, _)| name.as_str());
    let left_out: Vec<&str> = left_out.collect();
    if !left_out.is_empty() {
        lines.push(format!("calls do not begin in {}", left_out.join(", ")));
    }
    lines.extend(options.bounds().assumptions());
    lines
}

/// The call that an input stands for: `f(n = 3, text = "ab", next is null)`.
pub(crate) fn call(unit: &Unit, input: &Input) -> Option<String> {
    let mut streams = input.streams.iter();
    let objects = streams.find(|stream| stream.kind == StreamKind::Objects)?;
    let mut bytes = Bytes(&objects.bytes);
    let entry = match unit.entries.as_slice() {
        [one] => one,
        several => several.get(number(&bytes.next(2)) as usize)?,
    };
    let mut text = String::new();
    let variables = described(&unit.variables, &mut bytes);
    if !variables.is_empty() {
        let _ = write!(text, "{}; ", variables.join(", "));
    }
    let _ = write!(text, "{}({})", entry.function, arguments(entry, &mut bytes));
    Some(text)
}

fn arguments(entry: &Entry, bytes: &mut Bytes<'_>) -> String {
    described(&entry.slots, bytes).join(", ")
}

/// Slots with their values; what is behind a null pointer is left out.
fn described(slots: &[Slot], bytes: &mut Bytes<'_>) -> Vec<String> {
    let mut parts = Vec::new();
    let mut nulls: Vec<&str> = Vec::new();
    for slot in slots {
        let value = bytes.next(slot.size as usize);
        let behind = |null: &&str| {
            let rest = slot.name.strip_prefix(*null);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        if nulls.iter().any(behind) {
            continue;
        }
        match slot.content {
            Content::Null if value.first().is_some_and(|byte| byte & 1 == 1) => {
                nulls.push(&slot.name);
                parts.push(format!("{} is null", slot.name));
            }
            Content::Null => {}
            content => parts.push(format!("{} = {}", slot.name, printed(content, &value))),
        }
    }
    parts
}

fn printed(content: Content, value: &[u8]) -> String {
    let bits = number(value);
    match content {
        Content::Signed => {
            let unused = 128 - 8 * value.len().clamp(1, 16) as u32;
            (((bits << unused) as i128) >> unused).to_string()
        }
        Content::Unsigned | Content::Null => bits.to_string(),
        Content::Float if value.len() == 4 => f32::from_bits(bits as u32).to_string(),
        Content::Float => f64::from_bits(bits as u64).to_string(),
        Content::Text => {
            let end = value.iter().position(|byte| *byte == 0);
            let text = &value[..end.unwrap_or(value.len())];
            format!("\"{}\"", text.escape_ascii())
        }
        Content::Bytes => {
            let last = value.iter().rposition(|byte| *byte != 0);
            let shown = last.map_or(0, |last| last + 1);
            let digits: String = value[..shown].iter().map(|b| format!("{b:02x}")).collect();
            match (shown, value.len() - shown) {
                (0, _) => format!("{} bytes 00", value.len()),
                (_, 0) => format!("bytes {digits}"),
                (_, rest) => format!("bytes {digits} and {rest} of 00"),
            }
        }
    }
}

fn number(value: &[u8]) -> u128 {
    let low = value.iter().take(16).rev();
    low.fold(0, |bits, byte| bits << 8 | u128::from(*byte))
}

/// The bytes of a stream, from the front; past the end there are zeros.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn next(&mut self, count: usize) -> Vec<u8> {
        let (now, later) = self.0.split_at(count.min(self.0.len()));
        self.0 = later;
        let mut bytes = now.to_vec();
        bytes.resize(count, 0);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use labrys_suite::InputStream;

    use super::*;

    fn slot(name: &str, size: u64, content: Content) -> Slot {
        Slot {
            name: name.to_owned(),
            size,
            content,
        }
    }

    #[test]
    fn inputs_are_described_as_calls() {
        let slots = vec![
            slot("n", 2, Content::Signed),
            slot("text", 1, Content::Null),
            slot("text", 4, Content::Text),
            slot("item", 1, Content::Null),
            slot("item", 3, Content::Bytes),
            slot("item.next", 1, Content::Null),
            slot("item.next", 3, Content::Bytes),
        ];
        let unit = Unit {
            entries: vec![Entry {
                function: "f".to_owned(),
                slots,
            }],
            ..Unit::default()
        };
        let described = |bytes: &[u8]| {
            let stream = InputStream::objects(bytes);
            call(&unit, &Input::new(vec![stream])).expect("a call")
        };
        assert_eq!(
            described(b"\xff\xff\0ab\0x\0\x01\0\0\x01"),
            "f(n = -1, text = \"ab\", item = bytes 01 and 2 of 00, item.next is null)"
        );
        assert_eq!(
            described(b"\x02\x01\x01abcd\x01"),
            "f(n = 258, text is null, item is null)"
        );
        assert_eq!(
            described(b""),
            "f(n = 0, text = \"\", item = 3 bytes 00, item.next = 3 bytes 00)"
        );
    }

    #[test]
    fn the_number_of_the_entry_comes_first() {
        let entry = |name: &str| Entry {
            function: name.to_owned(),
            slots: vec![slot("x", 1, Content::Unsigned)],
        };
        let unit = Unit {
            entries: vec![entry("f"), entry("g")],
            variables: vec![slot("level", 1, Content::Bytes)],
            ..Unit::default()
        };
        let input = Input::new(vec![InputStream::objects(b"\x01\0\x07\xc8")]);
        let described = call(&unit, &input).expect("a call");
        assert_eq!(described, "level = bytes 07; g(x = 200)");
    }
}
