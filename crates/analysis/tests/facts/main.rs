//! Facts by example: each program in `tests/programs` (the text form of the IR) says in comments
//! what the analyses must find. `UPDATE_EXPECT=1` rewrites them.
//!
//! ```text
//! ; obstacles: none                 ; reasons against any proof
//! ; local obstacles: none           ; those against proofs by parts of it
//! ; interference: writes @g         ; what signal handlers may do at any time
//! ; values @state+0 4: 0 1 2        ; numbers of a part of a variable: offset, size
//! ; shared: @g                      ; internal variables whose address others can have
//! define void @f(ptr v0) internal {
//! ; counter v1: 0 1 2              ; numbers of a phi at the header of a loop
//! ; impossible: s0 direction 1      ; branches that no values lead to
//! ; effects: writes *v0             ; of the function and what it calls
//! ; gives: a new object             ; what it returns, if that is one whenever it is called
//! ; shared: v1                      ; objects of its frame whose address others can have
//! ; calls: depth 1                  ; calls from main at least; whether outside code calls it
//! ; loops: b1 [b1 b2]               ; headers with their blocks
//! b0:
//!   ; effects: writes @g            ; of the block with the calls in it
//! ```

use std::path::Path;

use labrys_analysis::{Effects, NumberSet, ProgramAnalysis};
use labrys_program::{BlockId, FunctionId, GlobalId, Operation, Program, ValueId};

/// Programs that are there at least.
const PROGRAMS: usize = 20;

/// Where a comment stands: in a function, in a block of it.
#[derive(Clone, Copy, Default)]
struct Place {
    function: Option<FunctionId>,
    block: Option<BlockId>,
}

struct Facts<'p> {
    program: &'p Program,
    analysis: ProgramAnalysis<'p>,
}

impl Facts<'_> {
    /// What a comment with this key must say; `None` for other comments.
    fn answer(&self, key: &str, place: Place) -> Option<String> {
        let mut words = key.split(' ');
        let found = match (words.next()?, place.function, place.block) {
            ("obstacles", ..) => self.analysis.obstacles().join(", "),
            ("local", ..) => self.analysis.local_obstacles().join(", "),
            ("interference", ..) => self.effects(self.analysis.interference()),
            ("values", ..) => self.values(words.next()?, words.next()?)?,
            ("effects", Some(function), Some(block)) => {
                let effects = self.analysis.effects_of_block(function, block);
                let mut text = self.effects(effects.effects());
                for object in effects.own_objects() {
                    text.push_str(&format!("; writes {object}"));
                }
                text.trim_start_matches("; ").to_owned()
            }
            ("effects", Some(function), None) => self.effects(self.analysis.effects(function)),
            ("shared", None, _) => self.shared_globals(),
            ("shared", Some(function), None) => self.shared_objects(function),
            ("counter", Some(function), None) => {
                let phi = words.next()?.strip_prefix('v')?.parse().ok()?;
                match self.analysis.counter(function, ValueId(phi)) {
                    None => "any".to_owned(),
                    Some(NumberSet::Few(all)) => {
                        let all: Vec<String> = all.iter().map(u64::to_string).collect();
                        all.join(" ")
                    }
                    Some(NumberSet::Between { unsigned, signed }) => format!(
                        "{} to {}, signed {} to {}",
                        unsigned.0, unsigned.1, signed.0, signed.1
                    ),
                }
            }
            ("gives", Some(function), None) => match self.analysis.gives_new_object(function) {
                true => "a new object".to_owned(),
                false => String::new(),
            },
            ("calls", Some(function), None) => self.calls(function),
            ("impossible", Some(function), None) => self.impossible(function),
            ("loops", Some(function), None) => self.loops(function),
            _ => return None,
        };
        Some(if found.is_empty() {
            "none".to_owned()
        } else {
            found
        })
    }

    fn effects(&self, effects: &Effects) -> String {
        let name = |global| &self.program.globals[global as usize].name;
        let mut written: Vec<String> = Vec::new();
        written.extend(
            effects
                .written_globals()
                .iter()
                .map(|one| format!("@{}", name(one.0))),
        );
        written.extend(
            effects
                .written_parameters()
                .iter()
                .map(|one| format!("*v{one}")),
        );
        written.extend(
            effects
                .writes_anywhere()
                .then(|| "what pointers lead to".to_owned()),
        );
        let mut parts = Vec::new();
        if !written.is_empty() {
            parts.push(format!("writes {}", written.join(", ")));
        }
        let flags = [
            (effects.writes_streams(), "writes streams"),
            (effects.sets_errno(), "sets errno"),
            (effects.may_stop(), "may stop"),
            (effects.makes_inputs(), "makes inputs"),
            (effects.may_repeat(), "may repeat"),
            (effects.runs_outside_code(), "runs outside code"),
        ];
        parts.extend(
            flags
                .iter()
                .filter(|flag| flag.0)
                .map(|flag| flag.1.to_owned()),
        );
        parts.extend(
            effects
                .unknown()
                .iter()
                .map(|name| format!("unknown: {name}")),
        );
        parts.join("; ")
    }

    /// Of `@name+offset size`.
    fn values(&self, part: &str, size: &str) -> Option<String> {
        let (name, offset) = part.strip_prefix('@')?.split_once('+')?;
        let global = self.program.global_named(name)?;
        let part = (offset.parse().ok()?, size.parse().ok()?);
        let numbers = self.analysis.global_values(global, part);
        Some(numbers.map_or("any".to_owned(), |numbers| {
            let numbers: Vec<String> = numbers.iter().map(u128::to_string).collect();
            numbers.join(" ")
        }))
    }

    fn shared_globals(&self) -> String {
        let globals = (0u32..).map(GlobalId).zip(&self.program.globals);
        let shared = globals.filter(|(id, _)| self.analysis.is_shared(*id));
        let names: Vec<String> = shared.map(|(_, one)| format!("@{}", one.name)).collect();
        names.join(" ")
    }

    fn shared_objects(&self, function: FunctionId) -> String {
        let body = self.analysis.body(function);
        let blocks = self.program.functions[function.index()].blocks();
        let objects = blocks
            .flat_map(|(_, block)| &block.instructions)
            .filter(|one| matches!(one.operation, Operation::Allocate { .. }))
            .filter_map(|one| one.result)
            .filter(|object| !body.is_private(*object));
        let names: Vec<String> = objects.map(|object| object.to_string()).collect();
        names.join(" ")
    }

    fn calls(&self, function: FunctionId) -> String {
        let outside = self.analysis.is_called_from_outside(function);
        match self.analysis.depth(function) {
            _ if outside => "from outside".to_owned(),
            Some(depth) => format!("depth {depth}"),
            None => "never".to_owned(),
        }
    }

    fn impossible(&self, function: FunctionId) -> String {
        let branches = self.analysis.impossible_branches().branches.iter();
        let names = branches.filter_map(|branch| {
            let (id, direction) = self.program.branch_site(*branch)?;
            let is_own = self.program.site(id)?.function == function;
            is_own.then(|| format!("{id} direction {direction}"))
        });
        names.collect::<Vec<_>>().join(", ")
    }

    fn loops(&self, function: FunctionId) -> String {
        let body = self.analysis.body(function);
        let blocks = self.program.functions[function.index()].blocks();
        let mut loops = Vec::new();
        for (header, _) in blocks {
            let Some(found) = body.loop_at(header) else {
                continue;
            };
            let mut inside: Vec<BlockId> = found.blocks().iter().copied().collect();
            inside.sort();
            let inside: Vec<String> = inside.iter().map(BlockId::to_string).collect();
            loops.push(format!("{header} [{}]", inside.join(" ")));
        }
        if body.is_irreducible() {
            loops.push("a cycle with several entries".to_owned());
        }
        loops.join(", ")
    }
}

/// The text with its comments as they must be.
fn found(text: &str) -> Result<String, String> {
    let program: Program = text.parse().map_err(|error| format!("{error}"))?;
    if let Err(violations) = program.verify() {
        let lines = violations.iter().map(|one| format!("{one}\n"));
        return Err(lines.collect());
    }
    let main = program.function_named("main").ok_or("there is no main")?;
    let facts = Facts {
        program: &program,
        analysis: ProgramAnalysis::new(&program, main),
    };
    let mut place = Place::default();
    let (mut written, mut answers) = (String::new(), 0);
    for line in text.lines() {
        let words = line.trim_start();
        if let Some((_, rest)) = line
            .strip_prefix("define ")
            .and_then(|line| line.split_once('@'))
        {
            let name = rest.split('(').next().unwrap_or_default();
            place.function = program.function_named(name);
            place.block = None;
        } else if line == "}" {
            place = Place::default();
        } else if let Some(number) = line
            .strip_prefix('b')
            .and_then(|line| line.strip_suffix(':'))
        {
            place.block = number.parse().ok().map(BlockId);
        }
        let key = words
            .strip_prefix("; ")
            .and_then(|comment| comment.split_once(':'));
        match key.and_then(|(key, _)| Some((key, facts.answer(key, place)?))) {
            Some((key, answer)) => {
                let indent = &line[..line.len() - words.len()];
                written.push_str(&format!("{indent}; {key}: {answer}\n"));
                answers += 1;
            }
            None => {
                written.push_str(line);
                written.push('\n');
            }
        }
    }
    if answers == 0 {
        return Err("nothing is expected of it".to_owned());
    }
    Ok(written)
}

#[test]
fn facts_are_as_the_programs_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let bless = std::env::var_os("UPDATE_EXPECT").is_some();
    let (mut count, mut wrong) = (0, Vec::new());
    for entry in std::fs::read_dir(folder).expect("the folder of programs") {
        let file = entry.expect("an entry").path();
        if file.extension().is_none_or(|extension| extension != "lir") {
            continue;
        }
        count += 1;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let text = std::fs::read_to_string(&file).expect("a text");
        match found(&text) {
            Err(message) => wrong.push(format!("{name}: {message}")),
            Ok(found) if bless => std::fs::write(&file, found).expect("a writable folder"),
            Ok(found) => {
                let lines = text.lines().zip(found.lines()).enumerate();
                let differing = lines.filter(|(_, (expected, found))| expected != found);
                wrong.extend(differing.map(|(number, (expected, found))| {
                    let (expected, found) = (expected.trim(), found.trim());
                    format!(
                        "{name}:{}: expected {expected}\n    found {found}",
                        number + 1
                    )
                }));
            }
        }
    }
    assert!(count >= PROGRAMS, "only {count} programs");
    assert!(
        wrong.is_empty(),
        "\n{}\nUPDATE_EXPECT=1 accepts",
        wrong.join("\n")
    );
}
