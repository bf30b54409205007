//! Prints the bodies of functions, and constants.

use std::fmt::{self, Display, Formatter, Write as _};

use super::words::{Place, Quoted, Symbol, function_name, global_name, separated};
use crate::{
    Access, AddressTerm, Block, Callee, Constant, ConstantId, Function, Instruction, Opaque,
    Operand, Operation, Program, Terminator, ValueId,
};

/// Prints what stands inside one function.
pub(super) struct Body<'a> {
    pub(super) program: &'a Program,
    pub(super) function: &'a Function,
}

impl Body<'_> {
    pub(super) fn block(&self, block: &Block, f: &mut Formatter<'_>) -> fmt::Result {
        for phi in &block.phis {
            self.result(Some(phi.result), f)?;
            f.write_str("phi [")?;
            separated(f, &phi.incoming, |f, (from, operand)| {
                write!(f, "{from} ")?;
                self.operand(*operand, f)
            })?;
            writeln!(f, "]")?;
        }
        for instruction in &block.instructions {
            self.instruction(instruction, f)?;
        }
        f.write_str("  ")?;
        self.terminator(&block.terminator, f)?;
        writeln!(f, "{}", Place(block.location))
    }

    fn result(&self, result: Option<ValueId>, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("  ")?;
        let Some(value) = result else { return Ok(()) };
        let ty = self.function.value_type(value).unwrap_or_default();
        write!(f, "{value}: {ty} = ")
    }

    fn instruction(&self, instruction: &Instruction, f: &mut Formatter<'_>) -> fmt::Result {
        self.result(instruction.result, f)?;
        self.operation(&instruction.operation, f)?;
        writeln!(f, "{}", Place(instruction.location))
    }

    /// The operands of an operation are printed in the order of `visit_operands`.
    fn operation(&self, operation: &Operation, f: &mut Formatter<'_>) -> fmt::Result {
        match operation {
            Operation::Binary {
                operator,
                left,
                right,
            } => self.word_list(operator.name(), &[*left, *right], f),
            Operation::Compare {
                comparison,
                left,
                right,
            } => {
                f.write_str("icmp ")?;
                self.word_list(comparison.name(), &[*left, *right], f)
            }
            Operation::Float {
                operator,
                left,
                right,
            } => self.word_list(operator.name(), &[*left, *right], f),
            Operation::FloatCompare {
                comparison,
                left,
                right,
            } => {
                f.write_str("fcmp ")?;
                self.word_list(comparison.name(), &[*left, *right], f)
            }
            Operation::FloatNegate(value) => self.word_list("fneg", &[*value], f),
            Operation::Cast { cast, value } => self.word_list(cast.name(), &[*value], f),
            Operation::Select {
                site,
                condition,
                if_true,
                if_false,
            } => {
                write!(f, "select #{} ", site.0)?;
                self.list(&[*condition, *if_true, *if_false], f)
            }
            Operation::Freeze(value) => self.word_list("freeze", &[*value], f),
            Operation::Load {
                address,
                size,
                access,
            } => {
                write!(f, "load {}{size}, ", access_word(*access))?;
                self.operand(*address, f)
            }
            Operation::Store {
                address,
                value,
                size,
                access,
            } => {
                write!(f, "store {}{size}, ", access_word(*access))?;
                self.list(&[*address, *value], f)
            }
            Operation::Allocate { size, count, align } => {
                write!(f, "alloca {size}, ")?;
                self.operand(*count, f)?;
                write!(f, ", align {align}")
            }
            Operation::Address {
                base,
                offset,
                terms,
            } => self.address(*base, *offset, terms, f),
            Operation::Call {
                callee,
                arguments,
                variadic,
            } => {
                f.write_str(if *variadic { "call variadic " } else { "call " })?;
                self.callee(*callee, f)?;
                self.group(arguments, f)
            }
            Operation::Intrinsic {
                intrinsic,
                arguments,
            } => {
                write!(f, "intrinsic {}", intrinsic.name())?;
                self.group(arguments, f)
            }
            Operation::Extract { aggregate, indices } => {
                self.word_list("extract", &[*aggregate], f)?;
                path(indices, f)
            }
            Operation::Insert {
                aggregate,
                value,
                indices,
            } => {
                self.word_list("insert", &[*aggregate, *value], f)?;
                path(indices, f)
            }
            Operation::VariableArgument(list) => self.word_list("va_arg", &[*list], f),
            Operation::Opaque {
                reason,
                operands,
                writes_memory,
            } => {
                write!(f, "opaque {}", Reason(reason))?;
                f.write_str(if *writes_memory { " writes " } else { " " })?;
                self.group(operands, f)
            }
        }
    }

    fn address(
        &self,
        base: Operand,
        offset: i64,
        terms: &[AddressTerm],
        f: &mut Formatter<'_>,
    ) -> fmt::Result {
        self.word_list("address", &[base], f)?;
        write!(f, ", {offset}")?;
        terms.iter().try_for_each(|term| {
            f.write_str(", ")?;
            self.operand(term.index, f)?;
            write!(f, " * {}", term.scale)
        })
    }

    fn callee(&self, callee: Callee, f: &mut Formatter<'_>) -> fmt::Result {
        match callee {
            Callee::Direct(id) => write!(f, "{}", Symbol(function_name(self.program, id))),
            Callee::Indirect(address) => {
                f.write_char('*')?;
                self.operand(address, f)
            }
        }
    }

    fn terminator(&self, terminator: &Terminator, f: &mut Formatter<'_>) -> fmt::Result {
        match terminator {
            Terminator::Return(None) => f.write_str("ret"),
            Terminator::Return(Some(value)) => self.word_list("ret", &[*value], f),
            Terminator::Jump(to) => write!(f, "jump {to}"),
            Terminator::Branch {
                site,
                condition,
                if_true,
                if_false,
            } => {
                write!(f, "br #{} ", site.0)?;
                self.operand(*condition, f)?;
                write!(f, ", {if_true}, {if_false}")
            }
            Terminator::Switch {
                site,
                value,
                default,
                cases,
            } => {
                write!(f, "switch #{} ", site.0)?;
                self.operand(*value, f)?;
                write!(f, ", {default} [")?;
                separated(f, cases, |f, (case, to)| write!(f, "{case} {to}"))?;
                f.write_char(']')
            }
            Terminator::Unreachable => f.write_str("unreachable"),
            Terminator::Opaque {
                reason,
                operands,
                successors,
            } => {
                write!(f, "opaque_jump {} ", Reason(reason))?;
                self.group(operands, f)?;
                f.write_str(" [")?;
                separated(f, successors, |f, to| write!(f, "{to}"))?;
                f.write_char(']')
            }
        }
    }

    fn word_list(&self, word: &str, operands: &[Operand], f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{word} ")?;
        self.list(operands, f)
    }

    fn list(&self, operands: &[Operand], f: &mut Formatter<'_>) -> fmt::Result {
        separated(f, operands, |f, operand| self.operand(*operand, f))
    }

    fn group(&self, operands: &[Operand], f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char('(')?;
        self.list(operands, f)?;
        f.write_char(')')
    }

    fn operand(&self, operand: Operand, f: &mut Formatter<'_>) -> fmt::Result {
        match operand {
            Operand::Value(value) => write!(f, "{value}"),
            Operand::Constant(constant) => print_constant(self.program, constant, f),
        }
    }
}

/// A reason, with its name in quotes.
struct Reason<'a>(&'a Opaque);

impl Display for Reason<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0.parts() {
            (kind, None) => f.write_str(kind),
            (kind, Some(name)) => write!(f, "{kind} {}", Quoted(name.as_bytes())),
        }
    }
}

/// The word for a kind of access that is not plain, with a space after it.
fn access_word(access: Access) -> &'static str {
    match access {
        Access::Plain => "",
        Access::Volatile => "volatile ",
        Access::Atomic => "atomic ",
    }
}

fn path(indices: &[u32], f: &mut Formatter<'_>) -> fmt::Result {
    f.write_str(" [")?;
    separated(f, indices, |f, index| write!(f, "{index}"))?;
    f.write_char(']')
}

fn print_constant(program: &Program, id: ConstantId, f: &mut Formatter<'_>) -> fmt::Result {
    let Some(constant) = program.constant(id) else {
        return write!(f, "?{id}");
    };
    let nested = |child: &ConstantId, f: &mut Formatter<'_>| {
        // A damaged table must not make the printer loop.
        if *child < id {
            print_constant(program, *child, f)
        } else {
            write!(f, "?{child}")
        }
    };
    match constant {
        Constant::Int { width, bits } => write!(f, "i{width} {}", signed(*width, *bits)),
        Constant::Float(bits) => write!(f, "float {bits:#010x}"),
        Constant::Double(bits) => write!(f, "double {bits:#018x}"),
        Constant::Null => f.write_str("null"),
        Constant::Global(global) => write!(f, "{}", Symbol(global_name(program, *global))),
        Constant::Function(function) => write!(f, "{}", Symbol(function_name(program, *function))),
        Constant::Offset { base, offset } => {
            f.write_str("offset(")?;
            nested(base, f)?;
            write!(f, ", {offset})")
        }
        Constant::Cast { cast, to, value } => {
            write!(f, "{}(", cast.name())?;
            nested(value, f)?;
            write!(f, ", {to})")
        }
        Constant::Binary {
            operator,
            left,
            right,
        } => {
            write!(f, "{}(", operator.name())?;
            nested(left, f)?;
            f.write_str(", ")?;
            nested(right, f)?;
            f.write_char(')')
        }
        Constant::Aggregate {
            aggregate,
            elements,
        } => {
            write!(f, "{{{aggregate} ")?;
            separated(f, elements, |f, element| nested(element, f))?;
            f.write_char('}')
        }
        Constant::Zero(ty) => write!(f, "zero {ty}"),
        Constant::Undefined(ty) => write!(f, "undef {ty}"),
        Constant::Poison(ty) => write!(f, "poison {ty}"),
        Constant::Opaque { ty, reason } => write!(f, "opaque {ty} {}", Reason(reason)),
    }
}

/// The bits of an integer read as a signed number; a single bit is 0 or 1.
fn signed(width: u32, bits: u128) -> i128 {
    let unused = if width == 1 {
        0
    } else {
        128 - width.clamp(1, 128)
    };
    ((bits << unused) as i128) >> unused
}
