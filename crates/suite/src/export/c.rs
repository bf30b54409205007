//! C files that give the bytes of an input to a program which asks for input objects, beside
//! each input of such a program.
//!
//! Law: linked with the program, such a file hands out the bytes of the objects stream in order
//! of the calls, and after its end zeros, or it ends the program, as the runtime does.

use core::fmt::Write;

use crate::export::{ExportedFile, Exporter};
use crate::harness::ValueFunction;
use crate::layout::{self, Layout};
use crate::{Config, Failure, Input, InputObject, ObjectKind, Outcome, StreamKind, TestCase};

/// See the module.
pub(crate) struct CFiles;

impl Exporter for CFiles {
    fn name(&self) -> &'static str {
        "c"
    }

    fn summary(&self) -> &'static str {
        "C files to link with a harness or a fuzz target, beside its inputs; always written"
    }

    fn unfit(&self, config: &Config) -> Option<&'static str> {
        let of_functions = config.unit.is_some();
        match self.applies(config) {
            true => None,
            false if of_functions => Some("functions have tests in C of their own"),
            false => Some("the program asks for no objects: its inputs are files"),
        }
    }

    fn applies(&self, config: &Config) -> bool {
        let asks = config.harness.fuzz_target || config.streams.contains(&StreamKind::Objects);
        asks && config.unit.is_none()
    }

    fn test(&self, config: &Config, case: &TestCase) -> Vec<ExportedFile> {
        let ends = case.outcome == Outcome::InputEnded;
        let place = layout::input(case.id);
        files(config, &place, (&case.input, ends), &case.objects)
    }

    fn failure(&self, config: &Config, failure: &Failure) -> Vec<ExportedFile> {
        let place = layout::failure_input(failure.id);
        files(config, &place, (&failure.input, false), &failure.objects)
    }
}

/// The path of the C file for an input at this place, or of the shell variable that holds it.
pub(crate) fn path(layout: Layout, place: &str) -> String {
    match layout {
        Layout::File => format!("{place}.c"),
        Layout::Folder => format!("{place}/objects.c"),
    }
}

/// The C file for an input: of its objects, or of all that a fuzz target gets. Where the run ended
/// with its objects, the program does too.
fn files(
    config: &Config,
    place: &str,
    (input, ends): (&Input, bool),
    objects: &[InputObject],
) -> Vec<ExportedFile> {
    let layout = Layout::of(&config.streams);
    let mut streams = input.streams.iter();
    let stream = match layout {
        Layout::File => streams.next(),
        Layout::Folder => streams.find(|stream| stream.kind == StreamKind::Objects),
    };
    let Some(stream) = stream else {
        return Vec::new();
    };
    let text = source(config, (&stream.bytes, ends), objects);
    vec![ExportedFile::new(path(layout, place), text)]
}

/// The functions of other tools' harnesses, over those of Labrys: the text that the front end
/// compiles into programs.
const FOREIGN: &str = include_str!("../../../models/c/foreign.c");
/// The functions of Labrys, handing out the bytes.
const FUNCTIONS: &str = include_str!("harness.c");
/// The main function of a fuzz target.
const FUZZ: &str = include_str!("fuzz.c");

/// The C file for these bytes. The objects tell what the bytes are, for people.
fn source(config: &Config, (bytes, ends): (&[u8], bool), objects: &[InputObject]) -> String {
    let comment =
        |text: &str| format!("/* {} */\n", text.replace("*/", "* /").replace("/*", "/ *"));
    let mut text = comment(&format!(
        "A test of {}. Link it with the program: cc PROGRAM.c THIS.c",
        config.program
    ));
    for object in objects {
        text.push_str(&comment(&describe(object, bytes)));
    }
    let _ = write!(text, "\n#define LABRYS_SIZE {}\n", bytes.len());
    let _ = writeln!(text, "#define LABRYS_ENDS {}", u8::from(ends));
    text.push_str("static const unsigned char labrys_bytes[LABRYS_SIZE + 1] = {");
    for (index, byte) in bytes.iter().enumerate() {
        text.push_str(if index % 16 == 0 { "\n    " } else { " " });
        let _ = write!(text, "{byte},");
    }
    text.push_str("\n    0};\n\n");
    text.push_str(FOREIGN);
    text.push_str(FUNCTIONS);
    for function in &config.harness.values {
        text.push_str(&value_function(function));
    }
    if config.harness.fuzz_target {
        text.push_str(FUZZ);
    }
    text
}

/// The definition of a function that makes a value.
fn value_function(function: &ValueFunction) -> String {
    let ValueFunction { name, kind, size } = function;
    let ctype = match (kind, size) {
        (ObjectKind::Boolean, _) => "_Bool".to_owned(),
        (ObjectKind::Pointer, _) => "void *".to_owned(),
        (ObjectKind::Float, 4) => "float".to_owned(),
        (ObjectKind::Float, _) => "double".to_owned(),
        (ObjectKind::Unsigned, 16) => "unsigned __int128".to_owned(),
        (ObjectKind::Unsigned, size) => format!("uint{}_t", 8 * size),
        (ObjectKind::Signed, 16) => "__int128".to_owned(),
        (ObjectKind::Signed, size) => format!("int{}_t", 8 * size),
        // A structure in registers, or two.
        (ObjectKind::Bytes, size) => format!("struct {{ unsigned char bytes[{size}]; }}"),
    };
    let (ctype, result) = match kind {
        ObjectKind::Boolean => ("unsigned char", "value & 1"),
        _ => (&*ctype, "value"),
    };
    match kind {
        ObjectKind::Bytes => format!(
            "\ntypedef {ctype} {name}_t;\nFOREIGN {name}_t {name}(void) {{\n  {name}_t value;\n  \
             labrys_take(&value, sizeof value);\n  return value;\n}}\n"
        ),
        _ => format!(
            "\nFOREIGN {ctype} {name}(void) {{\n  {ctype} value;\n  \
             labrys_take(&value, sizeof value);\n  return {result};\n}}\n"
        ),
    }
}

/// Bytes of an object that are shown.
const SHOWN: u64 = 64;

/// An object with its value, for people.
fn describe(object: &InputObject, bytes: &[u8]) -> String {
    let more = if object.size > SHOWN { "..." } else { "" };
    let value = object.kind.print(&object.value(bytes, SHOWN));
    format!("{} = {value}{more}", object.name)
}
