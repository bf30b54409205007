//! The conditions of one query over numbered variables: propagation, search and cores.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use labrys_expr::{Pool, Symbol};

use super::cone::Cone;
use super::domain::Domain;
use super::narrow::{Lookups, Narrowing};
use super::range::{Conflict, Range};
use crate::query::Assignment;

/// A core is made smaller as long as that takes no more than so many times its own work.
const SHRINKING: u64 = 8;

/// The conditions of one query over numbered variables.
pub(super) struct Problem<'a> {
    pool: &'a Pool,
    /// By part.
    cones: Vec<Cone>,
    /// By variable: the parts that speak of it.
    users: Vec<Vec<usize>>,
    hint: Vec<u128>,
    /// Parts that are left out.
    disabled: Vec<bool>,
    /// Parts that cut something off.
    touched: Vec<bool>,
    ranges: Vec<Range>,
    narrowed: Vec<bool>,
    lookups: Lookups,
    /// Steps of propagation so far.
    pub(super) work: u64,
    most_work: u64,
}

/// A choice that is still open.
struct Choice {
    domains: Vec<Domain>,
    entailed: Vec<bool>,
    variable: usize,
}

impl<'a> Problem<'a> {
    /// The problem of these conditions over these symbols, with values near those of `near`.
    pub(super) fn new(
        pool: &'a Pool,
        cones: Vec<Cone>,
        symbols: &[Symbol],
        near: &Assignment,
        most_work: u64,
    ) -> Self {
        let mut users = vec![Vec::new(); symbols.len()];
        for (part, cone) in cones.iter().enumerate() {
            for variable in &cone.variables {
                users[*variable].push(part);
            }
        }
        Problem {
            pool,
            users,
            hint: symbols.iter().map(|symbol| near.get(*symbol)).collect(),
            disabled: vec![false; cones.len()],
            touched: vec![false; cones.len()],
            cones,
            ranges: Vec::new(),
            narrowed: Vec::new(),
            lookups: Lookups::default(),
            work: 0,
            most_work,
        }
    }

    /// Depth-first search; `None` if the work is used up first.
    pub(super) fn search<M>(
        &mut self,
        domains: Vec<Domain>,
        mut accept: impl FnMut(&[u128]) -> Option<M>,
    ) -> Option<Result<M, Conflict>> {
        let mut open: Vec<Choice> = Vec::new();
        let mut entailed = vec![false; self.cones.len()];
        let mut domains = domains;
        let mut changed: Vec<usize> = (0..self.cones.len()).collect();
        loop {
            let outcome = self.propagate(&mut domains, &mut entailed, &changed);
            if self.work > self.most_work {
                return None;
            }
            let next = outcome.and_then(|()| {
                let pick = self.pick(&domains, &entailed);
                pick.ok_or(Conflict)
            });
            // What is fixed and not accepted depends on something that cannot be evaluated.
            let is_fixed = next.is_err() && outcome.is_ok();
            if outcome.is_ok() {
                let nearest = domains.iter().zip(&self.hint);
                let nearest: Vec<u128> = nearest.map(|(domain, to)| domain.nearest(*to)).collect();
                self.work += self
                    .cones
                    .iter()
                    .map(|cone| cone.steps.len() as u64)
                    .sum::<u64>();
                if let Some(model) = accept(&nearest) {
                    return Some(Ok(model));
                }
            }
            if is_fixed {
                return None;
            }
            let variable = if let Ok(variable) = next {
                let [first, second] = domains[variable].split(self.split_at(&domains, variable));
                let mut rest = domains.clone();
                rest[variable] = second;
                open.push(Choice {
                    domains: rest,
                    entailed: entailed.clone(),
                    variable,
                });
                domains[variable] = first;
                variable
            } else {
                let Some(choice) = open.pop() else {
                    return Some(Err(Conflict));
                };
                (domains, entailed) = (choice.domains, choice.entailed);
                choice.variable
            };
            changed.clone_from(&self.users[variable]);
        }
    }

    fn split_at(&self, domains: &[Domain], variable: usize) -> u128 {
        domains[variable].nearest(self.hint[variable])
    }

    /// Narrows the domains by these parts, and by those that this concerns, until nothing
    /// changes.
    fn propagate(
        &mut self,
        domains: &mut [Domain],
        entailed: &mut [bool],
        changed: &[usize],
    ) -> Result<(), Conflict> {
        // The first of the parts is next. Each is in the queue once: a length may have thousands
        // of conditions, each of which moves it.
        let mut queue: BinaryHeap<Reverse<usize>> = changed.iter().copied().map(Reverse).collect();
        let mut queued = vec![false; self.cones.len()];
        changed.iter().for_each(|part| queued[*part] = true);
        while let Some(Reverse(part)) = queue.pop() {
            queued[part] = false;
            if entailed[part] || self.disabled[part] || self.work > self.most_work {
                continue;
            }
            let cone = &self.cones[part];
            self.work += 2 * cone.steps.len() as u64;
            let variables = cone.variables.iter();
            let before: Vec<Domain> = variables.clone().map(|at| domains[*at]).collect();
            let mut narrowing = Narrowing {
                pool: self.pool,
                cone,
                domains,
                ranges: &mut self.ranges,
                narrowed: &mut self.narrowed,
                lookups: &mut self.lookups,
            };
            let result = narrowing.run();
            self.work += std::mem::take(&mut self.lookups.entries);
            match result {
                Ok(holds) => entailed[part] = holds,
                Err(conflict) => {
                    self.touched[part] = true;
                    return Err(conflict);
                }
            }
            for (variable, before) in variables.zip(before) {
                if domains[*variable] != before {
                    self.touched[part] = true;
                    // A single pass over a condition need not be all that it can say.
                    for user in &self.users[*variable] {
                        if !queued[*user] && !entailed[*user] && !self.disabled[*user] {
                            queued[*user] = true;
                            queue.push(Reverse(*user));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The variable with the fewest values among those that matter; `None` if all are fixed.
    fn pick(&self, domains: &[Domain], entailed: &[bool]) -> Option<usize> {
        let matters = |variable: &usize| {
            let mut users = self.users[*variable].iter();
            domains[*variable].span() > 0
                && users.any(|part| !entailed[*part] && !self.disabled[*part])
        };
        let variables = (0..domains.len()).filter(matters);
        variables.min_by_key(|variable| domains[*variable].span())
    }

    /// The parts that a refutation needs: those that cut something off, without those that it
    /// turns out to do without, as long as that is cheap to find out. The goal's go last.
    pub(super) fn core(&mut self, full: &[Domain]) -> Vec<usize> {
        let mut core: Vec<usize> = (0..self.cones.len())
            .filter(|part| self.touched[*part])
            .collect();
        let budget = self.work.saturating_mul(SHRINKING);
        let once = self.work;
        let mut chunk = core.len() / 2;
        let mut spent = 0;
        while chunk > 0 {
            let mut at = 0;
            while at < core.len() && spent < budget {
                let mut rest = core.clone();
                rest.drain(at..(at + chunk).min(core.len()));
                (self.work, self.most_work) = (0, 2 * once);
                self.touched.fill(false);
                self.disabled.fill(true);
                rest.iter().for_each(|part| self.disabled[*part] = false);
                let never = |_: &[u128]| None::<()>;
                let outcome = if rest.is_empty() {
                    None
                } else {
                    self.search(full.to_vec(), never)
                };
                spent += self.work;
                if let Some(Err(Conflict)) = outcome {
                    rest.retain(|part| self.touched[*part]);
                    core = rest;
                } else {
                    at += chunk;
                }
            }
            chunk /= 2;
        }
        self.work = once + spent;
        core
    }
}
