//! The executables of one program, ready to run.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use labrys_executor::{Checker, Error, Executor, Launch, RunLimits, WorkerPool};
use labrys_program::Program;

use crate::calls::calls_by;
use crate::{Ahead, Judge, Runner};

/// Where the executables of a program are.
#[derive(Clone, Debug)]
pub struct Binaries {
    /// Records decisions on symbolic values.
    pub instrumented: PathBuf,
    /// Marks coverage alone.
    pub plain: PathBuf,
    /// Checks memory, if it could be linked.
    pub checked: Option<PathBuf>,
}

/// See the module.
pub struct Programs {
    pub(crate) program: Arc<Program>,
    pub(crate) instrumented: Box<dyn Runner>,
    pub(crate) plain: Box<dyn Runner>,
    pub(crate) pool: Option<Box<dyn Ahead>>,
    pub(crate) checker: Option<Box<dyn Judge>>,
    is_isolated: bool,
}

impl Programs {
    /// A program by what runs its instrumented and its plain executable.
    #[must_use]
    pub fn new(
        program: Arc<Program>,
        instrumented: Box<dyn Runner>,
        plain: Box<dyn Runner>,
    ) -> Self {
        Programs {
            program,
            instrumented,
            plain,
            pool: None,
            checker: None,
            is_isolated: false,
        }
    }

    /// Runs of the instrumented program are made ahead of the books.
    #[must_use]
    pub fn with_pool(mut self, pool: Option<Box<dyn Ahead>>) -> Self {
        self.pool = pool;
        self
    }

    /// Failures are judged by the checked program.
    #[must_use]
    pub fn with_checker(mut self, checker: Option<Box<dyn Judge>>) -> Self {
        self.checker = checker;
        self
    }

    /// Starts the executables. `called` says how each is called; of `jobs` all but one make runs
    /// beside the technique. The solver has the instrumented program compute its own pure
    /// functions from now on.
    ///
    /// # Errors
    /// If one cannot be started.
    pub fn start(
        program: &Arc<Program>,
        binaries: &Binaries,
        called: &dyn Fn(&Path) -> Launch,
        limits: &RunLimits,
        jobs: u8,
    ) -> Result<Self, Error> {
        let start = |binary: &Path| Executor::start(called(binary), limits.clone());
        let workers = usize::from(jobs).saturating_sub(1);
        let pool = (workers > 0)
            .then(|| WorkerPool::new(&called(&binaries.instrumented), limits, workers))
            .transpose()?
            .map(|pool| Box::new(pool) as Box<dyn Ahead>);
        let checked = binaries.checked.as_deref();
        let checker =
            checked.map(|binary| Box::new(Checker::new(called(binary), limits)) as Box<dyn Judge>);
        calls_by(&binaries.instrumented);
        let instrumented = Box::new(start(&binaries.instrumented)?);
        let is_isolated = instrumented.is_isolated();
        let plain = Box::new(start(&binaries.plain)?);
        let programs = Programs::new(Arc::clone(program), instrumented, plain)
            .with_pool(pool)
            .with_checker(checker);
        Ok(Programs {
            is_isolated,
            ..programs
        })
    }

    /// Whether runs are in namespaces of their own.
    #[must_use]
    pub fn are_isolated(&self) -> bool {
        self.is_isolated
    }
}
