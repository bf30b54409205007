//! A unit at work: its session, its explorer, its failures.

use std::any::Any;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use labrys_engine::{End, Error, Mode, Session, run};
use labrys_expr::{ExprId, Pool};
use labrys_program::{FunctionId, Program};
use labrys_suite::{Coverage, Input};

use crate::bind::Formula;
use crate::explore::Explorer;
use crate::line::Line;
use crate::nearness::Focus;
use crate::summary::{LEAVES, Path, Reading, branch_coverage};
use crate::workshop::{Bench, BoundFunction};

/// Failing paths of one line that are composed.
const MOST_CUBES: usize = 6;

/// What a unit is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    /// Its function is tested. None of its calls is bound: the binders of all callees are ten times
    /// as large as the unit.
    Tested,
    /// It is composed with what failed in callees, whose calls are bound.
    Caller,
}

/// See the module.
pub(crate) struct Unit {
    /// The function, in the program.
    pub(crate) function: FunctionId,
    /// The function, in the unit's program.
    own: Option<FunctionId>,
    pub(crate) session: Session,
    pub(crate) explorer: Explorer,
    pub(crate) objects: Option<u16>,
    pub(crate) leaves: u32,
    bound: Vec<BoundFunction>,
    ending: Ending,
    /// Of the session.
    _held: Box<dyn Any>,
}

/// How an exploration ended.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ending {
    /// All queries were asked.
    Whole,
    /// Its time was over.
    Cut,
    /// The hunt ended it, or it has not begun.
    Stopped,
}

impl Unit {
    /// A unit of a function, or the whole program.
    pub(crate) fn new(bench: Bench, function: FunctionId, program: &Program, seed: u64) -> Self {
        let name = program.function(function).map(|one| one.name.as_str());
        let own = name.and_then(|name| bench.session.program().function_named(name));
        let reading = Reading {
            own,
            bound: bench.bound.iter().map(|one| one.function).collect(),
        };
        let mut session = bench.session;
        // What is known of a unit that is tested is kept, with what it rests on.
        if bench.bound.is_empty() && bench.objects.is_some() {
            session.record(Mode::Calls);
        }
        Unit {
            function,
            own,
            session,
            explorer: Explorer::new(reading, seed),
            objects: bench.objects,
            leaves: bench.leaves,
            bound: bench.bound,
            ending: Ending::Stopped,
            _held: bench.held,
        }
    }

    /// Whether it is the whole program.
    pub(crate) fn is_whole(&self) -> bool {
        self.objects.is_none()
    }

    /// What it is for.
    pub(crate) fn role(&self) -> Role {
        match self.bound.is_empty() {
            true => Role::Tested,
            false => Role::Caller,
        }
    }

    /// Whether the calls of a function are bound in it.
    pub(crate) fn binds(&self, callee: FunctionId) -> bool {
        self.bound.iter().any(|one| one.function == callee)
    }

    /// Explores, with so many queries and so much time.
    pub(crate) fn explore(
        &mut self,
        focus: Option<Focus>,
        queries: u32,
        time: Option<Duration>,
    ) -> Result<(), Error> {
        self.explorer.focus(focus);
        self.explorer
            .allow(queries, time.map(|time| Instant::now() + time));
        let begun = Instant::now();
        let end = run(&mut self.session, &mut self.explorer)?;
        self.explorer.focus(None);
        let is_late = time.is_some_and(|time| begun.elapsed() >= time);
        self.ending = match end {
            End::Exhausted if is_late => Ending::Cut,
            End::Exhausted => Ending::Whole,
            _ => Ending::Stopped,
        };
        Ok(())
    }

    /// How the last exploration ended.
    pub(crate) fn ending(&self) -> Ending {
        self.ending
    }

    /// The inputs of all runs that are known.
    pub(crate) fn inputs(&self) -> Vec<Input> {
        let paths = self.paths().iter().map(|path| &path.input);
        let failures = self.session.failures().iter().map(|one| &one.input);
        let mut inputs: Vec<Input> = Vec::new();
        for input in paths.chain(failures) {
            if !inputs.contains(input) {
                inputs.push(input.clone());
            }
        }
        inputs
    }

    /// The names of all functions that runs called, in the unit's program, if that is known. Inputs of
    /// failures that were made smaller are run once more for it.
    pub(crate) fn called(&mut self) -> Result<Option<BTreeSet<String>>, Error> {
        let failures = self.session.failures().iter();
        let smaller: Vec<Input> = failures.map(|one| one.input.clone()).collect();
        for input in smaller {
            if self.paths().iter().all(|path| path.input != input) {
                let trace = self.session.trace_again(&input, Mode::Calls)?;
                self.explorer.note_calls(trace.as_ref());
                if let Some(trace) = trace {
                    self.session.recycle(trace);
                }
            }
        }
        let program = self.session.program();
        let name = |function: &FunctionId| Some(program.function(*function)?.name.clone());
        let called = self.explorer.called();
        Ok(called.and_then(|called| called.iter().map(name).collect()))
    }

    pub(crate) fn paths(&self) -> &[Arc<Path>] {
        self.explorer.summary.paths()
    }

    pub(crate) fn pool(&mut self) -> &mut Pool {
        &mut self.explorer.summary.pool
    }

    /// A condition on the leaves of a callee, in words.
    pub(crate) fn described(&self, callee: FunctionId, condition: ExprId) -> String {
        let text = self.explorer.summary.pool.display(condition).to_string();
        let bound = self.bound.iter().find(|one| one.function == callee);
        let stem = format!("in{LEAVES}_");
        let mut parts = text.split(stem.as_str());
        let mut words = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let digits = part.find(|c: char| !c.is_ascii_digit());
            let (number, rest) = part.split_at(digits.unwrap_or(part.len()));
            let name = bound.and_then(|bound| bound.byte(number.parse().ok()?));
            words.push_str(&name.unwrap_or_else(|| format!("{stem}{number}")));
            words.push_str(rest);
        }
        words
    }

    /// Branch coverage of the function, in percent.
    pub(crate) fn coverage(&self) -> Option<f64> {
        branch_coverage(self.session.program(), self.own?, self.session.seen())
    }

    /// The branches that runs took.
    pub(crate) fn seen(&self) -> &Coverage {
        self.session.seen()
    }

    /// The lines at which the unit fails, in the order in which they were found.
    pub(crate) fn lines(&self) -> Vec<Line> {
        Line::all(self.session.failures())
    }

    /// A line as it is in this unit, which fails there: what an earlier hunt kept may have moved.
    pub(crate) fn line(&self, known: &Line) -> Line {
        let has = |line: &Line| known.inputs.iter().any(|input| line.inputs.contains(input));
        let mut lines = self.lines().into_iter();
        lines.find(has).unwrap_or_else(|| known.clone())
    }

    /// The failing paths at a line (ψ of section 3.5.1) as a formula over the unit's inputs.
    pub(crate) fn failing(&mut self, line: &Line) -> Result<Option<Formula>, Error> {
        let mut cubes: Vec<Vec<ExprId>> = Vec::new();
        for input in &line.inputs {
            let Some(path) = self.explorer.read(&mut self.session, input)? else {
                continue;
            };
            let last = |path: &Path| path.steps.last().map(|step| (step.site, step.direction));
            let ends = last(&path);
            let alike = self.paths().iter();
            let alike = alike.filter(|other| other.failed && last(other) == ends);
            let all = [&path].into_iter().chain(alike.map(AsRef::as_ref));
            for path in all.take(MOST_CUBES) {
                let (hard, _) = path.prefix(path.steps.len());
                if !cubes.contains(&hard) && cubes.len() < MOST_CUBES {
                    cubes.push(hard);
                }
            }
        }
        cubes.sort_by_key(Vec::len);
        let Some(objects) = self.objects.filter(|_| !cubes.is_empty()) else {
            return Ok(None);
        };
        let mut formula = self.formula(objects, 1);
        formula.add(&self.explorer.summary.pool, cubes, line.inputs.clone());
        Ok(Some(formula))
    }

    /// A formula over the unit's inputs, without cubes.
    pub(crate) fn formula(&self, objects: u16, depth: u16) -> Formula {
        Formula {
            cubes: Vec::new(),
            examples: Vec::new(),
            pool: Pool::new(),
            objects,
            leaves: self.leaves,
            depth,
        }
    }
}
