//! What is known of symbols in every state: addresses of objects, and what globals hold that only
//! ever get a few numbers.
//!
//! Law: a fact is true of each run whatever path it takes, so a core that needs facts is a
//! conflict of its constraints.

use labrys_expr::{ExprId, Symbol};
use labrys_program::GlobalId;

use crate::demand::Base;
use crate::objects::Kind;

impl Base<'_> {
    /// What is known of the symbols of some constraints.
    pub(crate) fn axioms(&mut self, constraints: &[ExprId]) -> Vec<ExprId> {
        let mut axioms = self.objects.axioms(&mut self.pool, constraints);
        if self.facts.is_empty() {
            return axioms;
        }
        let symbols = constraints
            .iter()
            .flat_map(|one| self.pool.symbols(*one).iter());
        let mut known: Vec<Symbol> = symbols
            .filter(|symbol| self.facts.contains_key(symbol))
            .collect();
        known.sort_unstable();
        known.dedup();
        for symbol in known {
            let (symbol, numbers) = self.facts[&symbol].clone();
            axioms.push(self.is_one_of(symbol, &numbers));
        }
        axioms
    }

    fn is_one_of(&mut self, symbol: ExprId, numbers: &[u128]) -> ExprId {
        let width = self.pool.width(symbol);
        let mut any = ExprId::FALSE;
        for bits in numbers {
            let number = self.pool.constant(width, *bits);
            let equal = self.pool.eq(symbol, number);
            any = self.pool.or(any, equal);
        }
        any
    }

    /// The one number that a part of a global ever holds.
    pub(crate) fn only_number(
        &mut self,
        id: GlobalId,
        offset: ExprId,
        size: u32,
    ) -> Option<ExprId> {
        let numbers = self.numbers(id, offset, size)?;
        match numbers[..] {
            [bits] => Some(self.pool.constant(8 * size, bits)),
            _ => None,
        }
    }

    /// Notes which numbers a symbol may be that stands for what is at an address.
    pub(crate) fn note_numbers(&mut self, address: ExprId, symbol: ExprId, size: u32) {
        let Some((object, offset)) = self.objects.root(&mut self.pool, address) else {
            return;
        };
        let Kind::Global(id) = object.kind else {
            return;
        };
        let numbers = self.numbers(id, offset, size);
        if let (Some(numbers), Some(name)) = (numbers, self.pool.as_symbol(symbol)) {
            self.facts.insert(name, (symbol, numbers.into()));
        }
    }

    /// A symbol stands for what another one stood for at another time.
    pub(crate) fn note_same(&mut self, symbol: Symbol, last: ExprId) {
        let numbers = self.facts.get(&symbol).map(|(_, numbers)| numbers.clone());
        if let (Some(numbers), Some(name)) = (numbers, self.pool.as_symbol(last)) {
            self.facts.insert(name, (last, numbers));
        }
    }

    fn numbers(&mut self, id: GlobalId, offset: ExprId, size: u32) -> Option<Vec<u128>> {
        let offset = u64::try_from(self.pool.bits(offset)?).ok()?;
        let part = (offset, u64::from(size));
        self.image.global_values(id, part)
    }
}
