//! `labrys cfg`: the control flow of a program as a graph for Graphviz, with the branches that a
//! suite covers marked.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use labrys_program::{BlockId, Function, FunctionId, Operation, Program, SiteId, Terminator};
use labrys_suite::{Coverage, Suite};

use crate::output::console::print;
use crate::output::problem::{Problem, status};
use crate::wiring::build::Builder;
use crate::wiring::subject::{BuildOptions, Subject, hash, is_source, model};

/// Options of `labrys cfg`.
#[derive(Args, Debug)]
#[command(
    about = "Print the control flow as a graph for Graphviz, covered branches marked",
    after_help = "Example: labrys cfg src/grep main --suite labrys-out | dot -Tsvg > main.svg"
)]
pub(crate) struct Cfg {
    /// Executable built by labrys-cc, or a C source
    #[arg(value_name = "PROGRAM|FILE.c")]
    pub(crate) program: PathBuf,

    /// Only this function
    #[arg(value_name = "FUNCTION")]
    pub(crate) function: Option<String>,

    /// Mark what the suite in this folder covers
    #[arg(long, value_name = "DIR")]
    pub(crate) suite: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) build: BuildOptions,
}

const COVERED: &str = "#1a7f37";
const OPEN: &str = "#cf222e";

/// Does what the command says; the exit status.
pub(crate) fn cfg(options: &Cfg) -> Result<u8, Problem> {
    let program = match is_source(&options.program) {
        true => {
            let sources = std::slice::from_ref(&options.program);
            Subject::open(sources, &options.build, &Builder::waiting(false))?.program
        }
        false => model(&options.program, &options.build)?.into(),
    };
    let covered = match &options.suite {
        Some(folder) => Some(coverage(&program, folder)?),
        None => None,
    };
    let chosen = chosen(&program, options.function.as_deref())?;
    let text = graph(&program, &chosen, covered.as_ref());
    print(text)?;
    Ok(status::DONE)
}

/// What a suite of this very program covers.
fn coverage(program: &Program, folder: &std::path::Path) -> Result<Coverage, Problem> {
    let suite = Suite::open(folder)?;
    if suite.config.bitcode_hash != hash(program) {
        return Err(Problem::usage(format!(
            "the suite in {} is of another build of {}; run labrys cover again",
            folder.display(),
            suite.config.program
        )));
    }
    Ok(suite.confirmed_coverage())
}

/// The function with a name, or all that have a body.
fn chosen(program: &Program, name: Option<&str>) -> Result<Vec<FunctionId>, Problem> {
    let all = (0..program.functions.len()).map(FunctionId::new);
    let has_body = |id: &FunctionId| !program.functions[id.index()].blocks.is_empty();
    let Some(name) = name else {
        return Ok(all.filter(has_body).collect());
    };
    match program.function_named(name).filter(has_body) {
        Some(id) => Ok(vec![id]),
        None => Err(Problem::usage(format!(
            "the program has no function {name} with a body; labrys sites lists the functions \
             that decide"
        ))),
    }
}

/// The graph: a box per block, an edge per branch or jump, a frame per function.
fn graph(program: &Program, functions: &[FunctionId], covered: Option<&Coverage>) -> String {
    let mut text = String::from(
        "digraph cfg {\n  node [shape=box, fontname=\"monospace\", fontsize=10];\n  \
         edge [fontname=\"monospace\", fontsize=9];\n",
    );
    for id in functions {
        let function = &program.functions[id.index()];
        let name = quoted(&function.name);
        let _ = writeln!(text, "  subgraph cluster_{} {{\n    label={name};", id.0);
        for (block, _) in function.blocks() {
            let label = label(program, function, block, covered);
            let _ = writeln!(
                text,
                "    f{}b{} [label={}];",
                id.0,
                block.0,
                quoted(&label)
            );
        }
        for (block, _) in function.blocks() {
            edges(&mut text, program, *id, block, covered);
        }
        text.push_str("  }\n");
    }
    text.push_str("}\n");
    text
}

/// A block: its number, where it decides, the functions that it calls, its selects.
fn label(
    program: &Program,
    function: &Function,
    block: BlockId,
    covered: Option<&Coverage>,
) -> String {
    let mut label = format!("b{}", block.0);
    let body = &function.blocks[block.index()];
    for instruction in &body.instructions {
        match &instruction.operation {
            Operation::Call {
                callee: labrys_program::Callee::Direct(callee),
                ..
            } => {
                let name = program
                    .function(*callee)
                    .map_or("?", |function| function.name.as_str());
                let _ = write!(label, "\ncall {name}");
            }
            Operation::Select { site, .. } => {
                let mark = |direction| match branch(program, *site, direction, covered) {
                    Some((_, Some(true))) => "+",
                    Some((_, Some(false))) => "-",
                    _ => "?",
                };
                let _ = write!(
                    label,
                    "\nselect {} (0{} 1{})",
                    place(program, *site),
                    mark(0),
                    mark(1)
                );
            }
            _ => {}
        }
    }
    match (&body.terminator, body.terminator.site()) {
        (_, Some(site)) => {
            let _ = write!(
                label,
                "\n{} {}",
                program.sites[site.index()].kind.name(),
                place(program, site)
            );
        }
        (Terminator::Return(_), None) => label.push_str("\nreturn"),
        _ => {}
    }
    label
}

/// The edges out of a block.
fn edges(
    text: &mut String,
    program: &Program,
    id: FunctionId,
    block: BlockId,
    covered: Option<&Coverage>,
) {
    let function = &program.functions[id.index()];
    let terminator = &function.blocks[block.index()].terminator;
    for (direction, next) in (0..).zip(terminator.successors()) {
        let _ = write!(text, "    f{0}b{1} -> f{0}b{2}", id.0, block.0, next.0);
        let site = terminator.site();
        if let Some((branch, taken)) =
            site.and_then(|site| branch(program, site, direction, covered))
        {
            let style = match taken {
                Some(true) => format!(", color=\"{COVERED}\", penwidth=2"),
                Some(false) => format!(", color=\"{OPEN}\", style=dashed"),
                None => String::new(),
            };
            let _ = write!(text, " [label=\"{direction}: {branch}\"{style}]");
        }
        text.push_str(";\n");
    }
}

/// A branch and, where there is a suite, whether it is covered.
fn branch(
    program: &Program,
    site: SiteId,
    direction: u32,
    covered: Option<&Coverage>,
) -> Option<(u32, Option<bool>)> {
    let branch = program.branch(site, direction)?;
    Some((branch.0, covered.map(|covered| covered.contains(branch))))
}

/// The last part of a file's path, and the line.
fn place(program: &Program, site: SiteId) -> String {
    let location = program.site(site).and_then(|site| site.location);
    let known = location.and_then(|at| Some((program.file(at.file)?, at.line)));
    known.map_or_else(String::new, |(file, line)| {
        let name = file.rsplit('/').next().unwrap_or(file);
        format!("{name}:{line}")
    })
}

/// A string of the DOT language; lines are aligned left.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    let lines = escaped.split('\n').collect::<Vec<_>>();
    match lines.len() {
        1 => format!("\"{escaped}\""),
        _ => format!("\"{}\\l\"", lines.join("\\l")),
    }
}

#[cfg(test)]
mod tests {
    use labrys_program::BranchId;

    use super::*;

    const PROGRAM: &str = "
define i32 @main(i1 v0) external {
b0:
  br v0, b1, b2
b1:
  jump b2
b2:
  ret i32 0
}
";

    #[test]
    fn covered_branches_are_marked() {
        let program: Program = PROGRAM.parse().expect("a program");
        let all = chosen(&program, None).expect("functions");
        let plain = graph(&program, &all, None);
        assert!(plain.contains("f0b0 -> f0b1 [label=\"1: 1\"];"), "{plain}");
        assert!(plain.contains("f0b1 -> f0b2;"), "{plain}");
        let mut covered = Coverage::default();
        covered.insert(BranchId(1));
        let marked = graph(&program, &all, Some(&covered));
        assert!(marked.contains(&format!(
            "[label=\"1: 1\", color=\"{COVERED}\", penwidth=2]"
        )));
        assert!(marked.contains(&format!("[label=\"0: 0\", color=\"{OPEN}\", style=dashed]")));
        assert!(chosen(&program, Some("other")).is_err());
    }

    #[test]
    fn names_are_quoted() {
        assert_eq!(quoted("a\"b\\"), "\"a\\\"b\\\\\"");
        assert_eq!(quoted("a\nb"), "\"a\\lb\\l\"");
    }
}
