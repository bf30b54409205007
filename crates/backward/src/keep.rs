//! What the rounds of a loop keep: a constraint that no round makes true, where it was false, was
//! true before the loop. So a step over a loop need not forget it.
//!
//! Laws: let `c` hold when control comes to the header, and let `c'` say the same of the values
//! and the memory at the visit before. If `c ∧ ¬c'` has no solution on any way round, `c` was true
//! at every visit, the first included. The ways round are followed as the search follows them,
//! with inner loops and calls stepped over where need be, so a run round the loop is on one of
//! them. Symbols of what comes after the loop stand for values that the run has in the end; they
//! are the same at all visits.

use labrys_expr::{ExprId, Symbol};
use labrys_solver::{Answer, Model};
use rustc_hash::FxHashSet;

use crate::demand::Base;
use crate::guess;
use crate::rounds::{Needs, Rounds};
use crate::search::Check;
use crate::state::{Known, Read, State};
use labrys_analysis::Loop;

/// Loops in each other whose rounds are followed.
const MAX_NESTING: usize = 2;
/// Segments of ways round for a step over a loop with all loops in it, and in all.
const MAX_STEP: u64 = 60;
const MAX_ALL: u64 = 600;
/// Queries for such a step, and in all.
const MAX_STEP_QUERIES: u64 = 80;
const MAX_QUERIES: u64 = 600;
/// Constraints that are tried at one loop, in loops in it, and expressions in one.
const MAX_TRIED: [usize; 2] = [6, 2];
const MAX_SIZE: usize = 600;

/// What is the same before a loop as behind it, and what it speaks of.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    constraints: Vec<ExprId>,
    needs: Needs,
}

impl<'p> Base<'p> {
    /// The constraints of a state at the header of a loop that were true before the loop.
    pub(crate) fn kept_by_rounds(
        &mut self,
        state: &mut State,
        natural: &Loop,
        check: Check<'_>,
    ) -> Kept {
        let mut kept = Kept::default();
        let Rounds {
            nesting,
            segments,
            queries,
            ..
        } = self.rounds;
        if nesting >= MAX_NESTING || segments >= MAX_ALL || queries >= MAX_QUERIES {
            return kept;
        }
        if nesting == 0 {
            self.rounds.limits = (segments + MAX_STEP, queries + MAX_STEP_QUERIES);
        }
        self.settle(state);
        let varying = self.varying(state, natural);
        let mut concerned: Vec<ExprId> = state
            .constraints
            .iter()
            .copied()
            .filter(|one| self.speaks_of(*one, &varying) && self.is_within(*one, MAX_SIZE))
            .collect();
        // What speaks of little is more likely to be kept.
        concerned.sort_by_key(|one| self.pool.symbols(*one).len());
        concerned.truncate(MAX_TRIED[self.rounds.nesting]);
        self.rounds.nesting += 1;
        let mut left = Vec::new();
        for one in concerned {
            if self.is_kept(state, natural, &[one], &mut *check) {
                kept.constraints.push(one);
            } else {
                left.push(one);
            }
        }
        if left.len() > 1 && self.is_kept(state, natural, &left, &mut *check) {
            kept.constraints.append(&mut left);
        }
        let subjects = if nesting == 0 { &left[..] } else { &[] };
        for symbol in guess::subjects(&self.pool, subjects, &varying) {
            let guesses = self.kept_guesses(state, natural, symbol, &mut *check);
            kept.constraints.extend(guesses);
        }
        self.rounds.nesting -= 1;
        kept.needs = self.needs(state, &kept.constraints);
        kept
    }

    /// After a step over a loop: the symbols of what is kept stand for what was before the loop,
    /// and all others' constraints for what is behind it.
    pub(crate) fn keep(&mut self, state: &mut State, kept: Kept) {
        if kept.constraints.is_empty() {
            return;
        }
        let Needs { phis, reads } = kept.needs;
        let is_there = |state: &State, read: &Read| {
            let mut there = state.reads.iter();
            there.any(|one| one.symbol == read.symbol && one.address == read.address)
        };
        let mut names: Vec<ExprId> = phis.iter().map(|(_, symbol)| *symbol).collect();
        self.substitution.begin();
        for name in &names {
            self.rename_last(*name);
        }
        let mut again = Vec::new();
        for read in reads {
            let moved = self.substitution.apply_all(&mut self.pool, read.address) != read.address;
            if moved || !is_there(state, &read) {
                self.rename_last(read.symbol);
                names.push(read.symbol);
                again.push(read);
            }
        }
        for read in &mut state.reads {
            read.address = self.substitution.apply_all(&mut self.pool, read.address);
            read.symbol = self.substitution.apply_all(&mut self.pool, read.symbol);
        }
        for constraint in &mut state.constraints {
            *constraint = self.substitution.apply_all(&mut self.pool, *constraint);
        }
        state.reads.extend(again);
        for (value, symbol) in phis {
            state.frame_mut().env.insert(value, Known::Scalar(symbol));
        }
        for constraint in kept.constraints {
            state.require(&self.pool, constraint);
        }
        state.satisfiable = std::rc::Rc::default();
    }

    fn rename_last(&mut self, symbol: ExprId) {
        let last = self.fresh(self.pool.width(symbol));
        if let Some(symbol) = self.pool.as_symbol(symbol) {
            self.note_same(symbol, last);
            self.substitution.replace(symbol, last);
        }
    }

    /// The symbols that stand for other values at other visits to the header.
    fn varying(&mut self, state: &State, natural: &Loop) -> FxHashSet<Symbol> {
        let mut after = state.clone();
        self.change(&mut after, natural.blocks());
        let stays: FxHashSet<ExprId> = after.reads.iter().map(|read| read.symbol).collect();
        let function = self.image.function(state.function());
        let phis = &function.blocks[state.block.index()].phis;
        let phis = phis
            .iter()
            .filter_map(|phi| state.frame().env.get(&phi.result)?.scalar());
        let gone = state.reads.iter().map(|read| read.symbol);
        let gone = gone.filter(|symbol| !stays.contains(symbol));
        let all = phis.chain(gone);
        let mut varying: FxHashSet<Symbol> =
            all.filter_map(|one| self.pool.as_symbol(one)).collect();
        loop {
            let before = varying.len();
            for read in &state.reads {
                if self.speaks_of(read.address, &varying) {
                    varying.extend(self.pool.as_symbol(read.symbol));
                }
            }
            if varying.len() == before {
                return varying;
            }
        }
    }

    fn speaks_of(&self, one: ExprId, symbols: &FxHashSet<Symbol>) -> bool {
        let mut own = self.pool.symbols(one).iter();
        own.any(|symbol| symbols.contains(&symbol))
    }

    /// What constraints speak of: phis of the state's block, and memory.
    fn needs(&self, state: &State, constraints: &[ExprId]) -> Needs {
        let mut symbols: FxHashSet<Symbol> = FxHashSet::default();
        for one in constraints {
            symbols.extend(self.pool.symbols(*one).iter());
        }
        let mut reads: Vec<Read> = Vec::new();
        loop {
            let before = reads.len();
            for read in &state.reads {
                let needed = self.pool.as_symbol(read.symbol);
                let needed = needed.is_some_and(|symbol| symbols.contains(&symbol));
                if needed && !reads.iter().any(|one| one.symbol == read.symbol) {
                    reads.push(*read);
                    symbols.extend(self.pool.symbols(read.address).iter());
                }
            }
            if reads.len() == before {
                break;
            }
        }
        let function = self.image.function(state.function());
        let phis = &function.blocks[state.block.index()].phis;
        let phis = phis.iter().filter_map(|phi| {
            let symbol = state.frame().env.get(&phi.result)?.scalar()?;
            let needed = self.pool.as_symbol(symbol)?;
            symbols.contains(&needed).then_some((phi.result, symbol))
        });
        Needs {
            phis: phis.collect(),
            reads: self.in_order(reads),
        }
    }

    /// Reads after those that their addresses speak of.
    fn in_order(&self, mut reads: Vec<Read>) -> Vec<Read> {
        let mut ordered: Vec<Read> = Vec::new();
        while !reads.is_empty() {
            let open: FxHashSet<Symbol> = reads
                .iter()
                .filter_map(|read| self.pool.as_symbol(read.symbol))
                .collect();
            let (later, now): (Vec<Read>, Vec<Read>) = reads
                .iter()
                .partition(|read| self.speaks_of(read.address, &open));
            if now.is_empty() {
                // An address that speaks of what it reads is a known one of no read.
                ordered.extend(later);
                return ordered;
            }
            ordered.extend(now);
            reads = later;
        }
        ordered
    }

    /// The guesses on a symbol that follow from the constraints of a state.
    fn those_that_follow(
        &mut self,
        state: &State,
        symbol: ExprId,
        mut guesses: Vec<ExprId>,
        check: Check<'_>,
    ) -> Vec<ExprId> {
        let near = state.constraints.iter().copied();
        let speaks = self.pool.symbols(symbol);
        let near: Vec<ExprId> = near
            .filter(|one| speaks.intersects(&self.pool.symbols(*one)))
            .collect();
        let Some(name) = self.pool.as_symbol(symbol) else {
            return Vec::new();
        };
        let mut follow = Vec::new();
        // A value that the symbol can have excludes all guesses that it contradicts.
        let mut seen = state.model.get(name);
        while !guesses.is_empty() {
            if let Some(bits) = seen.take() {
                let value = self.pool.constant(name.width(), bits);
                guesses.retain(|guess| self.said_of(*guess, symbol, value) == ExprId::TRUE);
                continue;
            }
            let guess = guesses.remove(0);
            let mut asked = near.clone();
            asked.push(self.pool.not(guess));
            match self.ask_round(asked, &mut *check) {
                Some(Answer::Unsat(_)) => follow.push(guess),
                Some(Answer::Sat(model)) => seen = model.get(name),
                Some(Answer::Unknown(_)) => {}
                None => return follow,
            }
        }
        follow
    }

    /// Whether no round makes these constraints true together where they were not.
    fn is_kept(
        &mut self,
        state: &State,
        natural: &Loop,
        constraints: &[ExprId],
        check: Check<'_>,
    ) -> bool {
        let needs = self.needs(state, constraints);
        let start = self.before_round(state, constraints, &needs);
        self.go_round(&start, natural, &mut *check, &mut |base, way, check| {
            base.was_true(way, constraints, &needs, check)
        })
    }

    /// Simple conditions on a symbol that follow from the constraints of a state and that no round
    /// makes true where they were not.
    fn kept_guesses(
        &mut self,
        state: &State,
        natural: &Loop,
        symbol: ExprId,
        check: Check<'_>,
    ) -> Vec<ExprId> {
        let needs = self.needs(state, &[symbol]);
        // What the symbol is behind a round, in terms of what was before it.
        let behind = self.fresh(self.pool.width(symbol));
        let same = self.pool.eq(behind, symbol);
        let start = self.before_round(state, &[same], &needs);
        let mut ends = Vec::new();
        let complete = self.go_round(&start, natural, &mut *check, &mut |base, way, _| {
            if !base.is_dead(way) {
                let before = base.said_before(way, &[symbol], &needs);
                ends.push((before[0], way.constraints.clone()));
            }
            true
        });
        if !complete {
            return Vec::new();
        }
        let mut told = state.constraints.clone();
        told.extend(ends.iter().flat_map(|(_, constraints)| constraints));
        let numbers = guess::numbers(&self.pool, &told, self.pool.width(symbol));
        let guesses = guess::about(&mut self.pool, symbol, &numbers);
        let mut guesses = self.those_that_follow(state, symbol, guesses, &mut *check);
        while let Some(guess) = guesses.first().copied() {
            let Some((before, after)) = self.made_true(guess, symbol, behind, &ends, &mut *check)
            else {
                return vec![guess];
            };
            guesses.remove(0);
            // A round that leads from one value to another refutes other guesses too.
            if let (Some(before), Some(after)) = (before, after) {
                guesses.retain(|one| {
                    let is_true = self.said_of(*one, symbol, after) == ExprId::TRUE;
                    !is_true || self.said_of(*one, symbol, before) == ExprId::TRUE
                });
            }
        }
        Vec::new()
    }

    /// Values of a symbol before and behind a round that makes a guess on it true, as far as the
    /// solver tells; `None` if no round does.
    fn made_true(
        &mut self,
        guess: ExprId,
        symbol: ExprId,
        behind: ExprId,
        ends: &[(ExprId, Vec<ExprId>)],
        check: Check<'_>,
    ) -> Option<(Option<ExprId>, Option<ExprId>)> {
        for (before, constraints) in ends {
            let mut asked = constraints.clone();
            asked.push(self.said_of(guess, symbol, behind));
            let then = self.said_of(guess, symbol, *before);
            asked.push(self.pool.not(then));
            match self.ask_round(asked, &mut *check) {
                Some(Answer::Unsat(_)) => {}
                Some(Answer::Sat(model)) => {
                    let before = self.value_in(&model, *before);
                    return Some((before, self.value_in(&model, behind)));
                }
                Some(Answer::Unknown(_)) | None => return Some((None, None)),
            }
        }
        None
    }

    /// The value of an expression in a model that names all its symbols.
    fn value_in(&mut self, model: &Model, one: ExprId) -> Option<ExprId> {
        let symbols: Vec<Symbol> = self.pool.symbols(one).iter().collect();
        self.substitution.begin();
        for symbol in symbols {
            let value = self.pool.constant(symbol.width(), model.get(symbol)?);
            self.substitution.replace(symbol, value);
        }
        let value = self.substitution.apply_all(&mut self.pool, one);
        self.pool.bits(value).map(|_| value)
    }

    fn said_of(&mut self, guess: ExprId, symbol: ExprId, value: ExprId) -> ExprId {
        self.substitution.begin();
        self.stands_for(symbol, value);
        self.substitution.apply_all(&mut self.pool, guess)
    }

    /// Whether the constraints, said of the state at the visit before, follow from what must hold
    /// there for them to be true at this one.
    fn was_true(
        &mut self,
        state: &mut State,
        constraints: &[ExprId],
        needs: &Needs,
        check: Check<'_>,
    ) -> bool {
        if self.is_dead(state) {
            return true;
        }
        let before = self.said_before(state, constraints, needs);
        let before = self.pool.all(before);
        let mut asked = state.constraints.clone();
        asked.push(self.pool.not(before));
        self.has_no_solution(asked, check)
    }

    /// What some expressions at one visit to the header say of the visit before, where the state
    /// is.
    fn said_before(&mut self, state: &mut State, said: &[ExprId], needs: &Needs) -> Vec<ExprId> {
        let mut values = Vec::new();
        for (value, symbol) in &needs.phis {
            let known = state.frame().env.get(value).and_then(Known::scalar);
            let now = known.unwrap_or_else(|| self.fresh(self.pool.width(*symbol)));
            values.push((*symbol, now));
        }
        self.substitution.begin();
        for (symbol, now) in values {
            self.stands_for(symbol, now);
        }
        for read in &needs.reads {
            let address = self.substitution.apply_all(&mut self.pool, read.address);
            let now = self.read(state, address, read.size);
            self.stands_for(read.symbol, now);
        }
        let said = said.iter();
        said.map(|one| self.substitution.apply_all(&mut self.pool, *one))
            .collect()
    }

    fn stands_for(&mut self, symbol: ExprId, value: ExprId) {
        if let Some(symbol) = self.pool.as_symbol(symbol) {
            self.substitution.replace(symbol, value);
        }
    }
}
