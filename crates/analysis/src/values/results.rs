//! The results of operations on sets of numbers: one by one through their meaning where the operands
//! have few numbers, by their bounds else.

use labrys_program::{AddressTerm, BinaryOperator, Cast, Intrinsic, Operand, Operation, Type};
use labrys_semantics::{Algebra, Concrete, IrValue, Operands, meaning};

use super::known::{Definitions, Known};
use super::numbers::Numbers;

/// Combinations of numbers that are computed one by one.
const MAX_COMBINATIONS: usize = 128;

/// The numbers that an operation without effects gives; `None` if they are any.
pub(super) fn result(
    definitions: &dyn Definitions,
    known: &Known,
    operation: &Operation,
    width: u32,
) -> Option<Numbers> {
    let of = |operand: Operand| definitions.operand(known, operand);
    match operation {
        Operation::Binary {
            operator,
            left,
            right,
        } => {
            let (a, b) = (of(*left)?, of(*right)?);
            let one_by_one = is_total(*operator, &b)
                .then(|| each(definitions, known, operation, &[*left, *right], width))
                .flatten();
            Some(one_by_one.unwrap_or_else(|| a.combined(*operator, &b)))
        }
        Operation::Compare {
            comparison,
            left,
            right,
        } => {
            let (a, b) = (of(*left)?, of(*right)?);
            let one_by_one = each(definitions, known, operation, &[*left, *right], width);
            Some(one_by_one.unwrap_or_else(|| a.compared(*comparison, &b)))
        }
        Operation::Cast { cast, value } => {
            of(*value).and_then(|from| cast_result(*cast, from, width))
        }
        Operation::Select {
            condition,
            if_true,
            if_false,
            ..
        } => {
            let sides = (*if_true, *if_false);
            chosen(definitions, known, *condition, sides, width)
        }
        Operation::Freeze(operand) => of(*operand),
        Operation::Address {
            base,
            offset,
            terms,
        } => {
            let base = of(*base)?.plus(&Numbers::one(64, *offset as u64));
            let add = |sum: Numbers, term: &AddressTerm| {
                let index = of(term.index)?.extended(64, true);
                Some(sum.plus(&index.times(&Numbers::one(64, term.scale))))
            };
            terms.iter().try_fold(base, add)
        }
        Operation::Intrinsic {
            intrinsic,
            arguments,
        } => intrinsic_result(
            definitions,
            known,
            operation,
            (*intrinsic, arguments),
            width,
        ),
        Operation::FloatCompare { .. } => Some(Numbers::any(1)),
        _ => None,
    }
}

/// The numbers of one of two values.
fn chosen(
    definitions: &dyn Definitions,
    known: &Known,
    condition: Operand,
    (if_true, if_false): (Operand, Operand),
    width: u32,
) -> Option<Numbers> {
    let mut all = Numbers::none(width);
    for (holds, side) in [(true, if_true), (false, if_false)] {
        let mut known = known.clone();
        known.assume(definitions, condition, holds);
        if !known.is_impossible() {
            all = all.join(&definitions.operand(&known, side)?);
        }
    }
    Some(all)
}

fn cast_result(cast: Cast, from: Numbers, width: u32) -> Option<Numbers> {
    match cast {
        Cast::Truncate => Some(from.truncated(width)),
        Cast::ZeroExtend => Some(from.extended(width, false)),
        Cast::SignExtend => Some(from.extended(width, true)),
        Cast::PointerToInt | Cast::IntToPointer | Cast::Bits => {
            (from.width() == width).then_some(from)
        }
        _ => None,
    }
}

fn intrinsic_result(
    definitions: &dyn Definitions,
    known: &Known,
    operation: &Operation,
    (intrinsic, arguments): (Intrinsic, &[Operand]),
    width: u32,
) -> Option<Numbers> {
    match intrinsic {
        Intrinsic::Expect | Intrinsic::ExpectProbability => {
            definitions.operand(known, *arguments.first()?)
        }
        Intrinsic::SignedMin
        | Intrinsic::SignedMax
        | Intrinsic::UnsignedMin
        | Intrinsic::UnsignedMax => {
            each(definitions, known, operation, arguments, width).or_else(|| {
                // One of the two.
                let (a, b) = (arguments.first()?, arguments.get(1)?);
                Some(
                    definitions
                        .operand(known, *a)?
                        .join(&definitions.operand(known, *b)?),
                )
            })
        }
        Intrinsic::PopCount | Intrinsic::ByteSwap | Intrinsic::BitReverse => {
            each(definitions, known, operation, arguments, width)
        }
        _ => None,
    }
}

/// Whether an operation gives one number for each pair.
fn is_total(operator: BinaryOperator, right: &Numbers) -> bool {
    let Some(all) = right.names() else {
        return false;
    };
    match operator {
        BinaryOperator::Shl | BinaryOperator::LShr | BinaryOperator::AShr => {
            all.iter().all(|by| *by < u64::from(right.width()))
        }
        BinaryOperator::UDiv | BinaryOperator::URem => !right.contains(0),
        BinaryOperator::SDiv | BinaryOperator::SRem => {
            !right.contains(0) && !right.contains(u64::MAX >> (64 - right.width()))
        }
        _ => true,
    }
}

/// The operands of one combination.
struct Chosen<'c> {
    operands: &'c [(Operand, u32, Type)],
    numbers: &'c [u64],
}

impl Operands<Concrete> for Chosen<'_> {
    fn value(
        &mut self,
        algebra: &mut Concrete,
        operand: Operand,
    ) -> Option<IrValue<<Concrete as Algebra>::Value>> {
        let mut all = self.operands.iter().zip(self.numbers);
        let ((_, width, _), bits) = all.find(|((known, ..), _)| *known == operand)?;
        Some(IrValue::Scalar(algebra.constant(*width, u128::from(*bits))))
    }

    fn ty(&self, operand: Operand) -> Option<Type> {
        let mut all = self.operands.iter();
        Some(all.find(|(known, ..)| *known == operand)?.2)
    }
}

/// The results for each combination of the operands' numbers; `None` if they are too many.
fn each(
    definitions: &dyn Definitions,
    known: &Known,
    operation: &Operation,
    operands: &[Operand],
    width: u32,
) -> Option<Numbers> {
    let mut distinct: Vec<(Operand, u32, Type)> = Vec::new();
    let mut combinations: Vec<Vec<u64>> = vec![Vec::new()];
    for operand in operands {
        if distinct.iter().any(|(known, ..)| known == operand) {
            continue;
        }
        let numbers = definitions.operand(known, *operand)?;
        let names = numbers.names()?;
        if combinations.len() * names.len() > MAX_COMBINATIONS {
            return None;
        }
        combinations = combinations
            .iter()
            .flat_map(|before| {
                names.iter().map(move |bits| {
                    let mut longer = before.clone();
                    longer.push(*bits);
                    longer
                })
            })
            .collect();
        distinct.push((
            *operand,
            numbers.width(),
            definitions.operand_type(*operand)?,
        ));
    }
    let mut concrete = Concrete {
        external: |_, _, _| None,
    };
    let mut all = Vec::new();
    for numbers in &combinations {
        let mut chosen = Chosen {
            operands: &distinct,
            numbers,
        };
        let value = meaning(&mut concrete, operation, Type::Int(width), &mut chosen)?;
        all.push(concrete.known(value.scalar()?)? as u64);
    }
    Some(Numbers::few(width, all))
}
