//! Tests in C of the functions that a driver calls: `tests/test_FUNCTION.c`, for people to keep.
//!
//! A test is a call with literal arguments and checks of what the plain build was observed to do: the
//! result, and memory behind pointers and global variables that the call changed. The file includes
//! the source that defines the function, so static functions and their types are there; `unit.h`
//! beside it is a thin layer over plain C, Unity and Check. A failure has a program of its own that
//! makes the call: `failures/NUMBER/call.c`.
//!
//! Law: a test is written only if the call came back and each of its values can be written in C;
//! the others are named in a comment.

mod arguments;
mod literal;

use core::fmt::Write as _;

use self::arguments::Arguments;
use crate::export::{ExportedFile, Exporter};
use crate::unit::{Allocator, Call, Double, Entry, FAILED, Made, Missing, Part, RETURNED, Unit};
use crate::{Config, Confirmation, Failure, Input, Outcome, TestCase, layout};

const FOLDER: &str = "tests";
/// The layer over frameworks.
const LAYER: &str = include_str!("unit.h");

/// See the module.
pub(crate) struct UnitTests;

impl Exporter for UnitTests {
    fn name(&self) -> &'static str {
        "unit"
    }

    fn summary(&self) -> &'static str {
        "C tests of functions in tests/, for plain C, Unity and Check; always written for --entry"
    }

    fn folder(&self) -> Option<&'static str> {
        Some(FOLDER)
    }

    fn unfit(&self, config: &Config) -> Option<&'static str> {
        (!self.applies(config)).then_some("it is for functions that --entry names")
    }

    fn applies(&self, config: &Config) -> bool {
        config.unit.is_some()
    }

    fn opening(&self, _: &Config) -> Vec<ExportedFile> {
        vec![ExportedFile::new(format!("{FOLDER}/unit.h"), LAYER)]
    }

    fn test(&self, _: &Config, _: &TestCase) -> Vec<ExportedFile> {
        Vec::new()
    }

    fn whole(&self, config: &Config, cases: &[TestCase]) -> Vec<ExportedFile> {
        let Some(unit) = &config.unit else {
            return Vec::new();
        };
        let entries = unit.entries.iter();
        let called = entries.filter(|entry| {
            cases.iter().any(|case| {
                let call = call_of(unit, config, &case.input);
                call.is_some_and(|call| is_of(&call, entry))
            })
        });
        called
            .flat_map(|entry| files(config, unit, entry, cases))
            .collect()
    }

    fn failure(&self, config: &Config, failure: &Failure) -> Vec<ExportedFile> {
        let unit = config.unit.as_ref();
        let files = unit.and_then(|unit| failing_call(config, unit, failure));
        files.unwrap_or_default()
    }
}

/// The program that makes the call of a failure, with what it includes, unless that cannot be written.
fn failing_call(config: &Config, unit: &Unit, failure: &Failure) -> Option<Vec<ExportedFile>> {
    let call = call_of(unit, config, &failure.input)?;
    let entry = call.entry();
    let source = entry.source.as_ref()?;
    let body = Arguments::of(&call).ok()?.statements_without_checks();
    let text = format!(
        "/* {}: {} */\n{}int main(void) {{\n{body}  return 0;\n}}\n",
        failure.kind,
        in_comment(&call.text()),
        beginning(unit, entry, "../../tests/"),
    );
    let path = format!("{}/{}", layout::failure(failure.id), layout::CALL);
    Some(vec![header(entry, source), ExportedFile::new(path, text)])
}

/// What a file with calls of an entry begins with, where the headers are in this folder.
fn beginning(unit: &Unit, entry: &Entry, folder: &str) -> String {
    let doubles: String = entry.doubles.iter().map(double).collect();
    format!(
        "#include \"{folder}{}\"\n#include \"{folder}unit.h\"\n{}\n{}{}{doubles}{}{}",
        header_name(entry),
        own(entry),
        registers(entry),
        low(entry),
        distant(entry),
        absent(unit, entry)
    )
}

/// Lets a test call the function of the source where `unit.h` has one of the compiler's of its name.
fn own(entry: &Entry) -> String {
    match LAYER.contains(&format!("#define {}(...)", entry.name)) {
        true => format!("#undef {}\n", entry.name),
        false => String::new(),
    }
}

/// The call that an input makes.
fn call_of<'a>(unit: &'a Unit, config: &Config, input: &'a Input) -> Option<Call<'a>> {
    match config.invocation.arguments.first() {
        Some(name) => unit.call_of_entry(name, input),
        None => unit.call(input),
    }
}

fn is_of(call: &Call<'_>, entry: &Entry) -> bool {
    call.entry().function == entry.function
}

/// The file with the tests of an entry, and the one that includes its source.
fn files(config: &Config, unit: &Unit, entry: &Entry, cases: &[TestCase]) -> Vec<ExportedFile> {
    let stem = identifier(&entry.function);
    let mut tests = String::new();
    let mut names = Vec::new();
    let mut others = String::new();
    for case in cases {
        let Some(call) = call_of(unit, config, &case.input).filter(|call| is_of(call, entry))
        else {
            continue;
        };
        match test(&call, case) {
            Ok(body) => {
                let name = format!("{stem}_{}", case.id);
                let _ = write!(tests, "TEST({name}) {{\n{body}}}\nEND_TEST\n\n");
                names.push(name);
            }
            Err(reason) => {
                let text = in_comment(&call.text());
                let _ = writeln!(others, "/* Not here: {text}: {reason} */");
            }
        }
    }
    let source = entry.source.clone().unwrap_or_default();
    let runs: String = names
        .iter()
        .map(|name| format!("  RUN({name})\n"))
        .collect();
    let text = format!(
        "/* Tests of {} in {}, written by Labrys from runs of it.\n   \
         Plain: cc test_{stem}.c OTHER-SOURCES && ./a.out\n   \
         Unity: cc -DUNIT_UNITY test_{stem}.c unity.c OTHER-SOURCES\n   \
         Check: cc -DUNIT_CHECK test_{stem}.c OTHER-SOURCES -lcheck -lsubunit -lm */\n\
         {}{tests}{others}TESTS(\n{runs})\n",
        entry.name,
        source,
        beginning(unit, entry, "")
    );
    vec![
        header(entry, &source),
        ExportedFile::new(format!("{FOLDER}/test_{stem}.c"), text),
    ]
}

/// A function that stands for another. One that sources beside the test define goes before it.
fn double(double: &Double) -> String {
    let mut text = double.defined_in_source(match double.missing {
        Some(_) => "static __attribute__((used)) ",
        None => "static __attribute__((unused)) ",
    });
    if let Some(name) = &double.missing {
        // A sanitizer has weak ones of what libraries define.
        let binding = match (double.outside, double.called_elsewhere) {
            (false, _) => WEAK,
            (true, true) => "globl",
            (true, false) => "local",
        };
        text.push_str(&stands_for(&double.name, name, binding));
    }
    text + "\n"
}

/// The binding of a symbol for which another source may have one of the same name.
const WEAK: &str = "weak";

/// Puts a function of the test in the place of one of this name, unless another source defines it and
/// the binding is weak; what the source of the test declares, if anything, does not matter.
fn stands_for(function: &str, name: &str, binding: &str) -> String {
    format!("__asm__(\".{binding} {name}\\n.set {name}, {function}\");\n")
}

/// What a test calls a function of another source, whatever its own source declares.
fn distant_name(function: &str) -> String {
    format!("function_{}", identifier(function))
}

/// Names for registers at fixed addresses, and what maps memory there before a test runs.
fn registers(entry: &Entry) -> String {
    let mut text = String::new();
    let mut pages: Vec<u64> = Vec::new();
    for variable in &entry.globals {
        let Some(address) = variable.address else {
            continue;
        };
        let (name, c_type) = (&variable.name, &variable.c_type);
        let is_array = variable.parts.iter().any(|part| !part.path.is_empty());
        let _ = match is_array {
            true => writeln!(text, "#define {name} ((volatile {c_type} *){address:#x}ul)"),
            false => writeln!(
                text,
                "#define {name} (*(volatile {c_type} *){address:#x}ul)"
            ),
        };
        let end = address + variable.size;
        for page in address / PAGE..end.div_ceil(PAGE) {
            if !pages.contains(&page) {
                pages.push(page);
            }
        }
    }
    if pages.is_empty() {
        return text;
    }
    let mut body = String::new();
    for page in pages {
        let _ = writeln!(body, "  unit_map({:#x}ul);", page * PAGE);
    }
    format!(
        "/* Registers of devices. */\n{text}{MAP}\
         static void unit_map(unsigned long page) {{\n  \
         /* Private memory that can be written, where nothing else is. */\n  \
         void *at = mmap((void *)page, {PAGE}, 3, 0x100022, -1, 0);\n  \
         if (at != (void *)page) __builtin_trap();\n}}\n\
         static __attribute__((constructor)) void unit_map_registers(void) {{\n{body}}}\n\n"
    )
}

/// What a test calls the function that gives memory with an address of 32 bits.
const LOW: &str = "unit_low";

/// The function that gives such memory, if the test needs it.
fn low(entry: &Entry) -> String {
    let variables = entry.globals.iter().chain(&entry.parameters);
    let answers = entry.doubles.iter().flat_map(|double| &double.answers);
    let mut variables = variables.chain(answers);
    match variables.any(|variable| has_low(&variable.parts)) {
        true => format!(
            "/* Memory whose address has 32 bits. */\n{MAP}\
             static __attribute__((unused)) void *{LOW}(unsigned long size) {{\n  \
             void *at = mmap(0, size, 3, 0x62, -1, 0);\n  \
             if (at == (void *)-1) __builtin_trap();\n  return at;\n}}\n\n"
        ),
        false => String::new(),
    }
}

/// Whether an object behind these parts has an address of 32 bits.
fn has_low(parts: &[Part]) -> bool {
    let mut objects = parts.iter().filter_map(|part| match &part.made {
        Made::Pointer(pointer) => pointer.object.as_ref(),
        Made::Leaf(_) => None,
    });
    objects.any(|object| object.low || has_low(&object.parts))
}

/// What maps memory.
const MAP: &str = "extern void *mmap(void *, unsigned long, int, int, int, long);\n";

/// Bytes of a page.
const PAGE: u64 = 4096;

/// Declarations of the functions of other sources that pointers may point to.
fn distant(entry: &Entry) -> String {
    let declared = entry.distant.iter().map(|function| {
        let name = distant_name(function);
        format!("extern char {name}[] __asm__(\"{function}\");\n")
    });
    let text: String = declared.collect();
    match text.is_empty() {
        true => text,
        false => format!("/* Functions of other sources. */\n{text}\n"),
    }
}

/// What the source of an entry needs to be linked without the sources that are missing.
fn absent(unit: &Unit, entry: &Entry) -> String {
    let has_double = |missing: &&Missing| {
        let mut doubles = entry.doubles.iter();
        doubles.any(|double| double.missing.as_ref() == Some(&missing.name))
    };
    let mut text = String::new();
    for Missing { name, size } in unit.missing.iter().filter(|one| !has_double(one)) {
        let _ = match size {
            Some(size) => writeln!(
                text,
                "__asm__(\".pushsection .bss\\n.balign 16\\n.weak {name}\\n\"\n        \
                 \"{name}: .zero {size}\\n.popsection\");"
            ),
            None => write!(text, "{}", stands_for("unit_missing", name, WEAK)),
        };
    }
    if text.contains("unit_missing") {
        let body = "{ __builtin_trap(); }";
        let function = "static __attribute__((used)) void unit_missing(void)";
        text.insert_str(0, &format!("{function} {body}\n"));
    }
    match text.is_empty() {
        true => text,
        false => format!("/* What the sources use and do not define. */\n{text}\n"),
    }
}

/// The header that includes the source of the function, whose warnings are not those of the tests.
fn header(entry: &Entry, source: &str) -> ExportedFile {
    ExportedFile::new(
        format!("{FOLDER}/{}", header_name(entry)),
        include(entry, source),
    )
}

fn header_name(entry: &Entry) -> String {
    format!("source_{}.h", identifier(&entry.function))
}

/// The text of the header.
fn include(entry: &Entry, source: &str) -> String {
    let failing = match entry.failing.own {
        Some(_) => failing(&entry.failing.allocators),
        None => String::new(),
    };
    format!(
        "/* The source under test; -DUNIT_SOURCE='\"FILE\"' names another. */\n\
         #pragma GCC system_header\n#ifndef UNIT_SOURCE\n#define UNIT_SOURCE \"{source}\"\n#endif\n\
         {failing}#define main main_of_the_program\n#include UNIT_SOURCE\n#undef main\n"
    )
}

/// What a test calls a function that gives memory unless it is to fail.
fn failing_name(allocator: &str) -> String {
    format!("unit_{allocator}")
}

/// What makes allocations of the source fail: macros, and where the source removes them (`#undef malloc`)
/// names of symbols.
fn failing(allocators: &[Allocator]) -> String {
    // A compiler leaves out an allocation that it sees through, one that fails too. It takes a function
    // named `malloc` for one that reads no variables.
    let word = "__attribute__((used, noinline))";
    let mut text = "\n/* The allocation of the source with the number unit_failing fails. */\n\
         static __attribute__((unused)) volatile unsigned unit_allocations, unit_failing;\n"
        .to_owned();
    for one in allocators {
        let name = &one.name;
        let (own, real) = (failing_name(name), format!("unit_real_{name}"));
        let fails = "++unit_allocations == unit_failing";
        let _ = writeln!(text, "extern {} __asm__(\"{own}\");", one.declared(name));
        let _ = writeln!(text, "extern {} __asm__(\"{name}\");", one.declared(&real));
        let _ = writeln!(text, "extern {};", one.declared(&own));
        let _ = write!(text, "{word} {}", one.defined(&own, &real, fails));
    }
    for Allocator { name, .. } in allocators {
        let _ = writeln!(text, "#define {name} {}", failing_name(name));
    }
    text.push('\n');
    text
}

/// The body of a test, or why there is none.
fn test(call: &Call<'_>, case: &TestCase) -> Result<String, String> {
    if case.confirmed != Confirmation::Confirmed {
        return Err("the plain build did not repeat it".to_owned());
    }
    if case.outcome != Outcome::Exit(0) {
        return Err(case.outcome.to_string());
    }
    let returned = case
        .results
        .iter()
        .find(|one| one.place as usize == RETURNED);
    let returned = returned.ok_or_else(|| {
        "it does not return, fails under AddressSanitizer, or ends otherwise with other memory around its objects".to_owned()
    })?;
    if call.entry().source.is_none() {
        return Err("there is no debug information of its source".to_owned());
    }
    let failed = case.results.iter().find(|one| one.place as usize == FAILED);
    if failed.is_some_and(|failed| failed.bytes.get(1).is_some_and(|other| *other != 0)) {
        return Err("an allocation of another source fails".to_owned());
    }
    let arguments = Arguments::of(call)?;
    Ok(arguments.statements(returned, &case.results))
}

/// A text that neither ends a comment nor begins another.
fn in_comment(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *")
}

/// A name for C and for files.
fn identifier(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    name.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_has_neither_its_end_nor_its_beginning_inside() {
        for (text, expected) in [("a/*b*/c", "a/ *b* /c"), ("*/*", "* / *"), ("/*/", "/ * /")] {
            assert_eq!(in_comment(text), expected);
        }
    }
}
