//! Phase II for one path: the input is adjusted by executing the path (dissertation, section 4.3),
//! and the program has the last word.
//!
//! Executions are counted, and their instructions: a path whose loops take long gets fewer of
//! them. Long executions run as machine code where they can, of which the interpreter's time is
//! counted.

use labrys_engine::{Error, Session};
use labrys_executor::Linked;
use labrys_semantics::Limit;

use crate::adjust::{Variable, adjust};
use crate::follow::{Fitness, Means, Trace, follow};
use crate::search::Path;
use crate::technique::Symcretic;

/// Executions for one path, and for one target: short ones, then long ones.
const EVALUATIONS: [u64; 2] = [2500, 500];
const MAX_EVALUATIONS: u64 = 12_000;
/// Instructions of a short and of a long execution, and frames.
const STEPS: [u64; 2] = [16_000, 400_000];
const DEPTH: usize = 200;
/// The longest execution.
const LONGEST: Effort = Effort {
    steps: 100_000_000,
    interpreted: 4_000_000,
};
/// Work of all long executions of a path, and of those of a target.
const MAX_EXECUTED: [u64; 2] = [200_000_000, 800_000_000];
/// Instructions that machine code executes while one is interpreted.
const FASTER: u64 = 25;

/// What an execution may take.
#[derive(Clone, Copy)]
struct Effort {
    /// Instructions.
    steps: u64,
    /// Those that are interpreted.
    interpreted: u64,
}

impl Effort {
    /// So many instructions, in whatever way.
    fn of(steps: u64) -> Self {
        Effort {
            steps,
            interpreted: u64::MAX,
        }
    }
}

/// What an execution took, in instructions that are interpreted.
fn work(fitness: &Fitness) -> u64 {
    let in_code = fitness.steps.saturating_sub(fitness.interpreted);
    fitness.interpreted + in_code / FASTER
}

impl Symcretic<'_> {
    /// Phase II: adjusts the input until the path executes itself.
    pub(crate) fn execute_path(
        &mut self,
        session: &mut Session,
        path: &Path,
        widths: &[Vec<u32>],
        mut values: Vec<u128>,
    ) -> Result<(), Error> {
        let current = self.current;
        let start = self.input(&objects(widths, &values));
        let variables: Vec<Variable> = widths
            .iter()
            .flatten()
            .map(|width| Variable { width: *width })
            .collect();
        for (budget, effort) in self.rounds(path, widths, &values) {
            let spent = self.reports[current].evaluations;
            let budget = budget.min(MAX_EVALUATIONS.saturating_sub(spent));
            let mut executed = 0;
            let mut evaluate = |values: &[u128]| {
                let fitness = self.execute(path, &objects(widths, values), effort);
                executed += work(&fitness);
                fitness
            };
            // Not the same draws as before.
            let seed = session.seed() ^ spent.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let found = adjust(&variables, values, budget, seed, &mut evaluate);
            self.count(executed);
            self.reports[current].evaluations += found.evaluations;
            values = found.values;
            let input = self.input(&objects(widths, &values));
            if found.fitness == 0.0 {
                if self.try_input(session, &input)? {
                    self.note_path(current, path.clone());
                    return Ok(());
                }
                self.reports[current].diverged += 1;
            }
            self.remember(input);
            let crashed = self.linked.as_mut().is_some_and(Linked::take_crash);
            if (!found.known || crashed) && self.try_input(session, &start)? {
                // What the machine cannot execute only the program itself can.
                self.note_path(current, path.clone());
                return Ok(());
            }
            if !found.known || found.fitness == 0.0 {
                break;
            }
        }
        self.remember(start);
        Ok(())
    }

    /// How many executions of what effort are tried.
    fn rounds(&mut self, path: &Path, widths: &[Vec<u32>], values: &[u128]) -> Vec<(u64, Effort)> {
        if let Some(linked) = &mut self.linked {
            linked.give_time();
        }
        let usual = EVALUATIONS.into_iter().zip(STEPS.map(Effort::of));
        let first = self.execute(path, &objects(widths, values), Effort::of(STEPS[0]));
        self.count(work(&first));
        let spent = self.reports[self.current].executed;
        let is_long = first.cut || work(&first) > STEPS[0];
        if !is_long || spent > MAX_EXECUTED[1] {
            return usual.collect();
        }
        let mut whole = first;
        if first.cut {
            whole = self.execute(path, &objects(widths, values), LONGEST);
            self.count(work(&whole));
        }
        if whole.cut {
            return usual.collect();
        }
        // Another input may take longer.
        let effort = Effort {
            steps: 2 * whole.steps,
            interpreted: 2 * whole.interpreted.max(STEPS[0]),
        };
        let left = MAX_EXECUTED[0].min(MAX_EXECUTED[1].saturating_sub(spent));
        vec![(left / work(&whole).max(1), effort)]
    }

    fn execute(&mut self, path: &Path, objects: &[Vec<u8>], effort: Effort) -> Fitness {
        let trace = Trace {
            entry: self.settings.entry,
            hops: &path.hops,
            target: path.target,
        };
        let limit = Limit {
            steps: effort.steps,
            interpreted: effort.interpreted,
            depth: DEPTH,
        };
        let means = Means {
            external: self.settings.external,
            code: (effort.steps > STEPS[0]).then_some(&mut self.code),
            linked: self.linked.as_mut(),
        };
        follow(self.image.program(), trace, objects, limit, means)
    }

    fn count(&mut self, executed: u64) {
        self.executed += executed;
        self.reports[self.current].executed += executed;
    }
}

/// The bytes of input objects from the values of their parts.
pub(crate) fn objects(widths: &[Vec<u32>], values: &[u128]) -> Vec<Vec<u8>> {
    let mut values = values.iter();
    widths
        .iter()
        .map(|parts| {
            let mut bytes = Vec::new();
            for width in parts {
                let value = values.next().copied().unwrap_or(0);
                bytes.extend(&value.to_le_bytes()[..(*width / 8) as usize]);
            }
            bytes
        })
        .collect()
}
