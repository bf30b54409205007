//! The value of an operand at a place of the path, as an expression over what the path needs
//! from before.

use std::rc::Rc;

use labrys_expr::{ExprId, Pool, Symbol};
use labrys_program::{FunctionId, GlobalId, Linkage, Operand, Operation, Program, Type, ValueId};
use labrys_semantics::{
    Addresses, Library, Meaning, Operands, Symbolic, constant, library, meaning,
};
use rustc_hash::FxHashMap;

use crate::entered::Entered;
use crate::objects::{Description, Kind, Object, Objects};
use crate::rounds::Rounds;
use crate::state::{Frame, Known};
use crate::substitute::Substitution;
use labrys_analysis::{Definition, ProgramAnalysis};

/// Gives the address of the error number.
const ERRNO: &str = "__errno_location";
/// Operations that one expression follows back; beyond, a value gets a symbol and waits.
const MAX_DEPTH: u32 = 400;

/// What the steps share: expressions, objects, the picture.
#[derive(Debug)]
pub(crate) struct Base<'p> {
    pub(crate) image: &'p ProgramAnalysis<'p>,
    pub(crate) pool: Pool,
    /// Number of the next symbol.
    pub(crate) next: u32,
    pub(crate) objects: Objects,
    pub(crate) next_frame: u32,
    pub(crate) substitution: Substitution,
    /// The numbers that symbols may be, in any state, which stand for what globals hold.
    pub(crate) facts: FxHashMap<Symbol, (ExprId, Rc<[u128]>)>,
    /// Entries that paths came to.
    pub(crate) entered: Entered,
    /// Ways round loops that were followed to see what they keep.
    pub(crate) rounds: Rounds,
}

/// Values that are known otherwise than by their definitions.
pub(crate) type Overrides = FxHashMap<ValueId, Known>;

impl<'p> Base<'p> {
    pub(crate) fn new(image: &'p ProgramAnalysis<'p>) -> Self {
        Base {
            image,
            pool: Pool::new(),
            next: 0,
            objects: Objects::default(),
            next_frame: 0,
            substitution: Substitution::default(),
            facts: FxHashMap::default(),
            entered: Entered::default(),
            rounds: Rounds::default(),
        }
    }

    pub(crate) fn symbolic(&mut self) -> Symbolic<'_> {
        Symbolic {
            pool: &mut self.pool,
            next: &mut self.next,
        }
    }

    pub(crate) fn fresh(&mut self, width: u32) -> ExprId {
        self.symbolic().fresh(width)
    }

    pub(crate) fn frame(&mut self, function: FunctionId) -> Frame {
        self.next_frame += 1;
        Frame {
            id: self.next_frame,
            function,
            call: None,
            env: std::collections::BTreeMap::new(),
            turns: std::collections::BTreeMap::new(),
        }
    }

    /// The value of an operand in a frame; `None` if it has no model.
    pub(crate) fn value(
        &mut self,
        frame: &mut Frame,
        overrides: &Overrides,
        operand: Operand,
    ) -> Option<Known> {
        let mut reader = Reader {
            image: self.image,
            objects: &mut self.objects,
            frame,
            overrides,
            known: FxHashMap::default(),
            depth: 0,
        };
        let mut symbolic = Symbolic {
            pool: &mut self.pool,
            next: &mut self.next,
        };
        reader.value(&mut symbolic, operand)
    }

    /// The scalar value of an operand; any value if it has no model.
    pub(crate) fn scalar(
        &mut self,
        frame: &mut Frame,
        overrides: &Overrides,
        operand: Operand,
    ) -> Option<ExprId> {
        self.value(frame, overrides, operand)?.scalar()
    }

    /// The result of an operation without effects; `None` if it has effects or no model.
    pub(crate) fn result(
        &mut self,
        frame: &mut Frame,
        overrides: &Overrides,
        operation: &Operation,
        ty: Type,
    ) -> Option<Known> {
        let mut reader = Reader {
            image: self.image,
            objects: &mut self.objects,
            frame,
            overrides,
            known: FxHashMap::default(),
            depth: 0,
        };
        let mut symbolic = Symbolic {
            pool: &mut self.pool,
            next: &mut self.next,
        };
        meaning(&mut symbolic, operation, ty, &mut reader)
    }

    /// The address of a function.
    pub(crate) fn function_address(&mut self, id: FunctionId) -> ExprId {
        let mut symbolic = Symbolic {
            pool: &mut self.pool,
            next: &mut self.next,
        };
        function_address(&mut symbolic, self.image, &mut self.objects, id)
    }

    pub(crate) fn global_address(&mut self, id: GlobalId) -> ExprId {
        let mut symbolic = Symbolic {
            pool: &mut self.pool,
            next: &mut self.next,
        };
        global_address(&mut symbolic, self.image, &mut self.objects, id)
    }
}

fn function_address(
    symbolic: &mut Symbolic<'_>,
    image: &ProgramAnalysis<'_>,
    objects: &mut Objects,
    id: FunctionId,
) -> ExprId {
    objects.named(symbolic, Kind::Function(id), || {
        let function = image.function(id);
        Description {
            size: Some(1),
            constant: true,
            weak: function.linkage == Linkage::Weak && !function.defined,
            ..Description::default()
        }
    })
}

fn global_address(
    symbolic: &mut Symbolic<'_>,
    image: &ProgramAnalysis<'_>,
    objects: &mut Objects,
    id: GlobalId,
) -> ExprId {
    objects.named(symbolic, Kind::Global(id), || {
        let global = &image.program().globals[id.index()];
        let defined = global.initializer.is_some();
        Description {
            size: (global.size > 0).then_some(global.size),
            private: !image.is_shared(id),
            constant: global.constant && defined,
            weak: global.linkage == Linkage::Weak && !defined,
        }
    })
}

/// Reads operands of one frame.
struct Reader<'b, 'p> {
    image: &'p ProgramAnalysis<'p>,
    objects: &'b mut Objects,
    frame: &'b mut Frame,
    overrides: &'b Overrides,
    /// Values computed for this operand; expressions share what they have in common.
    known: FxHashMap<ValueId, Option<Known>>,
    depth: u32,
}

impl Operands<Symbolic<'_>> for Reader<'_, '_> {
    fn value(&mut self, symbolic: &mut Symbolic<'_>, operand: Operand) -> Option<Known> {
        match operand {
            Operand::Constant(id) => {
                let program: &Program = self.image.program();
                constant(symbolic, program, id, self)
            }
            Operand::Value(value) => self.of(symbolic, value),
        }
    }

    fn ty(&self, operand: Operand) -> Option<Type> {
        let function = self.image.function(self.frame.function);
        self.image.program().operand_type(function, operand)
    }
}

impl Reader<'_, '_> {
    fn of(&mut self, symbolic: &mut Symbolic<'_>, value: ValueId) -> Option<Known> {
        if let Some(known) = self
            .overrides
            .get(&value)
            .or_else(|| self.frame.env.get(&value))
        {
            return Some(known.clone());
        }
        if let Some(known) = self.known.get(&value) {
            return known.clone();
        }
        let found = self.define(symbolic, value);
        self.known.insert(value, found.clone());
        found
    }

    fn define(&mut self, symbolic: &mut Symbolic<'_>, value: ValueId) -> Option<Known> {
        let id = self.frame.function;
        let function = self.image.function(id);
        let ty = function.value_type(value)?;
        let body = self.image.body(id);
        if body.frame_objects().contains(&value) {
            return Some(Meaning::Scalar(self.stack_object(symbolic, value)));
        }
        if let Definition::Instruction(..) = body.definition(value) {
            if self.depth < MAX_DEPTH {
                let instruction = self.image.defining(id, value)?;
                self.depth += 1;
                let found = meaning(symbolic, &instruction.operation, ty, self);
                self.depth -= 1;
                if found.is_some() {
                    return found;
                }
            }
        }
        let fresh = symbolic.any_of(self.image.program(), ty)?;
        self.name_object(symbolic.pool, value, &fresh);
        self.frame.env.insert(value, fresh.clone());
        Some(fresh)
    }

    fn stack_object(&mut self, symbolic: &mut Symbolic<'_>, value: ValueId) -> ExprId {
        let id = self.frame.function;
        let image = self.image;
        let kind = Kind::Stack(self.frame.id, value);
        self.objects.named(symbolic, kind, || {
            let size =
                image
                    .defining(id, value)
                    .and_then(|instruction| match &instruction.operation {
                        Operation::Allocate { size, count, .. } => {
                            Some(size.saturating_mul(constant_count(image.program(), *count)?))
                        }
                        _ => None,
                    });
            Description {
                size,
                private: image.body(id).is_private(value),
                ..Description::default()
            }
        })
    }

    /// The result of an allocation is the address of an object.
    fn name_object(&mut self, pool: &Pool, value: ValueId, symbol: &Known) {
        let id = self.frame.function;
        let (Some(instruction), Some(symbol)) = (self.image.defining(id, value), symbol.scalar())
        else {
            return;
        };
        let frame = self.frame.id;
        let (kind, size) = match &instruction.operation {
            Operation::Allocate { .. } => (Kind::Heap(frame, value), None),
            Operation::Call {
                callee: labrys_program::Callee::Direct(callee),
                arguments,
                ..
            } => {
                let called = self.image.function(*callee);
                if called.name == ERRNO {
                    self.add_object(pool, Kind::Errno(frame, value), symbol, Some(4));
                    return;
                }
                if !called.defined && self.image.character_table(&called.name).is_some() {
                    let kind = Kind::Characters(frame, value, *callee);
                    self.add_object(pool, kind, symbol, Some(8));
                    return;
                }
                match library(&called.name).filter(|_| !called.defined) {
                    Some(Library::Allocates { fails: true, .. }) => {
                        (Kind::Heap(frame, value), None)
                    }
                    Some(Library::Allocates { fails: false, .. }) => {
                        let size = arguments.first().copied();
                        let size = size.and_then(|one| constant_count(self.image.program(), one));
                        (Kind::Made(frame, value), size)
                    }
                    _ => return,
                }
            }
            _ => return,
        };
        self.add_object(pool, kind, symbol, size);
    }

    fn add_object(&mut self, pool: &Pool, kind: Kind, symbol: ExprId, size: Option<u64>) {
        let constant = matches!(kind, Kind::Characters(..));
        let object = Object {
            kind,
            symbol,
            size,
            private: false,
            constant,
            weak: false,
        };
        self.objects.add(pool, object);
    }
}

impl Addresses<Symbolic<'_>> for Reader<'_, '_> {
    fn global(&mut self, symbolic: &mut Symbolic<'_>, id: GlobalId) -> ExprId {
        global_address(symbolic, self.image, self.objects, id)
    }

    fn function(&mut self, symbolic: &mut Symbolic<'_>, id: FunctionId) -> ExprId {
        function_address(symbolic, self.image, self.objects, id)
    }
}

/// The number of elements of an allocation, where it is a constant.
fn constant_count(program: &Program, count: Operand) -> Option<u64> {
    let Operand::Constant(id) = count else {
        return None;
    };
    match program.constant(id)? {
        labrys_program::Constant::Int { bits, .. } => u64::try_from(*bits).ok(),
        _ => None,
    }
}
