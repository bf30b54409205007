//! A technique that is made of several.
//!
//! The first member leads: it learns from every input that another one hands over
//! ([`Session::suggest`]), at once. The work of that and what is gained by it are booked to the
//! member that found it.
//!
//! Law: when no member finds anything more, the portfolio ends: each is done, or quiet.

use labrys_engine::{Error, Progress, Session, Technique};

use crate::{Arm, Policy, SOLVER_STEPS, Scheduler};

/// What a member can still do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// There is more to do.
    More,
    /// It could go on, but nothing came of it for long.
    Quiet,
    /// Nothing, until something new is found.
    Done,
}

/// What a step of a member did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// In the unit of the crate.
    pub work: f64,
    /// Branches that no run took before, or that are proved unreachable.
    pub gain: f64,
    /// Turns that the others are to have before its next one.
    pub rest: u32,
    /// What it can still do.
    pub state: State,
}

/// A technique as a part of a portfolio.
pub trait Member {
    /// Steps of a turn.
    fn turn(&self) -> u32;

    /// Steps of the others before its first turn, unless they are done before.
    fn begins_after(&self) -> u64 {
        0
    }

    /// If it is tentative, the part of all work that it keeps whatever it brings.
    fn tentative_part(&self) -> Option<f64> {
        None
    }

    /// Whether it goes on when the leader has nothing more to try.
    fn goes_on_alone(&self, session: &Session) -> bool {
        let _ = session;
        true
    }

    /// Does a small piece of work.
    ///
    /// # Errors
    /// If the program can no longer be run, or the suite no longer be written.
    fn step(&mut self, session: &mut Session) -> Result<Report, Error>;
}

/// The member that leads: a technique. Steps that make no run and take little work are one step.
pub struct Leader<'a>(pub Box<dyn Technique + 'a>);

impl Leader<'_> {
    /// Steps of a turn.
    const TURN: u32 = 8;
    /// Steps of the technique in one step at most.
    const JOINED: u32 = 32;
    /// Steps of the solver in the time of a step, beside what the session counts.
    const STEP: u64 = 2;
}

impl Member for Leader<'_> {
    fn turn(&self) -> u32 {
        Leader::TURN
    }

    fn step(&mut self, session: &mut Session) -> Result<Report, Error> {
        let (seen, effort, runs) = (session.seen().count(), session.effort(), session.runs());
        let mut work = 0;
        let mut state = State::More;
        for _ in 0..Leader::JOINED {
            if self.0.step(session)? == Progress::Done {
                state = State::Done;
            }
            work += Leader::STEP;
            let all = work + session.effort() - effort;
            let ends = state == State::Done || all >= SOLVER_STEPS;
            if ends || session.runs() > runs || session.waiting() > 0 || session.is_stopped() {
                break;
            }
        }
        work += session.effort() - effort;
        Ok(Report {
            work: work as f64 / SOLVER_STEPS as f64,
            gain: (session.seen().count() - seen) as f64,
            rest: 0,
            state,
        })
    }
}

/// A member with its arm and the state that it reported last.
struct Part<'a> {
    member: Box<dyn Member + 'a>,
    arm: Arm,
    state: State,
}

/// See the module.
pub struct Portfolio<'a> {
    parts: Vec<Part<'a>>,
    scheduler: Scheduler,
    rng: fastrand::Rng,
    /// Steps so far.
    steps: u64,
    /// Of the leader, if it is fixed.
    share: Option<f64>,
    /// Whose step was the last.
    last: Option<Arm>,
}

impl<'a> Portfolio<'a> {
    /// A portfolio that one member leads and whose turns are given out by yield. All random
    /// choices come from the seed.
    #[must_use]
    pub fn new(leader: Box<dyn Technique + 'a>, seed: u64) -> Self {
        Portfolio::led_by(leader, Scheduler::new(Policy::Yield), seed)
    }

    /// The same whose members keep this part of an equal share, whatever they gain.
    #[must_use]
    pub fn with_floor(mut self, floor: f64) -> Self {
        self.scheduler = self.scheduler.with_floor(floor);
        self
    }

    /// A portfolio whose leader has this share of the work, from 0 to 1; the others have equal
    /// parts of the rest.
    #[must_use]
    pub fn with_share(leader: Box<dyn Technique + 'a>, share: f64) -> Self {
        let mut portfolio = Portfolio::led_by(leader, Scheduler::new(Policy::Shares), 0);
        portfolio.share = Some(share);
        portfolio
    }

    fn led_by(leader: Box<dyn Technique + 'a>, scheduler: Scheduler, seed: u64) -> Self {
        let mut portfolio = Portfolio {
            parts: Vec::new(),
            scheduler,
            rng: fastrand::Rng::with_seed(seed),
            steps: 0,
            share: None,
            last: None,
        };
        portfolio = portfolio.with(Box::new(Leader(leader)));
        portfolio.scheduler.begin(portfolio.parts[0].arm);
        portfolio
    }

    /// The same with one more member.
    #[must_use]
    pub fn with(mut self, member: Box<dyn Member + 'a>) -> Self {
        let tentative = member.tentative_part().filter(|_| self.share.is_none());
        let arm = match tentative {
            Some(part) => self.scheduler.add_tentative(part),
            None => self.scheduler.add(member.turn()),
        };
        if member.begins_after() > 0 {
            self.scheduler.pause(arm);
        }
        self.parts.push(Part {
            member,
            arm,
            state: State::More,
        });
        if let Some(share) = self.share {
            let others = (self.parts.len() - 1).max(1) as f64;
            for (index, part) in self.parts.iter().enumerate() {
                let of_part = if index == 0 {
                    share
                } else {
                    (1.0 - share) / others
                };
                self.scheduler.set_share(part.arm, of_part);
            }
        }
        self
    }

    /// Members that were waiting for their time have turns from now on.
    fn wake(&mut self) {
        let active = |part: &Part<'_>| self.scheduler.is_active(part.arm);
        let ended = |part: &Part<'_>| part.state != State::More;
        let alone = !self.parts.iter().any(|part| active(part) && !ended(part));
        for part in self.parts.iter().filter(|part| !ended(part)) {
            if alone || self.steps >= part.member.begins_after() {
                self.scheduler.resume(part.arm);
            }
        }
    }

    /// Whether a member has more to do: those that the leader leaves alone say so themselves.
    fn goes_on(&self, session: &Session) -> bool {
        let Some((leader, others)) = self.parts.split_first() else {
            return false;
        };
        let mut others = others.iter().filter(|part| part.state == State::More);
        leader.state == State::More || others.any(|part| part.member.goes_on_alone(session))
    }

    fn note(&mut self, part: usize, state: State) {
        let part = &mut self.parts[part];
        part.state = state;
        match state {
            State::Done => self.scheduler.pause(part.arm),
            State::More | State::Quiet => self.scheduler.resume(part.arm),
        }
    }
}

impl Technique for Portfolio<'_> {
    fn name(&self) -> &'static str {
        "portfolio"
    }

    fn step(&mut self, session: &mut Session) -> Result<Progress, Error> {
        self.steps += 1;
        if session.waiting() > 0 {
            let report = self.parts[0].member.step(session)?;
            if let Some(arm) = self.last {
                self.scheduler.spend(arm, report.work);
                self.scheduler.gain(arm, report.gain);
            }
            self.note(0, report.state);
            return Ok(Progress::More);
        }
        self.wake();
        if !self.goes_on(session) {
            return Ok(Progress::Done);
        }
        let rng = &mut self.rng;
        let Some(arm) = self.scheduler.step(|| rng.f64()) else {
            return Ok(Progress::Done);
        };
        let Some(index) = self.parts.iter().position(|part| part.arm == arm) else {
            return Ok(Progress::Done);
        };
        let report = self.parts[index].member.step(session)?;
        self.last = Some(arm);
        self.scheduler.spend(arm, report.work);
        self.scheduler.gain(arm, report.gain);
        if report.rest > 0 {
            self.scheduler.rest(arm, report.rest);
        }
        self.note(index, report.state);
        Ok(Progress::More)
    }
}
