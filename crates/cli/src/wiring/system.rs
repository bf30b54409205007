//! Searches of the whole program: the one beside the units of a hunt, and those toward targets.

use labrys_engine::{Error, Progress, Session, Technique};
use labrys_fuzz::Fuzzing;
use labrys_portfolio::Portfolio;
use labrys_program::BranchId;
use labrys_search::{
    BuildJoined, CfgDirected, Interleaved, Joined, Options, STRATEGIES, Search, SearchOptions,
};

/// Runs inputs that others made, and makes none.
struct Runs;

impl Technique for Runs {
    fn name(&self) -> &'static str {
        "runs"
    }

    fn step(&mut self, session: &mut Session) -> Result<Progress, Error> {
        let Some(initial) = session.next_initial() else {
            return Ok(Progress::Done);
        };
        let seen = session.run_initial(initial)?;
        if let Some(trace) = seen.trace {
            session.recycle(trace);
        }
        Ok(Progress::More)
    }
}

/// Concolic search and fuzzing of the whole program, who gains more has more of the work; or only
/// fuzzing.
pub(crate) fn system_search(seed: u64, is_concolic: bool) -> labrys_composition::Search<'static> {
    let leader: Box<dyn Technique> = match is_concolic {
        true => {
            let strategy = (STRATEGIES[0].build)(&Options::default());
            Box::new(Search::new(strategy, SearchOptions::default(), seed))
        }
        false => Box::new(Runs),
    };
    Box::new(Portfolio::new(leader, seed).with(Box::new(Fuzzing::new(seed))))
}

/// Concolic search toward these branches, interleaved with one toward everything: the nearest
/// decision in the control flow may not be the one that matters.
pub(crate) fn search_toward(branches: Vec<BranchId>, seed: u64) -> Search<'static> {
    let toward = CfgDirected::toward(branches);
    let all = (STRATEGIES[0].build)(&Options::default());
    let both = Interleaved::new(vec![Box::new(toward), all]);
    Search::new(Box::new(both), SearchOptions::default(), seed)
}

/// The same with a fuzzer beside it, for targets behind the parser of a language, and with questions about
/// joined paths, for those behind what many decisions computed.
pub(crate) fn aided_search_toward<'a>(
    branches: Vec<BranchId>,
    joined: BuildJoined<'a>,
    seed: u64,
) -> Portfolio<'a> {
    let search = search_toward(branches, seed);
    let portfolio = Portfolio::new(Box::new(search), seed);
    let portfolio = portfolio.with(Box::new(Fuzzing::new(seed)));
    portfolio.with(Box::new(Joined::new(joined, seed)))
}
