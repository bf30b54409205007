//! From nodes to code: one block, operands before users, a view of each value as bits and one
//! as a float, made when first wanted.

use cranelift_codegen::ir::{
    AbiParam, Function, InstBuilder, MemFlags, Signature, Value,
    condcodes::{FloatCC, IntCC},
    types,
};
use cranelift_codegen::isa::TargetFrontendConfig;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use labrys_expr::{ExprId, Op, Pool};
use labrys_native::{Code, Word};
use rustc_hash::FxHashMap;

use super::Job;
use super::native::read_table;
use crate::functions::{self, Kind};
use crate::layers::walk::formula::{Atom, Domain, Relation};
use crate::layers::walk::score::NAN_SCORE;
use crate::layers::walk::variables::Variables;

/// What a kernel is made from.
pub(super) struct Source<'a> {
    pub(super) pool: &'a Pool,
    pub(super) variables: &'a Variables,
    /// Tables that the code reads, kept by its owner.
    pub(super) tables: &'a mut Vec<Box<[u8]>>,
}

/// The function under construction.
pub(super) struct Emitter<'a, 'b> {
    pub(super) code: Code<'b>,
    pub(super) pool: &'a Pool,
    source: Source<'a>,
    inputs: Value,
    outputs: Value,
    words: FxHashMap<ExprId, Word>,
}

/// Fills in `function`; `None` if a node cannot be compiled.
pub(super) fn kernel(
    function: &mut Function,
    context: &mut FunctionBuilderContext,
    target: TargetFrontendConfig,
    source: Source<'_>,
    job: &Job<'_>,
) -> Option<()> {
    let mut signature = Signature::new(target.default_call_conv);
    signature.params = vec![AbiParam::new(types::I64), AbiParam::new(types::I64)];
    function.signature = signature;
    let mut builder = FunctionBuilder::new(function, context);
    let block = builder.create_block();
    builder.append_block_params_for_function_params(block);
    builder.switch_to_block(block);
    builder.seal_block(block);
    let parameters = builder.block_params(block);
    let (inputs, outputs) = (parameters[0], parameters[1]);
    let mut emitter = Emitter {
        code: Code::new(builder, target.default_call_conv),
        pool: source.pool,
        source,
        inputs,
        outputs,
        words: FxHashMap::default(),
    };
    for &id in job.nodes {
        emitter.node(id)?;
    }
    for (number, atom) in job.atoms.iter().enumerate() {
        emitter.atom(number, atom);
    }
    emitter.code.builder.ins().return_(&[]);
    emitter.code.builder.finalize();
    Some(())
}

impl Emitter<'_, '_> {
    fn node(&mut self, id: ExprId) -> Option<()> {
        let node = *self.pool.node(id);
        if let Some(variable) = self.source.variables.whole(id) {
            let value = self.load(variable);
            self.set_bits(id, value);
            return Some(());
        }
        match node.op() {
            Op::Const => {}
            Op::Symbol => {
                let symbol = self.pool.as_symbol(id)?;
                let (variable, shift) = self.source.variables.place(symbol)?;
                let word = self.load(variable);
                let shifted = self.code.builder.ins().ushr_imm(word, i64::from(shift));
                let value = self.code.cut(shifted, symbol.width());
                self.set_bits(id, value);
            }
            Op::Table => self.table(id)?,
            Op::External => self.external(id)?,
            op => {
                let low = match op {
                    Op::FRound => node.rounding() as u32,
                    _ => node.low(),
                };
                let mut words = Vec::with_capacity(3);
                for operand in node.operands() {
                    words.push(self.word(*operand));
                }
                let word = self.code.apply(op, node.width(), &mut words, low)?;
                for (operand, word) in node.operands().iter().zip(words) {
                    self.words.insert(*operand, word);
                }
                self.words.insert(id, word);
            }
        }
        Some(())
    }

    fn load(&mut self, variable: usize) -> Value {
        let offset = 8 * variable as i32;
        let flags = MemFlags::trusted();
        self.code
            .builder
            .ins()
            .load(types::I64, flags, self.inputs, offset)
    }

    fn set_bits(&mut self, id: ExprId, value: Value) {
        let word = Word::of_bits(self.pool.width(id), value);
        self.words.insert(id, word);
    }

    fn word(&mut self, id: ExprId) -> Word {
        if let Some(&known) = self.words.get(&id) {
            return known;
        }
        let constant = self.pool.bits(id).expect("operands come before users");
        let value = self.code.integer(constant as u64);
        Word::of_bits(self.pool.width(id), value)
    }

    /// The value as bits.
    pub(super) fn bits(&mut self, id: ExprId) -> Value {
        let mut word = self.word(id);
        let value = self.code.bits(&mut word);
        self.words.insert(id, word);
        value
    }

    /// The value as a float of its width.
    pub(super) fn float(&mut self, id: ExprId) -> Value {
        let mut word = self.word(id);
        let value = self.code.float(&mut word);
        self.words.insert(id, word);
        value
    }

    fn table(&mut self, id: ExprId) -> Option<()> {
        let (table, index) = self.pool.as_table_read(id)?;
        let bytes: Box<[u8]> = self.pool.table(table).bytes().into();
        let start = self.code.integer(bytes.as_ptr() as u64);
        let length = self.code.integer(bytes.len() as u64);
        self.source.tables.push(bytes);
        let index = self.bits(index);
        let count = self.code.integer(u64::from(self.pool.width(id) / 8));
        let arguments = [start, length, index, count];
        let types = [types::I64; 4];
        let value = self
            .code
            .call(read_table as *const u8, &types, types::I64, &arguments);
        self.set_bits(id, value);
        Some(())
    }

    fn external(&mut self, id: ExprId) -> Option<()> {
        let pool = self.pool;
        let call = pool.as_call(id)?;
        let function = functions::find(call.name())?;
        let mut arguments = Vec::new();
        for (&argument, &kind) in call.arguments().iter().zip(function.parameters) {
            let bits = self.bits(argument);
            arguments.push(match kind {
                Kind::I64 => bits,
                Kind::I32 => self.code.builder.ins().ireduce(types::I32, bits),
                Kind::F64 | Kind::F32 => self.code.bits_to_float(bits, kind.width()),
            });
        }
        let kinds: Vec<_> = function
            .parameters
            .iter()
            .map(|kind| of_kind(*kind))
            .collect();
        let result = of_kind(function.result);
        let value = self.code.call(function.address, &kinds, result, &arguments);
        // Which NaN a function gives is part of its result.
        let width = function.result.width();
        let word = match function.result {
            Kind::I64 => Word::of_bits(width, value),
            Kind::I32 => Word::of_bits(width, self.code.builder.ins().uextend(types::I64, value)),
            Kind::F64 | Kind::F32 => {
                let bits = self.code.float_to_bits(value, width);
                Word::of_bits(width, bits).and_float(value)
            }
        };
        self.words.insert(id, word);
        Some(())
    }

    /// Writes difference and score of an atom, as `score::score` computes them.
    fn atom(&mut self, number: usize, atom: &Atom) {
        let (holds, difference) = if atom.domain == Domain::Float {
            self.float_atom(atom)
        } else {
            self.integer_atom(atom)
        };
        let violated = match atom.relation {
            Relation::NotEqual | Relation::Unordered => self.code.builder.ins().f64const(1.0),
            Relation::Equal => self.magnitude(difference),
            _ => {
                let magnitude = self.magnitude(difference);
                let one = self.code.builder.ins().f64const(1.0);
                let more = self.code.builder.ins().fadd(magnitude, one);
                let nan = self.code.is_nan(difference);
                self.code.builder.ins().select(nan, magnitude, more)
            }
        };
        let zero = self.code.builder.ins().f64const(0.0);
        let score = self.code.builder.ins().select(holds, zero, violated);
        let flags = MemFlags::trusted();
        let offset = 16 * number as i32;
        let outputs = self.outputs;
        self.code
            .builder
            .ins()
            .store(flags, difference, outputs, offset);
        self.code
            .builder
            .ins()
            .store(flags, score, outputs, offset + 8);
    }

    /// The absolute value of a difference, finite.
    fn magnitude(&mut self, difference: Value) -> Value {
        let most = self.code.builder.ins().f64const(f64::MAX);
        let absolute = self.code.builder.ins().fabs(difference);
        let large = self.code.less(most, absolute);
        let finite = self.code.builder.ins().select(large, most, absolute);
        let nan = self.code.is_nan(difference);
        let of_nan = self.code.builder.ins().f64const(NAN_SCORE);
        self.code.builder.ins().select(nan, of_nan, finite)
    }

    fn integer_atom(&mut self, atom: &Atom) -> (Value, Value) {
        let width = self.pool.width(atom.left);
        let (mut left, mut right) = (self.bits(atom.left), self.bits(atom.right));
        let equality = matches!(atom.relation, Relation::Equal | Relation::NotEqual);
        let signed = atom.domain == Domain::Signed;
        if signed && !equality {
            left = self.code.signed(left, width);
            right = self.code.signed(right, width);
        }
        let condition = match (atom.relation, signed) {
            (Relation::Equal, _) => IntCC::Equal,
            (Relation::NotEqual, _) => IntCC::NotEqual,
            (Relation::Less, true) => IntCC::SignedLessThan,
            (Relation::Less, false) => IntCC::UnsignedLessThan,
            (_, true) => IntCC::SignedLessThanOrEqual,
            (_, false) => IntCC::UnsignedLessThanOrEqual,
        };
        let holds = self.code.builder.ins().icmp(condition, left, right);
        let difference = if equality || width < 64 {
            let difference = self.code.builder.ins().isub(left, right);
            let kept = if equality { width } else { 64 };
            let difference = self.code.signed(difference, kept);
            self.code
                .builder
                .ins()
                .fcvt_from_sint(types::F64, difference)
        } else {
            let [left, right] = [left, right].map(|side| {
                if signed {
                    self.code.builder.ins().fcvt_from_sint(types::F64, side)
                } else {
                    self.code.builder.ins().fcvt_from_uint(types::F64, side)
                }
            });
            self.code.builder.ins().fsub(left, right)
        };
        (holds, difference)
    }

    /// Whether a comparison of floats holds, and the difference of its sides.
    fn float_atom(&mut self, atom: &Atom) -> (Value, Value) {
        let width = self.pool.width(atom.left);
        let (left, right) = (self.float(atom.left), self.float(atom.right));
        let left = self.code.wide(left, width);
        let right = self.code.wide(right, width);
        let condition = match (atom.relation, atom.or_unordered) {
            (Relation::Equal, false) => FloatCC::Equal,
            (Relation::Equal, true) => FloatCC::UnorderedOrEqual,
            (Relation::NotEqual, false) => FloatCC::OrderedNotEqual,
            (Relation::NotEqual, true) => FloatCC::NotEqual,
            (Relation::Less, false) => FloatCC::LessThan,
            (Relation::Less, true) => FloatCC::UnorderedOrLessThan,
            (Relation::AtMost, false) => FloatCC::LessThanOrEqual,
            (Relation::AtMost, true) => FloatCC::UnorderedOrLessThanOrEqual,
            (Relation::Unordered, _) => FloatCC::Unordered,
            (Relation::Ordered, _) => FloatCC::Ordered,
        };
        let holds = self.code.builder.ins().fcmp(condition, left, right);
        let difference = self.code.builder.ins().fsub(left, right);
        (holds, difference)
    }
}

fn of_kind(kind: Kind) -> types::Type {
    match kind {
        Kind::F64 => types::F64,
        Kind::F32 => types::F32,
        Kind::I32 => types::I32,
        Kind::I64 => types::I64,
    }
}
