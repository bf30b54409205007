//! The instrumented executable with joined paths, which is built when a search asks for it.

use labrys_cc::Frozen;
use labrys_cc::worker::Order;
use labrys_engine::Runner;
use labrys_executor::{Executor, RunLimits};
use labrys_search::BuildJoined;
use labrys_suite::Config;

use crate::output::problem::Problem;
use crate::wiring::build::Builder;
use crate::wiring::session::launch;
use crate::wiring::subject::{Subject, variant_path};

/// Builds and starts it as a suite says, when it is asked for.
pub(crate) fn joined<'a>(
    subject: &'a Subject,
    config: &'a Config,
    limits: &'a RunLimits,
) -> BuildJoined<'a> {
    Box::new(move || start(subject, config, limits).map_err(|problem| problem.text))
}

fn start(
    subject: &Subject,
    config: &Config,
    limits: &RunLimits,
) -> Result<Box<dyn Runner>, Problem> {
    let out = variant_path(subject.folder(), "joined", &subject.instrumented)?;
    let frozen = out.with_file_name("frozen-program");
    Frozen::of_executable(&subject.instrumented, &frozen).map_err(Problem::program)?;
    let order = Order::Joined {
        frozen,
        out: out.clone(),
    };
    let builder = Builder {
        quiet: true,
        ..subject.builder.clone()
    };
    builder.build(&order, subject.folder())?;
    let launch = launch(&out, &config.invocation, config.streams.clone(), subject);
    Ok(Box::new(Executor::start(launch, limits.clone())?))
}
