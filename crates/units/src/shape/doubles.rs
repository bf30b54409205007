//! The doubles of an entry: functions that its pointers have none for, and those that nobody defines.

use labrys_llvm::{Block, DebugNode, LLVMOpcode, Value, tag};
use labrys_suite::unit::{ANSWERS, Content, Double, Root, Variable};
use rustc_hash::FxHashSet;

use super::outputs::{Stood, calls};
use super::{Aim, Builder, MAX_OBJECTS, OF_ANSWERS, Spot, addresses, written};
use crate::allocations::instructions;
use crate::double::{Output, double};
use crate::prototype::{self, Passed, Prototype};
use crate::spelling;
use crate::types::{Kind, Piece, content, is_void, pieces, plain_pieces, unnamed, unwrapped};

/// A double whose answers are to be made.
#[derive(Clone)]
pub(super) struct Pending<'m> {
    name: String,
    missing: Option<Value<'m>>,
    /// Its declaration in the source; empty if the source has no names for its types.
    declared: String,
    /// See [`labrys_suite::unit::Double::outside`].
    outside: bool,
    /// See [`labrys_suite::unit::Double::called_elsewhere`].
    called_elsewhere: bool,
    /// The type of the pointers to it.
    ty: Option<DebugNode<'m>>,
    prototype: Prototype<'m>,
}

/// Pointers that follow one another in what a double returns.
const ANSWER_DEPTH: u32 = 2;

impl<'m> Builder<'m, '_> {
    /// The double for pointers to functions of a type.
    pub(super) fn double_of(&mut self, ty: DebugNode<'m>) -> Option<String> {
        let known = self.pending.iter().find(|one| one.ty == Some(ty));
        if let Some(known) = known {
            return Some(known.name.clone());
        }
        let prototype = prototype::of_pointer(ty)?;
        let number = self.pending.iter().filter(|one| one.ty.is_some()).count() + 1;
        let name = format!("{}_callback_{number}", identifier(&self.entry.function));
        let declared = spelling::function(ty, &name).filter(|_| self.hidden == 0);
        self.pending.push(Pending {
            name: name.clone(),
            missing: None,
            declared: declared.unwrap_or_default(),
            outside: false,
            called_elsewhere: false,
            ty: Some(ty),
            prototype,
        });
        Some(name)
    }

    /// A function that nobody defines, or one of a library that answers what is `outside`, which the
    /// entry can come to: these are the functions that it `reached`.
    pub(crate) fn missing(
        &mut self,
        function: Value<'m>,
        prototype: Prototype<'m>,
        (outside, reached): (bool, &FxHashSet<Value<'m>>),
    ) {
        let name = function.name();
        let unit = |user| DebugNode::of_function(self.module?, user).and_then(DebugNode::unit);
        let mut users = reached.iter().filter(|one| names(**one, function));
        let called_elsewhere = outside && users.any(|one| unit(*one) != self.unit);
        self.pending.push(Pending {
            name: format!("double_of_{}", identifier(&name)),
            missing: Some(function),
            declared: String::new(),
            outside,
            called_elsewhere,
            ty: None,
            prototype,
        });
    }

    /// Makes the answers of all doubles; the entry can come to these functions.
    pub(crate) fn doubles(&mut self, reached: &FxHashSet<Value<'m>>) {
        let through_pointers = through_pointers(reached);
        self.most_objects = MAX_OBJECTS.max(self.objects.len() + OF_ANSWERS);
        // What one answers may be a pointer to the next.
        let mut next = 0;
        while next < self.pending.len() {
            let Pending {
                name,
                missing,
                declared,
                outside,
                called_elsewhere,
                prototype,
                ..
            } = self.pending[next].clone();
            let calls = calls(missing, prototype.parameters.len(), &through_pointers);
            let stood = Stood {
                module: self.module,
                function: missing,
                prototype: &prototype,
                calls: &calls,
            };
            let outputs = (0..prototype.parameters.len())
                .filter_map(|index| self.outputs(&name, index, &stood))
                .collect();
            // In the order of the answers.
            let errors = outside.then(|| self.errors(&name));
            let results = self.results(&name, &stood, reached);
            let results = results.map(|results| (results, stood.at_most()));
            let double = double(&name, (&prototype, declared), results, outputs, errors);
            self.entry.doubles.push(Double {
                missing: missing.map(Value::name),
                outside,
                called_elsewhere,
                ..double
            });
            next += 1;
        }
    }

    /// What a double sets `errno` to.
    fn errors(&mut self, double: &str) -> Variable {
        let spot = Spot::new(Root::Result, &format!("errno of {double}()"));
        let mut parts = Vec::new();
        let size = ANSWERS * 4;
        self.numbers(&spot, 0, "", size, 4, Content::Signed, &mut parts);
        Variable {
            name: format!("{double}_errors"),
            c_type: "int".to_owned(),
            size,
            parts,
            ..Variable::default()
        }
    }

    /// What a double returns.
    fn results(
        &mut self,
        double: &str,
        stood: &Stood<'m, '_>,
        reached: &FxHashSet<Value<'m>>,
    ) -> Option<Variable> {
        let prototype = stood.prototype;
        let name = format!("{double}_results");
        let spot = Spot::new(Root::Result, &format!("{double}()"));
        let mut parts = Vec::new();
        let ty = prototype.result_type.map(unwrapped);
        let number = ty.and_then(|ty| Some((ty.size(), content(ty)?)));
        let number = number.or_else(|| prototype::number_of(&prototype.result));
        let (size, c_type) = match (number, ty) {
            _ if prototype.result == "void" => return None,
            (Some((size, content)), _) => {
                let mut answers = 0..ANSWERS;
                let is_address = answers.all(|call| {
                    let call = (stood.function, call);
                    addresses::add_answer(self, &spot, call, (size, content), &mut parts)
                });
                if !is_address {
                    let all = ANSWERS * size;
                    self.numbers(&spot, 0, "", all, size, content, &mut parts);
                }
                (size, prototype.result.clone())
            }
            (None, Some(node)) if node.tag() != tag::POINTER => {
                for call in 0..ANSWERS {
                    let pieces = unnamed(pieces(node), call * node.size());
                    self.object_parts(&spot, &pieces, 0, &mut parts);
                }
                (node.size(), String::new())
            }
            (None, pointer) => {
                let to = pointer.and_then(DebugNode::base);
                let told = stood
                    .structure(self.uses, reached)
                    .filter(|_| self.for_tests && is_void(to));
                let to = self.told(told).or(to);
                for call in 0..ANSWERS {
                    let path = format!("[{call}]");
                    let aim = Aim {
                        to,
                        ..Aim::default()
                    };
                    let depth = self.bounds.depth.min(ANSWER_DEPTH);
                    parts.push(self.pointer(&spot, 8 * call, &path, &aim, depth));
                }
                (8, "void *".to_owned())
            }
        };
        Some(Variable {
            name,
            c_type,
            size: ANSWERS * size,
            parts,
            ..Variable::default()
        })
    }

    /// What a double writes where a parameter points.
    fn outputs(&mut self, double: &str, index: usize, stood: &Stood<'m, '_>) -> Option<Output> {
        let parameter = &stood.prototype.parameters[index];
        let spot = Spot::new(Root::Result, &format!("{double}(*{})", parameter.name));
        let bytes = stood.bytes(index);
        let (size, pieces, ranges) = match (bytes, &parameter.passed) {
            (Some((size, _)), _) => (size, vec![bytes_of(size, 1)], Vec::new()),
            (_, Passed::Result(size)) => (*size, vec![bytes_of(*size, *size)], vec![(0, *size)]),
            (_, Passed::Pointer) => {
                let node = written(parameter)?;
                let ranges = stood.ranges(index, node);
                (node.size(), plain_pieces(node), ranges)
            }
            _ => return None,
        };
        let mut parts = Vec::new();
        for call in 0..ANSWERS {
            let pieces = unnamed(pieces.clone(), call * size);
            self.object_parts(&spot, &pieces, 0, &mut parts);
        }
        let variable = Variable {
            name: format!("{double}_output_{}", index + 1),
            c_type: String::new(),
            size: ANSWERS * size,
            parts,
            ..Variable::default()
        };
        Some(Output {
            index,
            size,
            ranges,
            most: bytes.map(|(_, most)| most),
            variable,
        })
    }
}

/// The piece of so many bytes, each of so many an input.
fn bytes_of<'m>(size: u64, element: u64) -> Piece<'m> {
    Piece {
        offset: 0,
        size,
        path: String::new(),
        raw: false,
        kind: Kind::Numbers(Content::Bytes, element),
        member: None,
        around: Vec::new(),
        is_tail: false,
    }
}

/// Whether a function names another.
fn names<'m>(user: Value<'m>, function: Value<'m>) -> bool {
    user.is_function() && instructions(user).any(|one| one.operands().contains(&function))
}

/// The calls through pointers in functions.
fn through_pointers<'m>(functions: &FxHashSet<Value<'m>>) -> Vec<Value<'m>> {
    let functions = functions.iter().filter(|one| one.is_function());
    let blocks = functions.flat_map(|one| one.blocks());
    let calls = blocks
        .flat_map(Block::instructions)
        .filter(|one| one.opcode() == LLVMOpcode::LLVMCall);
    calls.filter(|call| !call.called().is_constant()).collect()
}

/// A name for C.
fn identifier(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    name.chars().map(plain).collect()
}
