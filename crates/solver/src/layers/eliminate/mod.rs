//! Elimination of bytes, one after the other: dynamic programming over what passes from the bytes
//! so far to the rest of a query.
//!
//! A scanner made of tables, a regular expression, a running sum: each byte acts on a state, and
//! conditions ask for the state. All that the rest of the query needs to know of the bytes so far
//! are the values of the expressions that lie on the border, those of these bytes that others
//! use. So of all beginnings that give the border the same values one is enough, the one that is
//! nearest to the hint. (Bertelè and Brioschi, Nonserial Dynamic Programming, 1972.)
//!
//! Law: a model satisfies all parts, and no other differs from the hint in fewer bytes; where no
//! beginning is left, the parts on the bytes so far contradict each other. Where there are too
//! many, nothing is said.

mod plan;

use labrys_expr::{Op, Pool};
use rustc_hash::{FxHashMap, FxHashSet};

use self::plan::{Node, Plan, Stage};
use crate::parts::Part;
use crate::query::{Assignment, Model};
use crate::schedule::{Layer, Patience, Shared, Task, Verdict};

/// Beginnings that are kept at least, and the work for which one more is.
const BEGINNINGS: usize = 256;
const WORK_PER_BEGINNING: u64 = 4_096;
/// Values that are computed in the time of one step of the back end.
const WORK_PER_STEP: u64 = 2_000;

pub(super) const NAME: &str = "eliminate";

/// A beginning: the one before it, the value of the last symbol, and in how many it differs from
/// the hint, the last among them or not.
#[derive(Clone, Copy)]
struct Beginning {
    before: usize,
    value: u8,
    changes: u32,
    last_changed: bool,
}

impl Beginning {
    /// What is better is less: of as many changes those to the bytes before, which of a number are
    /// the low ones. `n > 0` gets 1, not 16,777,216.
    fn cost(self) -> (u32, bool) {
        (self.changes, self.last_changed)
    }
}

/// The beginnings up to a symbol, each with its values of the border: no two have the same.
#[derive(Default)]
struct Frontier {
    beginnings: Vec<Beginning>,
    borders: Vec<Vec<u128>>,
    places: FxHashMap<Vec<u128>, usize>,
}

impl Frontier {
    /// The empty beginning.
    fn start() -> Self {
        Frontier {
            beginnings: vec![Beginning {
                before: 0,
                value: 0,
                changes: 0,
                last_changed: false,
            }],
            borders: vec![Vec::new()],
            places: FxHashMap::default(),
        }
    }

    /// Keeps a beginning if it is the best with this border.
    fn add(&mut self, new: Beginning, border: Vec<u128>) {
        let Some(place) = self.places.get(&border) else {
            self.places.insert(border.clone(), self.beginnings.len());
            self.borders.push(border);
            self.beginnings.push(new);
            return;
        };
        let old = &mut self.beginnings[*place];
        if new.cost() < old.cost() {
            *old = new;
        }
    }
}

/// The layer.
#[derive(Default)]
pub(super) struct Elimination;

impl Layer for Elimination {
    fn name(&self) -> &'static str {
        NAME
    }

    fn run(&mut self, task: &mut Task<'_, '_>, shared: &mut Shared, patience: Patience) -> Verdict {
        // Half of what the query has: the back end is to have a try too.
        let half = |steps: u64| steps.saturating_mul(WORK_PER_STEP / 2);
        let steps = task.query.budget.steps;
        let most = steps.map_or(u64::MAX, half).min(patience.work());
        let mut left = most;
        let near = shared.near.assignment();
        let verdict = eliminate(task.query.pool, &task.parts, near, &mut left);
        task.query.budget.spend((most - left) / WORK_PER_STEP);
        verdict
    }
}

/// Decides the parts within so much work, which is counted in values that are computed.
fn eliminate(pool: &Pool, parts: &[Part], hint: &Assignment, work: &mut u64) -> Verdict {
    let Some(plan) = Plan::new(pool, parts) else {
        return Verdict::Pass;
    };
    let mut execution = Execution {
        plan: &plan,
        values: vec![0; plan.nodes.len()],
        computed: vec![0; plan.nodes.len()],
        point: 0,
        stack: Vec::new(),
        most: BEGINNINGS.max((*work / WORK_PER_BEGINNING) as usize),
        work,
    };
    execution.run(hint).unwrap_or(Verdict::Pass)
}

/// A plan that is carried out.
///
/// Values are computed when they are asked for: of an `ite` the side that is taken, of a stage what
/// its conditions need up to the first that is false.
struct Execution<'p> {
    plan: &'p Plan<'p>,
    /// The value of each node.
    values: Vec<u128>,
    /// By node: the last point at which its value is known; 0 for none.
    computed: Vec<u64>,
    /// The present beginning and value of its last symbol, by number.
    point: u64,
    /// Nodes whose values are asked for.
    stack: Vec<usize>,
    /// Beginnings that one border may have.
    most: usize,
    /// Values that may still be computed.
    work: &'p mut u64,
}

impl Execution<'_> {
    fn run(&mut self, hint: &Assignment) -> Option<Verdict> {
        let plan = self.plan;
        for (place, node) in plan.nodes.iter().enumerate() {
            if node.last.is_none() {
                self.evaluate(place, u64::MAX);
            }
        }
        let mut frontiers = vec![Frontier::start()];
        for number in 0..plan.stages.len() {
            let hinted = hint.get(plan.symbols[number]) as u8;
            let next = self.advance(number, hinted, frontiers.last()?)?;
            if next.beginnings.is_empty() {
                let parts = plan.lasts.iter().enumerate();
                let so_far = parts.filter(|(_, last)| **last <= number);
                let core = so_far.map(|(position, _)| position).collect();
                return Some(Verdict::Core(core));
            }
            frontiers.push(next);
        }
        Some(Verdict::Proposal(self.model(&frontiers)))
    }

    /// The beginnings with one symbol more; `None` if there are too many.
    fn advance(&mut self, number: usize, hinted: u8, last: &Frontier) -> Option<Frontier> {
        let plan = self.plan;
        let stage = &plan.stages[number];
        let classes = self.classes(number, hinted)?;
        let border = number
            .checked_sub(1)
            .map_or(&[][..], |before| &plan.stages[before].border);
        let mut next = Frontier::default();
        for (before, beginning) in last.beginnings.iter().enumerate() {
            for (value, class) in &classes {
                self.point += 1;
                self.put(border, &last.borders[before])?;
                self.put(&stage.classes, class)?;
                if !self.holds(stage, false)? {
                    continue;
                }
                let last_changed = *value != hinted;
                let new = Beginning {
                    before,
                    value: *value,
                    changes: beginning.changes + u32::from(last_changed),
                    last_changed,
                };
                next.add(new, self.compute_all(&stage.border)?);
            }
            if next.beginnings.len() > self.most {
                return None;
            }
        }
        Some(next)
    }

    /// The values of a symbol that satisfy the conditions on it alone, one for each combination of
    /// values of the stage's classes, with that: the hinted one, or the nearest to it.
    fn classes(&mut self, number: usize, hinted: u8) -> Option<Vec<(u8, Vec<u128>)>> {
        let plan = self.plan;
        let (stage, place) = (&plan.stages[number], plan.places[number]);
        let mut all: Vec<u8> = (0..=u8::MAX >> (8 - plan.symbols[number].width())).collect();
        all.sort_by_key(|value| value.abs_diff(hinted));
        let mut seen = FxHashSet::default();
        let mut classes = Vec::new();
        for value in all {
            self.point += 1;
            self.put(&[place], &[u128::from(value)])?;
            if !self.holds(stage, true)? {
                continue;
            }
            let class = self.compute_all(&stage.classes)?;
            if seen.insert(class.clone()) {
                classes.push((value, class));
            }
        }
        Some(classes)
    }

    /// Whether the conditions of a stage hold that are on its symbol alone, or the others.
    fn holds(&mut self, stage: &Stage, single: bool) -> Option<bool> {
        for (condition, of_one) in &stage.conditions {
            if *of_one == single && self.compute(*condition)? != 1 {
                return Some(false);
            }
        }
        Some(true)
    }

    fn compute_all(&mut self, places: &[usize]) -> Option<Vec<u128>> {
        places.iter().map(|place| self.compute(*place)).collect()
    }

    /// The value of a node at the present point; `None` where the work is used up.
    fn compute(&mut self, place: usize) -> Option<u128> {
        self.stack.push(place);
        while let Some(&top) = self.stack.last() {
            if !self.is_known(top) {
                let node = &self.plan.nodes[top];
                if self.ask_for_operands(node) {
                    continue;
                }
                *self.work = self.work.checked_sub(1)?;
                self.evaluate(top, self.point);
            }
            self.stack.pop();
        }
        Some(self.values[place])
    }

    fn evaluate(&mut self, place: usize, point: u64) {
        let node = &self.plan.nodes[place];
        let operands = node.operands.map(|place| self.values[place]);
        self.values[place] = node.value(operands);
        self.computed[place] = point;
    }

    /// Asks for the operands that the value of a node needs and that are not known yet; whether
    /// there are any. The first one is asked for alone where it may decide about the others.
    fn ask_for_operands(&mut self, node: &Node<'_>) -> bool {
        let [first, second, third] = node.operands;
        let needed = match (node.op, node.op.arity()) {
            (Op::Ite | Op::And, _) if !self.is_known(first) => &[first][..],
            (Op::Ite, _) if self.values[first] == 1 => &[second],
            (Op::Ite, _) => &[third],
            (Op::And, _) if self.values[first] == 0 => &[],
            (_, arity) => &node.operands[..arity],
        };
        let before = self.stack.len();
        for place in needed {
            if !self.is_known(*place) {
                self.stack.push(*place);
            }
        }
        self.stack.len() > before
    }

    fn is_known(&self, place: usize) -> bool {
        self.computed[place] >= self.point
    }

    fn put(&mut self, places: &[usize], bits: &[u128]) -> Option<()> {
        *self.work = self.work.checked_sub(places.len() as u64)?;
        for (place, bits) in places.iter().zip(bits) {
            self.values[*place] = *bits;
            self.computed[*place] = self.point;
        }
        Some(())
    }

    /// The values of the beginning of all symbols.
    fn model(&self, frontiers: &[Frontier]) -> Model {
        let mut model = Model::default();
        let mut at = 0;
        for (symbol, frontier) in self.plan.symbols.iter().zip(&frontiers[1..]).rev() {
            let Beginning { value, before, .. } = frontier.beginnings[at];
            model.0.insert(*symbol, u128::from(value));
            at = before;
        }
        model
    }
}

#[cfg(test)]
mod tests {
    use labrys_expr::{ExprId, Symbol};

    use super::*;

    fn decide(pool: &Pool, conditions: &[ExprId], hint: &[u8]) -> Verdict {
        decide_within(10_000_000, pool, conditions, hint)
    }

    fn decide_within(mut work: u64, pool: &Pool, conditions: &[ExprId], hint: &[u8]) -> Verdict {
        let parts = conditions.iter().zip(0..);
        let parts: Vec<Part> = parts.map(|(id, origin)| Part { id: *id, origin }).collect();
        let hint = Assignment::from_streams([hint.to_vec()]);
        eliminate(pool, &parts, &hint, &mut work)
    }

    fn bytes(answer: &Verdict, count: u32) -> Vec<u8> {
        let Verdict::Proposal(model) = answer else {
            panic!("no model");
        };
        let symbol = |offset| Symbol::Byte { stream: 0, offset };
        let value = |offset| model.get(symbol(offset)).expect("a value");
        (0..count).map(|offset| value(offset) as u8).collect()
    }

    /// The state after each byte of an automaton for `ab*c`: 0 at first, 1, 2 at the end, 3 wrong.
    fn states(pool: &mut Pool, count: u32) -> Vec<ExprId> {
        let mut class = [0u8; 256];
        (
            class[usize::from(b'a')],
            class[usize::from(b'b')],
            class[usize::from(b'c')],
        ) = (1, 2, 3);
        let class = pool.enter_table(&class, &[]);
        let next = pool.enter_table(&[3, 1, 3, 3, 3, 3, 1, 2, 3, 3, 3, 3, 3, 3, 3, 3], &[]);
        let mut state = pool.constant(64, 0);
        (0..count)
            .map(|offset| {
                let byte = pool.input(0, offset, 1);
                let index = pool.zext(byte, 64);
                let class = pool.table_read(class, index, 1);
                let class = pool.zext(class, 64);
                let four = pool.constant(64, 4);
                let row = pool.binary(Op::Mul, state, four);
                let at = pool.add(row, class);
                let read = pool.table_read(next, at, 1);
                state = pool.zext(read, 64);
                state
            })
            .collect()
    }

    #[test]
    fn an_automaton_is_run_through_with_few_changes() {
        let mut pool = Pool::new();
        let states = states(&mut pool, 60);
        let end = pool.constant(64, 2);
        let accepts = pool.eq(states[59], end);
        let hint = [b'b'; 60];
        let mut wanted = hint.to_vec();
        (wanted[0], wanted[59]) = (b'a', b'c');
        assert_eq!(bytes(&decide(&pool, &[accepts], &hint), 60), wanted);
    }

    #[test]
    fn a_contradiction_ends_where_no_beginning_is_left() {
        let mut pool = Pool::new();
        let states = states(&mut pool, 9);
        let [one, end] = [1, 2].map(|bits| pool.constant(64, bits));
        let early = pool.eq(states[3], end);
        let free = {
            let last = pool.input(0, 8, 1);
            let x = pool.constant(8, 7);
            pool.ult(x, last)
        };
        let late = pool.eq(states[5], one);
        match decide(&pool, &[free, early, late], &[0; 9]) {
            Verdict::Core(core) => assert_eq!(core, [1, 2]),
            _ => panic!("the end has no way back"),
        }
    }

    /// An element of a table of 256, chosen bit by bit: number `n` is `5 * n + 1`.
    fn chosen(pool: &mut Pool, index: ExprId) -> ExprId {
        let elements = (0..256).map(|number| pool.constant(16, 5 * number + 1));
        let mut level: Vec<ExprId> = elements.collect();
        for bit in 0..8 {
            let bit = pool.extract(index, bit, 1);
            let pairs: Vec<_> = level.chunks(2).map(|pair| (pair[0], pair[1])).collect();
            let choose = |(even, odd)| pool.ite(bit, odd, even);
            level = pairs.into_iter().map(choose).collect();
        }
        level[0]
    }

    #[test]
    fn of_choices_what_is_taken_is_computed() {
        let mut pool = Pool::new();
        let [a, b] = [0, 1].map(|offset| pool.input(0, offset, 1));
        let index = pool.add(a, b);
        let element = chosen(&mut pool, index);
        let a = pool.zext(a, 16);
        let sum = pool.add(element, a);
        let [there, missing] = [5 * 200 + 1, 5 * 255 + 2 + 255].map(|bits| pool.constant(16, bits));
        let [there, missing] = [there, missing].map(|wanted| pool.eq(sum, wanted));
        // All 255 choices at 65,536 points are 17 million.
        let within = |condition| decide_within(2_000_000, &pool, &[condition], &[0; 2]);
        let found = bytes(&within(there), 2);
        let [a, b] = [found[0], found[1]];
        let element = 5 * u16::from(a.wrapping_add(b)) + 1;
        assert_eq!(element + u16::from(a), 5 * 200 + 1);
        assert!(matches!(within(missing), Verdict::Core(core) if core == [0]));
    }

    #[test]
    fn behind_a_condition_that_is_false_nothing_is_computed() {
        let mut pool = Pool::new();
        let [a, b] = [0, 1].map(|offset| pool.input(0, offset, 1));
        let sum = pool.add(a, b);
        let five = pool.constant(8, 5);
        let is_five = pool.eq(sum, five);
        let mut product = pool.add(a, sum);
        for _ in 0..100 {
            product = pool.binary(Op::Mul, product, product);
            product = pool.add(product, b);
        }
        let wanted = pool.ult(product, five);
        // Its 200 operations at 65,536 points are 13 million.
        let verdict = decide_within(500_000, &pool, &[is_five, wanted], &[0; 2]);
        assert!(!matches!(verdict, Verdict::Pass));
    }

    #[test]
    fn what_passes_too_much_is_left_to_others() {
        let mut pool = Pool::new();
        let [a, b, c] = [0, 1, 2].map(|offset| pool.input(0, offset, 1));
        let wide = pool.concat(a, b);
        let other = pool.concat(c, c);
        let condition = pool.ult(wide, other);
        assert!(matches!(
            decide(&pool, &[condition], &[9; 3]),
            Verdict::Pass
        ));
        let length = pool.symbol(Symbol::Length { stream: 0 });
        let zero = pool.constant(64, 0);
        let none = pool.eq(length, zero);
        assert!(matches!(decide(&pool, &[none], &[]), Verdict::Pass));
    }

    #[test]
    fn a_number_that_must_grow_grows_little() {
        let mut pool = Pool::new();
        let number = pool.input(0, 0, 4);
        let zero = pool.constant(32, 0);
        let condition = pool.ult(zero, number);
        let found = bytes(&decide(&pool, &[condition], &[0; 4]), 4);
        assert_eq!(found, [1, 0, 0, 0]);
    }

    #[test]
    fn a_running_sum_is_reached() {
        let mut pool = Pool::new();
        let mut sum = pool.constant(8, 0);
        for offset in 0..40 {
            let byte = pool.input(0, offset, 1);
            sum = pool.add(sum, byte);
        }
        let wanted = pool.constant(8, 77);
        let condition = pool.eq(sum, wanted);
        let found = bytes(&decide(&pool, &[condition], &[1; 40]), 40);
        let sum = found
            .iter()
            .fold(0, |sum: u8, byte| sum.wrapping_add(*byte));
        assert_eq!(sum, 77);
        assert_eq!(found.iter().filter(|byte| **byte != 1).count(), 1);
    }
}
