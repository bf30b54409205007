//! Laws of traces, on random recordings.

#![allow(missing_docs, clippy::unwrap_used)]

mod random;

use std::collections::BTreeSet;

use labrys_abi::{Event, Node};
use labrys_expr::{Columns, Evaluator, Symbol};
use labrys_trace::{OTHER, Recording, Simplified, StepKind, Trace};
use proptest::prelude::*;
use random::{Generator, visit};

fn generate(seed: u64, size: usize) -> Generator {
    let mut generator = Generator::new(seed);
    (0..size).for_each(|_| generator.step());
    generator
}

/// The slice by its definition.
fn slice_by_definition(trace: &Trace, step: usize) -> Vec<usize> {
    let mut symbols: BTreeSet<Symbol> = trace.support_of(step).into_iter().collect();
    let mut slice = BTreeSet::new();
    loop {
        let before = slice.len();
        for earlier in 0..step {
            let support = trace.support_of(earlier);
            if support.iter().any(|symbol| symbols.contains(symbol)) {
                symbols.extend(support);
                slice.insert(earlier);
            }
        }
        if slice.len() == before {
            return slice.into_iter().collect();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn conditions_hold_under_the_input_of_the_run(seed: u64) {
        let generator = generate(seed, 80);
        let trace = Trace::new(generator.recording.clone(), &random::program()).unwrap();
        let mut decoder = trace.decoder();
        let violations = trace.check(&mut decoder, &|symbol| generator.symbol(symbol));
        prop_assert_eq!(violations, []);
    }

    #[test]
    fn exactly_one_direction_of_a_step_holds(seed: u64) {
        let generator = generate(seed, 60);
        let trace = Trace::new(generator.recording.clone(), &random::program()).unwrap();
        let mut decoder = trace.decoder();
        let other = |symbol| generator.symbol(symbol) ^ 1;
        for (step, what) in trace.steps().iter().enumerate() {
            let mut directions: Vec<_> = trace.alternatives(step).collect();
            prop_assert!(!directions.contains(&what.direction));
            if what.is_size() {
                continue;
            }
            match what.kind {
                StepKind::Concretize => directions.push(OTHER),
                StepKind::Assume if what.direction == 1 => directions.push(0),
                _ => {}
            }
            directions.push(what.direction);
            let mut evaluator = Evaluator::new();
            let mut value = |direction| {
                let condition = trace.flipped(&mut decoder, step, direction);
                evaluator.evaluate(decoder.pool(), condition, &other)
            };
            let values: Vec<_> = directions.into_iter().map(&mut value).collect();
            if values.iter().all(Option::is_some) {
                let holding = values.iter().flatten().filter(|value| value.is_true()).count();
                prop_assert_eq!(holding, 1, "step {:?}: {:?}", what, values);
            }
        }
    }

    #[test]
    fn slices_are_what_their_definition_says(seed: u64, order in 0_u8..3) {
        let generator = generate(seed, 60);
        let trace = Trace::new(generator.recording, &random::program()).unwrap();
        let steps = 0..trace.steps().len();
        let asked: Vec<_> = match order {
            0 => steps.collect(),
            1 => steps.rev().collect(),
            _ => steps.clone().step_by(3).chain(steps).collect(),
        };
        for step in asked {
            prop_assert_eq!(trace.slice(step), slice_by_definition(&trace, step), "{}", step);
        }
    }

    /// Under inputs that differ from that of the run in one symbol, and under all of those where the
    /// slice holds.
    #[test]
    fn what_is_left_of_a_step_says_the_same(seed: u64, order in 0_u8..2, soft: bool) {
        let generator = generate(seed, 60);
        let trace = Trace::new(generator.recording.clone(), &random::program()).unwrap();
        let mut decoder = trace.decoder();
        let mut simplified = Simplified::new(soft);
        let mut columns = Columns::default();
        let mut steps: Vec<_> = (0..trace.steps().len()).collect();
        if order == 1 {
            steps.reverse();
        }
        for step in steps {
            let mut pairs = Vec::new();
            let slice = trace.slice(step).into_iter();
            for earlier in slice.filter(|earlier| soft || !trace.steps()[*earlier].soft) {
                let taken = (earlier, trace.steps()[earlier].direction);
                let left = simplified.flipped(&trace, &mut decoder, &mut columns, taken);
                pairs.push((trace.condition(&mut decoder, earlier), left));
            }
            let mut sides = Vec::new();
            for direction in trace.alternatives(step).chain([trace.steps()[step].direction]) {
                let left = simplified.flipped(&trace, &mut decoder, &mut columns, (step, direction));
                sides.push((trace.flipped(&mut decoder, step, direction), left));
            }
            for (changed, by) in trace.support_of(step).into_iter().zip([1, 2, 32, 128, 255].into_iter().cycle()) {
                let other = |symbol| generator.symbol(symbol) ^ if symbol == changed { by } else { 0 };
                let mut evaluator = Evaluator::new();
                let mut value = |id| evaluator.evaluate(decoder.pool(), id, &other).map(labrys_expr::Value::is_true);
                let whole: Vec<_> = pairs.iter().map(|(whole, _)| value(*whole)).collect();
                let left: Vec<_> = pairs.iter().map(|(_, left)| value(*left)).collect();
                let hold = |values: &[Option<bool>]| values.iter().all(|value| *value == Some(true));
                if whole.iter().chain(&left).any(Option::is_none) {
                    continue;
                }
                prop_assert_eq!(hold(&whole), hold(&left), "the slice of step {}", step);
                if hold(&whole) {
                    for (whole, left) in &sides {
                        let (whole, left) = (value(*whole), value(*left));
                        prop_assert!(whole == left || whole.is_none(), "step {}", step);
                    }
                }
            }
        }
    }

    #[test]
    fn damaged_recordings_are_errors_or_traces(seed: u64, damage: u64) {
        let Generator { mut recording, .. } = generate(seed, 60);
        let mut random = fastrand::Rng::with_seed(damage);
        for _ in 0..random.u8(1..4) {
            damage_one(&mut recording, &mut random);
        }
        let program = random::program();
        if let Ok(trace) = Trace::new(recording, &program) {
            visit(&trace, &program);
        }
    }

    #[test]
    fn noise_is_an_error_or_a_trace(seed: u64, small: bool) {
        let mut random = fastrand::Rng::with_seed(seed);
        let most = if small { 4 } else { u8::MAX };
        let mut byte = move || random.u8(..=most);
        let mut recording = Recording::default();
        for _ in 0..20 {
            let mut word = || u32::from_le_bytes([byte(), 0, 0, byte() / 200]);
            recording.nodes.push(Node {
                op: word() as u8,
                flags: word() as u8 & 3,
                width: [1, 8, 64, word() as u16][word() as usize % 4],
                a: word(),
                b: word(),
                c: word(),
                imm: u64::from(word()),
                cv: 0,
            });
            let (kind, aux) = (word() as u8 % 13, word() as u8);
            let (site, label, direction) = (word(), word(), word());
            let (a, b) = (u64::from(word()), u64::from(word()));
            recording.events.push(Event { kind, aux, reserved: 0, site, label, direction, a, b });
            recording.data.extend([word() as u8, 0, 0, 0]);
        }
        let program = random::program();
        for nodes in (1..=recording.nodes.len()).rev() {
            recording.nodes.truncate(nodes);
            for events in [20, 3, 1] {
                let mut recording = recording.clone();
                recording.events.truncate(events);
                if let Ok(trace) = Trace::new(recording, &program) {
                    visit(&trace, &program);
                }
            }
        }
    }
}

fn damage_one(recording: &mut Recording, random: &mut fastrand::Rng) {
    let value = [
        0,
        1,
        2,
        8,
        64,
        128,
        129,
        u64::MAX,
        random.u64(..200),
        random.u64(..),
    ];
    let value = value[random.usize(..10)];
    let label = random.usize(..recording.nodes.len());
    let node = &mut recording.nodes[label];
    match random.u8(..12) {
        0 => node.op = value as u8,
        1 => node.flags = value as u8,
        2 => node.width = value as u16,
        3 => node.a = value as u32,
        4 => node.b = value as u32,
        5 => node.c = value as u32,
        6 => node.imm = value,
        7 => recording.data.truncate(value as usize),
        8 if !recording.data.is_empty() => {
            let at = random.usize(..recording.data.len());
            recording.data[at] = value as u8;
        }
        _ if !recording.events.is_empty() => {
            let at = random.usize(..recording.events.len());
            let event = &mut recording.events[at];
            match random.u8(..5) {
                0 => event.kind = value as u8,
                1 => event.site = value as u32,
                2 => event.label = value as u32,
                3 => event.direction = value as u32,
                _ => (event.a, event.b) = (value, random.u64(..100)),
            }
        }
        _ => {}
    }
}
