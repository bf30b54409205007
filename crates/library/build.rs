//! Writes the macros that list functions by name, from the same rows that the crate reads when it
//! runs. A mistake in a row ends the build.

use std::fmt::Write;
use std::path::PathBuf;
use std::{env, fs};

use facts::{Function, Mark, Type};

#[path = "src/facts.rs"]
#[allow(dead_code, unreachable_pub)]
mod facts;
#[path = "src/files.rs"]
mod files;
#[path = "src/parse.rs"]
mod parse;

fn main() {
    println!("cargo:rerun-if-changed=src");
    let mut functions: Vec<Function> = Vec::new();
    for (file, text) in files::FILES {
        match parse::parse(text) {
            Ok(rows) => functions.extend(rows),
            Err(problem) => panic!("src/functions/{file}.txt: {problem}"),
        }
    }
    let mut text = String::new();
    let pure = functions.iter().filter(|row| row.is_call());
    list(&mut text, "pure_functions", PURE, pure.map(prototype));
    let operations = functions.iter().filter(|row| row.is_operation());
    let operations = operations.map(prototype);
    list(&mut text, "operation_functions", OPERATION, operations);
    let repeatable = functions.iter().filter(|row| row.has(Mark::Repeatable));
    let repeatable = repeatable.map(|row| {
        let wrapper = row.model().unwrap_or_default();
        format!("{:?} {wrapper}", row.name())
    });
    list(&mut text, "repeatable_functions", REPEATABLE, repeatable);
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(PathBuf::from(out).join("lists.rs"), text).expect("the folder is there");
}

const PURE: &str = "Expands `callback! { name(parameter: type, …) -> type; … }` over the pure \
    functions that expressions call.";
const OPERATION: &str = "Expands `callback! { name(parameter: type, …) -> type; … }` over the \
    functions that expressions have operations for.";
const REPEATABLE: &str = "Expands `callback! { \"name\" wrapper; … }` over the functions of clock \
    and randomness that the runtime replaces in every build.";

fn list(text: &mut String, name: &str, about: &str, rows: impl Iterator<Item = String>) {
    let rows: Vec<String> = rows.map(|row| format!("            {row};\n")).collect();
    let rows = rows.concat();
    let _ = write!(
        text,
        "/// {about}\n#[macro_export]\nmacro_rules! {name} {{\n    ($callback:ident) => {{\n        \
         $callback! {{\n{rows}        }}\n    }};\n}}\n\n"
    );
}

/// A function of numbers, as Rust declares it.
fn prototype(function: &Function) -> String {
    let of = |ty: Type| match ty {
        Type::Int(32) => "i32",
        Type::Int(64) => "i64",
        Type::Float => "f32",
        Type::Double => "f64",
        _ => panic!("{}: pure functions take and give numbers", function.name()),
    };
    let parameters = function.parameters().iter();
    let parameters: Vec<String> = parameters
        .map(|parameter| format!("{}: {}", parameter.name, of(parameter.ty)))
        .collect();
    let result = of(function.result());
    format!("{}({}) -> {result}", function.name(), parameters.join(", "))
}
