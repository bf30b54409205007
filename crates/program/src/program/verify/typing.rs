//! Checks that operands and results have the types that operations demand.

use super::Report;
use super::tables::cast_fits;
use crate::{
    Block, Callee, Function, FunctionId, Instruction, Intrinsic, Operand, Operation, Program,
    Terminator, Type,
};

pub(super) fn check(program: &Program, id: FunctionId, function: &Function, report: &mut Report) {
    let types = Types { program, function };
    for (block_id, block) in function.blocks() {
        for phi in &block.phis {
            let expected = types.of_value(phi.result);
            if phi
                .incoming
                .iter()
                .any(|(_, operand)| types.of(*operand) != expected)
            {
                report.at(
                    id,
                    block_id,
                    format!("{} has operands of another type", phi.result),
                );
            }
        }
        for instruction in &block.instructions {
            if !types.instruction(instruction) {
                let message = format!("ill typed: {:?}", instruction.operation);
                report.at(id, block_id, message);
            }
        }
        if !types.terminator(block) {
            report.at(id, block_id, format!("ill typed: {:?}", block.terminator));
        }
    }
}

struct Types<'a> {
    program: &'a Program,
    function: &'a Function,
}

impl Types<'_> {
    fn of(&self, operand: Operand) -> Type {
        self.program
            .operand_type(self.function, operand)
            .unwrap_or_default()
    }

    fn of_value(&self, value: crate::ValueId) -> Type {
        self.function.value_type(value).unwrap_or_default()
    }

    /// Type of the part of an aggregate type at a path.
    fn part(&self, aggregate: Type, indices: &[u32]) -> Option<Type> {
        let mut ty = aggregate;
        for index in indices {
            let Type::Aggregate(id) = ty else { return None };
            ty = self.program.aggregates.get(id.index())?.element(*index)?;
        }
        Some(ty)
    }

    fn instruction(&self, instruction: &Instruction) -> bool {
        let result = instruction
            .result
            .map_or(Type::Void, |value| self.of_value(value));
        let of = |operand: &Operand| self.of(*operand);
        let stored = |ty, size: &u64| self.program.store_size(ty) == Some(*size);
        match &instruction.operation {
            Operation::Binary { left, right, .. } => {
                result.is_int() && of(left) == result && of(right) == result
            }
            Operation::Compare { left, right, .. } => {
                let ty = of(left);
                result == Type::Int(1) && (ty.is_int() || ty == Type::Pointer) && of(right) == ty
            }
            Operation::Float { left, right, .. } => {
                result.is_float() && of(left) == result && of(right) == result
            }
            Operation::FloatCompare { left, right, .. } => {
                result == Type::Int(1) && of(left).is_float() && of(right) == of(left)
            }
            Operation::FloatNegate(value) => result.is_float() && of(value) == result,
            Operation::Cast { cast, value } => cast_fits(*cast, of(value), result),
            Operation::Select {
                condition,
                if_true,
                if_false,
                ..
            } => of(condition) == Type::Int(1) && of(if_true) == result && of(if_false) == result,
            Operation::Freeze(value) => result != Type::Void && of(value) == result,
            Operation::Load { address, size, .. } => {
                of(address) == Type::Pointer && result != Type::Void && stored(result, size)
            }
            Operation::Store {
                address,
                value,
                size,
                ..
            } => of(address) == Type::Pointer && result == Type::Void && stored(of(value), size),
            Operation::Allocate { count, align, .. } => {
                result == Type::Pointer && of(count).is_int() && align.is_power_of_two()
            }
            Operation::Address { base, terms, .. } => {
                let index = |term: &crate::AddressTerm| matches!(of(&term.index), Type::Int(width) if width <= 64);
                result == Type::Pointer && of(base) == Type::Pointer && terms.iter().all(index)
            }
            Operation::Call { callee, .. } => match callee {
                Callee::Direct(_) => true,
                Callee::Indirect(address) => of(address) == Type::Pointer,
            },
            Operation::Intrinsic {
                intrinsic,
                arguments,
            } => self.intrinsic(*intrinsic, arguments, result),
            Operation::Extract { aggregate, indices } => {
                !indices.is_empty() && self.part(of(aggregate), indices) == Some(result)
            }
            Operation::Insert {
                aggregate,
                value,
                indices,
            } => {
                let ty = of(aggregate);
                !indices.is_empty() && ty == result && self.part(ty, indices) == Some(of(value))
            }
            Operation::VariableArgument(list) => of(list) == Type::Pointer && result != Type::Void,
            Operation::Opaque { .. } => true,
        }
    }

    /// Intrinsics that compute a scalar; the others are taken as LLVM's verifier left them.
    fn intrinsic(&self, intrinsic: Intrinsic, arguments: &[Operand], result: Type) -> bool {
        use Intrinsic as I;
        let ty = |index: usize| arguments.get(index).map(|operand| self.of(*operand));
        let same = |count: usize| {
            arguments.len() == count && (0..count).all(|index| ty(index) == Some(result))
        };
        match intrinsic {
            I::MemoryCopy | I::MemoryCopyInline | I::MemoryMove => {
                result == Type::Void && self.writes_memory(arguments, Type::Pointer)
            }
            I::MemorySet | I::MemorySetInline => {
                result == Type::Void && self.writes_memory(arguments, Type::Int(8))
            }
            I::SignedAddOverflow
            | I::UnsignedAddOverflow
            | I::SignedSubOverflow
            | I::UnsignedSubOverflow
            | I::SignedMulOverflow
            | I::UnsignedMulOverflow => self.checked_arithmetic(arguments, result),
            I::PopCount | I::ByteSwap | I::BitReverse => result.is_int() && same(1),
            I::LeadingZeros | I::TrailingZeros | I::Abs => {
                result.is_int() && ty(0) == Some(result) && ty(1) == Some(Type::Int(1))
            }
            I::SignedMin | I::SignedMax | I::UnsignedMin | I::UnsignedMax => {
                result.is_int() && same(2)
            }
            I::SignedAddSaturating
            | I::UnsignedAddSaturating
            | I::SignedSubSaturating
            | I::UnsignedSubSaturating
            | I::SignedShlSaturating
            | I::UnsignedShlSaturating => result.is_int() && same(2),
            I::FunnelShiftLeft | I::FunnelShiftRight => result.is_int() && same(3),
            I::FloatAbs
            | I::SquareRoot
            | I::Floor
            | I::Ceil
            | I::RoundToZero
            | I::Round
            | I::RoundEven
            | I::Rint
            | I::NearbyInt => result.is_float() && same(1),
            I::Sine
            | I::Cosine
            | I::Tangent
            | I::Exp
            | I::Exp2
            | I::Exp10
            | I::Log
            | I::Log2
            | I::Log10 => result.is_float() && same(1),
            I::CopySign
            | I::FloatMin
            | I::FloatMax
            | I::FloatMinimum
            | I::FloatMaximum
            | I::Power => result.is_float() && same(2),
            I::FusedMultiplyAdd | I::MultiplyAdd => result.is_float() && same(3),
            I::Expect | I::ExpectProbability => result.is_int() && ty(0) == Some(result),
            I::Assume => ty(0) == Some(Type::Int(1)),
            _ => true,
        }
    }

    /// A destination, a source of this type, a length, and whether the accesses are volatile.
    fn writes_memory(&self, arguments: &[Operand], source: Type) -> bool {
        let [to, from, length, _] = arguments else {
            return false;
        };
        self.of(*to) == Type::Pointer && self.of(*from) == source && self.of(*length).is_int()
    }

    /// Two integers, of which come one like them and the overflow bit.
    fn checked_arithmetic(&self, arguments: &[Operand], result: Type) -> bool {
        let [left, right] = arguments else {
            return false;
        };
        let ty = self.of(*left);
        ty.is_int()
            && self.of(*right) == ty
            && self.part(result, &[0]) == Some(ty)
            && self.part(result, &[1]) == Some(Type::Int(1))
    }

    fn terminator(&self, block: &Block) -> bool {
        match &block.terminator {
            Terminator::Return(value) => {
                value.map_or(Type::Void, |value| self.of(value)) == self.function.result
            }
            Terminator::Branch { condition, .. } => self.of(*condition) == Type::Int(1),
            Terminator::Switch { value, cases, .. } => match self.of(*value) {
                Type::Int(128) => !cases.is_empty(),
                Type::Int(width) => {
                    !cases.is_empty() && cases.iter().all(|(case, _)| case >> width == 0)
                }
                _ => false,
            },
            Terminator::Jump(_) | Terminator::Unreachable | Terminator::Opaque { .. } => true,
        }
    }
}
