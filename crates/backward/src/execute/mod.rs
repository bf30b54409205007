//! Phase II for one path: the input is adjusted by executing the path (dissertation, section 4.3).
//!
//! Executions are counted, and their instructions: a path whose loops take long gets fewer of
//! them. Long executions run as machine code where they can; their work is the time of the
//! interpreter.

mod adjust;
mod follow;
mod layout;
mod linked;

use labrys_executor::Linked;
use labrys_program::{FunctionId, Program};
use labrys_semantics::{External, Limit, NativeCode};
use labrys_suite::Input;

use crate::path::Path;
use follow::{Fed, Fitness, Means, TraceProgram, follow};

pub(crate) use adjust::Adjusted;
pub(crate) use layout::{InputLayout, KnownPart};

use layout::InputGlobals;

/// Executions for one path, and for one target: short ones, then long ones.
const EVALUATIONS: [u64; 2] = [2500, 500];
const MAX_EVALUATIONS: u64 = 12_000;
/// Executions that do not end, for one path of which little is known.
const ENDLESS: u64 = 250;
/// Instructions of a short and of a long execution, and frames.
const STEPS: [u64; 2] = [16_000, 400_000];
const DEPTH: usize = 200;
/// The longest execution.
const LONGEST: Effort = Effort {
    steps: 100_000_000,
    interpreted: 4_000_000,
};
/// Work of all long executions of a path, and of those of a target.
const MAX_PATH_WORK: u64 = 200_000_000;
const MAX_TARGET_WORK: u64 = 800_000_000;
/// Instructions that machine code executes while one is interpreted.
const FASTER: u64 = 25;

/// How long an execution may take.
#[derive(Clone, Copy)]
struct Effort {
    /// Instructions.
    steps: u64,
    /// Those that are interpreted.
    interpreted: u64,
}

impl Effort {
    /// So many instructions, interpreted or not.
    fn of(steps: u64) -> Self {
        Effort {
            steps,
            interpreted: u64::MAX,
        }
    }
}

/// What one adjustment may do.
#[derive(Clone, Copy)]
pub(crate) struct Trial<'a> {
    pub(crate) attempt: &'a Attempt,
    /// Executions that were made for the target before.
    pub(crate) evaluated: u64,
    pub(crate) seed: u64,
}

/// So many executions of some effort.
pub(crate) struct Attempt {
    evaluations: u64,
    effort: Effort,
}

/// Executes paths of a program.
pub(crate) struct PhaseTwo<'p> {
    program: &'p Program,
    entry: FunctionId,
    /// Computes functions of libm.
    external: External,
    /// The machine code of long executions.
    code: NativeCode,
    /// Calls the functions that the program is linked with.
    linked: Option<Linked>,
    globals: InputGlobals,
    /// The command line, the program's name first.
    line: Vec<String>,
    work: u64,
}

impl<'p> PhaseTwo<'p> {
    pub(crate) fn new(program: &'p Program, entry: FunctionId, external: External) -> Self {
        PhaseTwo {
            program,
            entry,
            external,
            code: NativeCode::new(),
            linked: None,
            globals: InputGlobals::of(program),
            line: Vec::new(),
            work: 0,
        }
    }

    /// Calls the functions that the program is linked with.
    pub(crate) fn link(&mut self, linked: Linked) {
        self.linked = Some(linked);
    }

    /// Runs get this command line, the program's name first.
    pub(crate) fn set_line(&mut self, line: Vec<String>) {
        self.line = line;
    }

    /// Whether paths may say something of inputs like this one.
    pub(crate) fn shows(&self, input: &Input) -> bool {
        self.globals.shows(input)
    }

    /// How far an input is from taking a path.
    pub(crate) fn distance(&mut self, path: &Path, layout: &InputLayout, values: &[u128]) -> f64 {
        let fitness = self.execute(path, layout, values, Effort::of(STEPS[0]));
        self.work += fitness.work();
        fitness.value
    }

    /// Work of all executions, in instructions that are interpreted.
    pub(crate) fn work(&self) -> u64 {
        self.work
    }

    /// Whether a library function crashed since the last call of this.
    pub(crate) fn take_crash(&mut self) -> bool {
        self.linked.as_mut().is_some_and(Linked::take_crash)
    }

    /// How many executions of which effort are tried for a path, where so much work was done for
    /// the target. Those of a path that is `coarse` are few if they do not end: more is known of the
    /// paths that come later, or that there are none.
    pub(crate) fn attempts(
        &mut self,
        path: &Path,
        layout: &InputLayout,
        values: &[u128],
        target_work: u64,
        coarse: bool,
    ) -> Vec<Attempt> {
        if let Some(linked) = &mut self.linked {
            linked.give_time();
        }
        let usual = EVALUATIONS.into_iter().zip(STEPS);
        let usual = usual.map(|(evaluations, steps)| Attempt {
            evaluations,
            effort: Effort::of(steps),
        });
        let first = self.execute(path, layout, values, Effort::of(STEPS[0]));
        self.work += first.work();
        let spent = target_work + first.work();
        let is_long = first.cut || first.work() > STEPS[0];
        if !is_long || spent > MAX_TARGET_WORK {
            return usual.collect();
        }
        let mut whole = first;
        if first.cut {
            whole = self.execute(path, layout, values, LONGEST);
            self.work += whole.work();
        }
        if whole.cut && coarse {
            return vec![Attempt {
                evaluations: ENDLESS,
                effort: Effort::of(STEPS[0]),
            }];
        }
        if whole.cut {
            return usual.collect();
        }
        // Another input may take longer.
        let effort = Effort {
            steps: 2 * whole.steps,
            interpreted: 2 * whole.interpreted.max(STEPS[0]),
        };
        let left = MAX_PATH_WORK.min(MAX_TARGET_WORK.saturating_sub(spent));
        vec![Attempt {
            evaluations: left / whole.work().max(1),
            effort,
        }]
    }

    /// Adjusts the values of the input until the path executes itself, or it is `over`.
    pub(crate) fn adjust(
        &mut self,
        path: &Path,
        layout: &InputLayout,
        values: Vec<u128>,
        trial: Trial<'_>,
        over: &dyn Fn() -> bool,
    ) -> Adjusted {
        let Trial {
            attempt,
            evaluated,
            seed,
        } = trial;
        let budget = attempt
            .evaluations
            .min(MAX_EVALUATIONS.saturating_sub(evaluated));
        // Not the same draws as before.
        let seed = seed ^ evaluated.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut work = 0;
        let mut evaluate = |values: &[u128]| {
            let fitness = self.execute(path, layout, values, attempt.effort);
            work += fitness.work();
            fitness
        };
        let found = adjust::adjust(
            &layout.variables(),
            values,
            budget,
            seed,
            over,
            &mut evaluate,
        );
        self.work += work;
        found
    }

    fn execute(
        &mut self,
        path: &Path,
        layout: &InputLayout,
        values: &[u128],
        effort: Effort,
    ) -> Fitness {
        let input = Fed {
            objects: &layout.objects(values),
            globals: &self.globals.contents(&layout.input(values), &self.line),
        };
        let trace = TraceProgram {
            entry: self.entry,
            hops: &path.hops,
            target: path.target,
        };
        let limit = Limit {
            steps: effort.steps,
            interpreted: effort.interpreted,
            depth: DEPTH,
        };
        let means = Means {
            external: self.external,
            code: (effort.steps > STEPS[0]).then_some(&mut self.code),
            linked: self.linked.as_mut(),
        };
        follow(self.program, trace, input, limit, means)
    }
}
