//! Phase I by example: each program in `tests/programs` (the text form of the IR) says in comments
//! what the search backward must find of its places. `UPDATE_EXPECT=1` rewrites the comments.
//!
//! The comments stand where their place is, at the beginning of a block or between instructions:
//!
//! ```text
//! b1:
//!   ; reach: input 2a, coarse      ; the machine of `semantics` gets here on this input
//!   ; path: b0 b1                  ; only where the file has such a line, blocks from the entry
//!   ; constraint: (= v0 #x2a)      ; likewise, what is asked at the end of the path
//!   ; counts: segments 2, …        ; likewise, of the last pass
//! b2:
//!   ; reach: unreachable, merged   ; and the pass that proves it
//! b3:
//!   ; reach: open: loop b2 of @main; reached by 07
//! ```
//!
//! An open place names what the path leaves to phase II or what stands against a proof, and what
//! all inputs do, where they can be tried. `; loop bound: N` on a line of its own sets the bound
//! of the last passes, which is [`LOOP_BOUND`] otherwise; `; first pass: NAME` leaves out the
//! passes before one, to show what that one does. `PROGRAMS=name,name` restricts the tests to some
//! of the programs.
//!
//! Law: whatever a comment asks for, no proof of any pass for any block contradicts a run
//! ([`no_proof_contradicts_a_run`]).

mod phase_one;
#[allow(dead_code, reason = "it serves the tests of `abstraction` as well")]
mod runs;
mod script;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use labrys_program::{BlockId, FunctionId, Program};

use runs::{Attack, Place};
use script::Script;

/// Iterations of a loop in the last passes.
const LOOP_BOUND: u32 = 3;
/// Programs that are there at least.
const PROGRAMS: usize = 120;

/// A program with its comments.
struct Case {
    file: PathBuf,
    text: String,
    program: Program,
    script: Script,
    entry: FunctionId,
}

impl Case {
    fn read(file: PathBuf) -> Result<Self, String> {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let text = std::fs::read_to_string(&file).map_err(|error| format!("{name}: {error}"))?;
        let program: Program = text.parse().map_err(|error| format!("{name}: {error}"))?;
        if let Err(violations) = program.verify() {
            let lines = violations.iter().map(|one| format!("{name}: {one}\n"));
            return Err(lines.collect());
        }
        let script = Script::of(&program, &text).map_err(|error| format!("{name}:{error}"))?;
        let entry = program.function_named("main");
        let entry = entry.ok_or_else(|| format!("{name}: there is no main"))?;
        Ok(Case {
            file,
            text,
            program,
            script,
            entry,
        })
    }

    /// The text with the comments as they should be.
    fn found(&self) -> String {
        let blocks = Attack::on(&self.program, self.entry, None);
        let mut answers = Vec::new();
        for target in &self.script.targets {
            let within;
            let attack = if target.place.instruction == 0 {
                &blocks
            } else {
                within = Attack::on(&self.program, self.entry, Some(target.place));
                &within
            };
            let verdict = phase_one::decide(
                &self.program,
                self.entry,
                target.place,
                self.script.bound,
                &self.script.first_pass,
            );
            answers.push(verdict.comments(&self.program, target.place, attack));
        }
        self.script.rewritten(&self.text, &answers)
    }

    /// Proofs that a run contradicts.
    fn wrong_proofs(&self) -> Vec<String> {
        let attack = Attack::on(&self.program, self.entry, None);
        let mut wrong = Vec::new();
        for (index, function) in self.program.functions.iter().enumerate() {
            for (block, _) in function.blocks() {
                let place = Place {
                    function: FunctionId::new(index),
                    block,
                    instruction: 0,
                };
                let Some(input) = attack.reaches(place) else {
                    continue;
                };
                let proofs = phase_one::proofs(&self.program, self.entry, place, self.script.bound);
                let name = self.file.file_name().unwrap_or_default().to_string_lossy();
                wrong.extend(proofs.into_iter().map(|pass| {
                    let input = runs::hexadecimal(input);
                    let function = &function.name;
                    format!("{name}: {block} of @{function} is reached by {input}, pass {pass} proves it unreachable")
                }));
            }
        }
        wrong
    }
}

/// Works on all programs, on two processors; what was wrong, in the order of the files.
fn of_all(work: impl Fn(&Case) -> Vec<String> + Sync) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let entries = std::fs::read_dir(folder).expect("the folder of programs");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "lir"))
        .collect();
    assert!(files.len() >= PROGRAMS, "only {} programs", files.len());
    if let Ok(names) = std::env::var("PROGRAMS") {
        let names: Vec<&str> = names.split(',').collect();
        let is_named = |path: &PathBuf| {
            path.file_stem()
                .is_some_and(|stem| names.iter().any(|one| stem == *one))
        };
        files.retain(is_named);
    }
    files.sort();
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let problems = match Case::read(file.clone()) {
                        Ok(case) => work(&case),
                        Err(message) => vec![message],
                    };
                    let mut all = wrong.lock().expect("no panic");
                    all.extend(problems.into_iter().map(|problem| (file, problem)));
                }
            });
        }
    });
    let mut wrong = wrong.into_inner().expect("no panic");
    wrong.sort_by_key(|(file, _)| *file);
    wrong.into_iter().map(|(_, problem)| problem).collect()
}

#[test]
fn verdicts_are_as_the_programs_say() {
    let bless = std::env::var_os("UPDATE_EXPECT").is_some();
    let wrong = of_all(|case| {
        let found = case.found();
        if bless {
            std::fs::write(&case.file, found).expect("a writable folder");
            return Vec::new();
        }
        script::differences(&case.file, &case.text, &found)
    });
    assert!(
        wrong.is_empty(),
        "\n{}\nUPDATE_EXPECT=1 accepts",
        wrong.join("\n")
    );
}

#[test]
fn no_proof_contradicts_a_run() {
    let wrong = of_all(Case::wrong_proofs);
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The name of a block, with its function where that is not the one that is spoken of.
fn block_name(program: &Program, here: FunctionId, function: FunctionId, block: BlockId) -> String {
    let name = program.function(function).map_or("", |found| &found.name);
    if function == here {
        block.to_string()
    } else {
        format!("@{name}/{block}")
    }
}
