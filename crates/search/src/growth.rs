//! Room at the end of files that grow.
//!
//! The solver makes a file as long as a query needs, most often by one byte; what a program does
//! with another line is then many queries away, each of which covers nothing. So a file that
//! grows grows by a piece, as long as the conditions stay true. The piece is short: a file that
//! doubled each time would soon be too long to read.
//!
//! The objects of a harness without an end grow by a factor, as in iterative deepening: a run takes
//! no longer than it has objects, and a loop of many iterations is in reach.
//!
//! Law: the model satisfies the conditions before and after.

use labrys_abi::MAX_OBJECTS;
use labrys_expr::{Evaluator, ExprId, Pool, Symbol};
use labrys_solver::{Assignment, Model};
use labrys_suite::{Input, StreamKind};

/// By how many bytes a file grows.
const PIECE: usize = 16;
/// How many times as long objects get.
const FACTOR: usize = 8;

/// Lengthens the files that the model makes longer than the parent's.
pub(crate) fn roomier(
    pool: &Pool,
    constraints: &[ExprId],
    hint: &Assignment,
    parent: &Input,
    model: &mut Model,
    max_length: usize,
) {
    for (stream, old) in (0u16..).zip(&parent.streams) {
        let symbol = Symbol::Length { stream };
        let Some(new) = model.get(symbol) else {
            continue;
        };
        let objects = old.kind == StreamKind::Objects;
        let old = old.bytes.len();
        let wanted = match objects {
            true => (old * FACTOR).min(MAX_OBJECTS as usize),
            false => (old + PIECE).min(max_length),
        } as u128;
        if new <= old as u128 || new >= wanted {
            continue;
        }
        model.0.insert(symbol, wanted);
        let value = |symbol| model.get(symbol).unwrap_or_else(|| hint.get(symbol));
        let mut evaluator = Evaluator::new();
        let mut constraints = constraints.iter();
        if !constraints.all(|constraint| evaluator.holds(pool, *constraint, &value)) {
            model.0.insert(symbol, new);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The length that a file of eight bytes gets, if the query wants `least..=most`.
    fn length(least: u128, most: u128, max_length: usize) -> u128 {
        let mut pool = Pool::new();
        let symbol = Symbol::Length { stream: 0 };
        let value = pool.symbol(symbol);
        let bounds = [least, most].map(|bound| pool.constant(64, bound));
        let constraints = vec![pool.ule(bounds[0], value), pool.ule(value, bounds[1])];
        let parent = Input::stdin(*b"12345678");
        let hint = Assignment::from_streams([parent.streams[0].bytes.clone()]);
        let mut model = Model([(symbol, least)].into());
        roomier(&pool, &constraints, &hint, &parent, &mut model, max_length);
        model.get(symbol).expect("a length")
    }

    #[test]
    fn files_grow_by_a_piece_where_that_is_allowed() {
        assert_eq!(length(9, 1000, 1000), 24);
        assert_eq!(length(30, 1000, 1000), 30);
        assert_eq!(length(9, 20, 1000), 9);
        assert_eq!(length(9, 1000, 20), 20);
        assert_eq!(length(3, 1000, 1000), 3);
    }
}
