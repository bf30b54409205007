//! Constants of the bitcode to constants of the static program model.
//!
//! A constant is first described as a tree and interned when the description is complete, so
//! that no constant is left behind unused. Children are interned before parents, from left to
//! right: the order that the model requires.

use std::collections::{HashMap, HashSet};

use labrys_program::{
    AggregateId, BinaryOperator, Cast, Constant, ConstantId, FunctionId, GlobalId, Opaque, Type,
};

use super::address;
use super::operators::{binary_operator, cast};
use super::types::Types;
use labrys_llvm::{LLVMOpcode, LLVMTypeKind, LLVMValueKind, Module, Type as LlvmType, Value};

/// How deep constants may nest; deeper ones are opaque.
const DEPTH: u32 = 60;

/// How many elements an aggregate constant may have; greater ones are opaque. (Initializers of
/// globals are bytes and not bound by this.)
const ELEMENTS: u64 = 1024;

/// What a symbol of the module stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    Global(GlobalId),
    Function(FunctionId),
}

/// The address of a symbol plus some bytes, or an absolute address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) symbol: Option<Symbol>,
    pub(super) offset: i64,
}

/// A constant that is not interned yet.
enum Tree {
    Leaf(Constant),
    Offset(Box<Tree>, i64),
    Cast(Cast, Type, Box<Tree>),
    Binary(BinaryOperator, Box<Tree>, Box<Tree>),
    Aggregate(AggregateId, Vec<Tree>),
}

/// Constants lowered so far, and what symbols stand for.
pub(super) struct Constants<'m> {
    symbols: HashMap<Value<'m>, Symbol>,
    known: HashMap<Value<'m>, ConstantId>,
    /// Functions whose addresses are used.
    taken: HashSet<FunctionId>,
}

impl<'m> Constants<'m> {
    pub(super) fn of(module: &'m Module) -> Self {
        let functions = module.functions().into_iter().enumerate();
        let globals = module.globals().into_iter().enumerate();
        let symbols = functions
            .map(|(index, value)| (value, Symbol::Function(FunctionId::new(index))))
            .chain(globals.map(|(index, value)| (value, Symbol::Global(GlobalId::new(index)))))
            .collect();
        Constants {
            symbols,
            known: HashMap::new(),
            taken: HashSet::new(),
        }
    }

    /// What a symbol of the module stands for.
    pub(super) fn symbol(&self, value: Value<'m>) -> Option<Symbol> {
        self.symbols.get(&value).copied()
    }

    /// The functions whose addresses are used.
    pub(super) fn into_taken(self) -> HashSet<FunctionId> {
        self.taken
    }

    /// The constant of the model.
    pub(super) fn constant(&mut self, types: &mut Types<'m>, value: Value<'m>) -> ConstantId {
        if let Some(known) = self.known.get(&value) {
            return *known;
        }
        let tree = self.tree(types, value, 0);
        let id = self.intern(types, tree);
        self.known.insert(value, id);
        id
    }

    fn intern(&mut self, types: &mut Types<'m>, tree: Tree) -> ConstantId {
        let constant = match tree {
            Tree::Leaf(constant) => {
                if let Constant::Function(function) = constant {
                    self.take_address(function);
                }
                constant
            }
            Tree::Offset(base, offset) => Constant::Offset {
                base: self.intern(types, *base),
                offset,
            },
            Tree::Cast(cast, to, value) => Constant::Cast {
                cast,
                to,
                value: self.intern(types, *value),
            },
            Tree::Binary(operator, left, right) => {
                let left = self.intern(types, *left);
                Constant::Binary {
                    operator,
                    left,
                    right: self.intern(types, *right),
                }
            }
            Tree::Aggregate(aggregate, elements) => {
                let elements = elements
                    .into_iter()
                    .map(|element| self.intern(types, element))
                    .collect();
                Constant::Aggregate {
                    aggregate,
                    elements,
                }
            }
        };
        types.tables().constant(constant)
    }

    /// Notes that the address of a function is used.
    pub(super) fn take_address(&mut self, function: FunctionId) {
        self.taken.insert(function);
    }

    fn tree(&mut self, types: &mut Types<'m>, value: Value<'m>, depth: u32) -> Tree {
        let ty = types.of(value.ty());
        let described = if depth < DEPTH {
            self.describe(types, value, ty, depth)
        } else {
            None
        };
        described.unwrap_or_else(|| {
            let kind = format!("{:?}", value.kind());
            let kind = kind
                .trim_start_matches("LLVM")
                .trim_end_matches("ValueKind");
            Tree::Leaf(Constant::Opaque {
                ty,
                reason: Opaque::Constant(kind.to_owned()),
            })
        })
    }

    /// The description of a constant that has a model.
    fn describe(
        &mut self,
        types: &mut Types<'m>,
        value: Value<'m>,
        ty: Type,
        depth: u32,
    ) -> Option<Tree> {
        use LLVMValueKind as K;
        if let Some(symbol) = self.symbols.get(&value) {
            let address = symbol_constant(*symbol);
            return (ty == Type::Pointer).then_some(Tree::Leaf(address));
        }
        let composite = matches!(ty, Type::Aggregate(_) | Type::Foreign(_));
        Some(match value.kind() {
            K::LLVMGlobalAliasValueKind if ty == Type::Pointer => {
                self.tree(types, value.aliasee()?, depth + 1)
            }
            K::LLVMConstantIntValueKind => match ty {
                Type::Int(width) => Tree::Leaf(Constant::Int {
                    width,
                    bits: value.const_int_bits()?,
                }),
                _ => return None,
            },
            K::LLVMConstantFPValueKind => match ty {
                Type::Float => Tree::Leaf(Constant::Float(value.const_float_bits()? as u32)),
                Type::Double => Tree::Leaf(Constant::Double(value.const_float_bits()?)),
                _ => return None,
            },
            K::LLVMConstantPointerNullValueKind if ty == Type::Pointer => {
                Tree::Leaf(Constant::Null)
            }
            K::LLVMUndefValueValueKind => Tree::Leaf(Constant::Undefined(ty)),
            K::LLVMPoisonValueKind => Tree::Leaf(Constant::Poison(ty)),
            K::LLVMConstantAggregateZeroValueKind if composite => Tree::Leaf(Constant::Zero(ty)),
            K::LLVMConstantStructValueKind
            | K::LLVMConstantArrayValueKind
            | K::LLVMConstantDataArrayValueKind => self.aggregate_tree(types, value, ty, depth)?,
            K::LLVMConstantExprValueKind => self.expression_tree(types, value, ty, depth)?,
            _ => return None,
        })
    }

    fn aggregate_tree(
        &mut self,
        types: &mut Types<'m>,
        value: Value<'m>,
        ty: Type,
        depth: u32,
    ) -> Option<Tree> {
        let Type::Aggregate(id) = ty else { return None };
        let count = types.tables().aggregate_at(id)?.len();
        if count > ELEMENTS {
            return None;
        }
        let elements: Option<Vec<Tree>> = (0..count as u32)
            .map(|index| Some(self.tree(types, value.const_element(index)?, depth + 1)))
            .collect();
        Some(Tree::Aggregate(id, elements?))
    }

    fn expression_tree(
        &mut self,
        types: &mut Types<'m>,
        value: Value<'m>,
        ty: Type,
        depth: u32,
    ) -> Option<Tree> {
        use LLVMOpcode as O;
        let opcode = value.const_opcode();
        match opcode {
            O::LLVMGetElementPtr => {
                let offset = Self::constant_offset(types, value)?;
                if ty != Type::Pointer {
                    return None;
                }
                Some(match self.tree(types, value.operand(0), depth + 1) {
                    tree if offset == 0 => tree,
                    Tree::Offset(base, inner) => Tree::Offset(base, inner.wrapping_add(offset)),
                    tree => Tree::Offset(Box::new(tree), offset),
                })
            }
            O::LLVMAdd | O::LLVMSub | O::LLVMMul | O::LLVMXor => {
                let operator = binary_operator(opcode)?;
                if !ty.is_int() {
                    return None;
                }
                let left = self.tree(types, value.operand(0), depth + 1);
                let right = self.tree(types, value.operand(1), depth + 1);
                Some(Tree::Binary(operator, Box::new(left), Box::new(right)))
            }
            O::LLVMTrunc | O::LLVMPtrToInt | O::LLVMIntToPtr | O::LLVMBitCast => {
                let cast = cast(opcode)?;
                let from = types.of(value.operand(0).ty());
                if from.width().is_none() || ty.width().is_none() {
                    return None;
                }
                let inner = self.tree(types, value.operand(0), depth + 1);
                Some(Tree::Cast(cast, ty, Box::new(inner)))
            }
            _ => None,
        }
    }

    /// The bytes that a `getelementptr` with constant indices adds; `None` with others.
    fn constant_offset(types: &Types<'m>, gep: Value<'m>) -> Option<i64> {
        let steps = address::steps(types, gep)?;
        steps.terms.is_empty().then_some(steps.offset)
    }

    /// The place that a constant of 64 bits names, where it is a symbol plus some bytes, or
    /// a number.
    pub(super) fn place(&self, types: &Types<'m>, value: Value<'m>, depth: u32) -> Option<Place> {
        use LLVMOpcode as O;
        let absolute = |offset| {
            Some(Place {
                symbol: None,
                offset,
            })
        };
        if let Some(symbol) = self.symbols.get(&value) {
            return Some(Place {
                symbol: Some(*symbol),
                offset: 0,
            });
        }
        if depth >= DEPTH || !is_word(value.ty()) {
            return None;
        }
        match value.kind() {
            LLVMValueKind::LLVMConstantPointerNullValueKind => absolute(0),
            LLVMValueKind::LLVMConstantIntValueKind => absolute(value.const_int_value()? as i64),
            LLVMValueKind::LLVMGlobalAliasValueKind => {
                self.place(types, value.aliasee()?, depth + 1)
            }
            LLVMValueKind::LLVMConstantExprValueKind => match value.const_opcode() {
                O::LLVMGetElementPtr => {
                    let offset = Self::constant_offset(types, value)?;
                    let base = self.place(types, value.operand(0), depth + 1)?;
                    Some(Place {
                        offset: base.offset.wrapping_add(offset),
                        ..base
                    })
                }
                O::LLVMPtrToInt | O::LLVMIntToPtr | O::LLVMBitCast | O::LLVMAddrSpaceCast => {
                    self.place(types, value.operand(0), depth + 1)
                }
                opcode @ (O::LLVMAdd | O::LLVMSub) => {
                    let left = self.place(types, value.operand(0), depth + 1)?;
                    let right = self.place(types, value.operand(1), depth + 1)?;
                    sum(left, right, opcode == O::LLVMSub)
                }
                _ => None,
            },
            _ => None,
        }
    }
}

/// Whether a type is an address or an integer of the same width.
fn is_word(ty: LlvmType<'_>) -> bool {
    ty.int_width() == Some(64)
        || ty.kind() == LLVMTypeKind::LLVMPointerTypeKind && ty.address_space() == 0
}

/// Sum or difference of places, where at most one symbol remains.
fn sum(left: Place, right: Place, minus: bool) -> Option<Place> {
    let offset = if minus {
        left.offset.wrapping_sub(right.offset)
    } else {
        left.offset.wrapping_add(right.offset)
    };
    let symbol = match (left.symbol, right.symbol, minus) {
        (symbol, None, _) | (None, symbol, false) => symbol,
        (Some(left), Some(right), true) if left == right => None,
        _ => return None,
    };
    Some(Place { symbol, offset })
}

fn symbol_constant(symbol: Symbol) -> Constant {
    match symbol {
        Symbol::Global(id) => Constant::Global(id),
        Symbol::Function(id) => Constant::Function(id),
    }
}
