//! From nodes to code: one block, operands before users, a view of each value as bits and one
//! as a float, made when first wanted.
//!
//! Invariant: bits are 64-bit integers whose bits above the value's width are 0. A float that an
//! operation gave may be any NaN; its bits are then those of the one NaN of the expressions.

use cranelift_codegen::ir::{
    AbiParam, Function, InstBuilder, MemFlags, Signature, Value, condcodes::IntCC, types,
};
use cranelift_codegen::isa::{CallConv, TargetFrontendConfig};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use labrys_expr::{ExprId, Op, Pool};
use rustc_hash::FxHashMap;

use super::Job;
use super::native::read_table;
use crate::functions::{self, Kind};
use crate::walk::formula::{Atom, Domain, Relation};
use crate::walk::score::NAN_SCORE;
use crate::walk::variables::Variables;

/// What a kernel is made from.
pub(super) struct Source<'a> {
    pub(super) pool: &'a Pool,
    pub(super) variables: &'a Variables,
    /// Tables that the code reads, kept by its owner.
    pub(super) tables: &'a mut Vec<Box<[u8]>>,
}

/// The function under construction.
pub(super) struct Emitter<'a, 'b> {
    pub(super) builder: FunctionBuilder<'b>,
    pub(super) pool: &'a Pool,
    source: Source<'a>,
    convention: CallConv,
    inputs: Value,
    outputs: Value,
    bits: FxHashMap<ExprId, Value>,
    floats: FxHashMap<ExprId, Value>,
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
        builder,
        pool: source.pool,
        source,
        convention: target.default_call_conv,
        inputs,
        outputs,
        bits: FxHashMap::default(),
        floats: FxHashMap::default(),
    };
    for &id in job.nodes {
        emitter.node(id)?;
    }
    for (number, atom) in job.atoms.iter().enumerate() {
        emitter.atom(number, atom);
    }
    emitter.builder.ins().return_(&[]);
    emitter.builder.finalize();
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
                let shifted = self.builder.ins().ushr_imm(word, i64::from(shift));
                let value = self.cut(shifted, symbol.width());
                self.set_bits(id, value);
            }
            Op::Table => self.table(id)?,
            Op::External => self.external(id)?,
            op if op.takes_floats() || op.gives_float() => self.float_node(id, &node),
            _ => self.bits_node(id, &node)?,
        }
        Some(())
    }

    fn load(&mut self, variable: usize) -> Value {
        let offset = 8 * variable as i32;
        let flags = MemFlags::trusted();
        self.builder
            .ins()
            .load(types::I64, flags, self.inputs, offset)
    }

    pub(super) fn set_bits(&mut self, id: ExprId, value: Value) {
        self.bits.insert(id, value);
    }

    pub(super) fn set_float(&mut self, id: ExprId, value: Value) {
        self.floats.insert(id, value);
    }

    /// The value as bits.
    pub(super) fn bits(&mut self, id: ExprId) -> Value {
        if let Some(&known) = self.bits.get(&id) {
            return known;
        }
        let value = if let Some(constant) = self.pool.bits(id) {
            self.integer(constant as u64)
        } else {
            let float = self.floats[&id];
            self.canonical(float, self.pool.width(id))
        };
        self.bits.insert(id, value);
        value
    }

    /// The value as a float of its width.
    pub(super) fn float(&mut self, id: ExprId) -> Value {
        if let Some(&known) = self.floats.get(&id) {
            return known;
        }
        let bits = self.bits(id);
        let value = self.bits_to_float(bits, self.pool.width(id));
        self.floats.insert(id, value);
        value
    }

    pub(super) fn integer(&mut self, value: u64) -> Value {
        self.builder.ins().iconst(types::I64, value as i64)
    }

    /// The low `width` bits.
    pub(super) fn cut(&mut self, value: Value, width: u32) -> Value {
        if width >= 64 {
            return value;
        }
        let mask = self.integer((1 << width) - 1);
        self.builder.ins().band(value, mask)
    }

    /// Sign-extended from `width` bits.
    pub(super) fn signed(&mut self, value: Value, width: u32) -> Value {
        if width >= 64 {
            return value;
        }
        let by = i64::from(64 - width);
        let high = self.builder.ins().ishl_imm(value, by);
        self.builder.ins().sshr_imm(high, by)
    }

    /// A truth value as bits.
    pub(super) fn truth(&mut self, value: Value) -> Value {
        self.builder.ins().uextend(types::I64, value)
    }

    fn table(&mut self, id: ExprId) -> Option<()> {
        let (table, index) = self.pool.as_table_read(id)?;
        let bytes: Box<[u8]> = self.pool.table(table).bytes().into();
        let start = self.integer(bytes.as_ptr() as u64);
        let length = self.integer(bytes.len() as u64);
        self.source.tables.push(bytes);
        let index = self.bits(index);
        let count = self.integer(u64::from(self.pool.width(id) / 8));
        let arguments = [start, length, index, count];
        let types = [types::I64; 4];
        let value = self.call(read_table as *const u8, &types, types::I64, &arguments);
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
                Kind::I32 => self.builder.ins().ireduce(types::I32, bits),
                Kind::F64 | Kind::F32 => self.bits_to_float(bits, kind.width()),
            });
        }
        let kinds: Vec<_> = function
            .parameters
            .iter()
            .map(|kind| of_kind(*kind))
            .collect();
        let result = of_kind(function.result);
        let value = self.call(function.address, &kinds, result, &arguments);
        // Which NaN a function gives is part of its result.
        let bits = match function.result {
            Kind::I64 => value,
            Kind::I32 => self.builder.ins().uextend(types::I64, value),
            Kind::F64 | Kind::F32 => {
                self.set_float(id, value);
                self.float_to_bits(value, function.result.width())
            }
        };
        self.set_bits(id, bits);
        Some(())
    }

    pub(super) fn call(
        &mut self,
        address: *const u8,
        parameters: &[types::Type],
        result: types::Type,
        arguments: &[Value],
    ) -> Value {
        let mut signature = Signature::new(self.convention);
        signature.params = parameters.iter().map(|t| AbiParam::new(*t)).collect();
        signature.returns = vec![AbiParam::new(result)];
        let signature = self.builder.import_signature(signature);
        let address = self.integer(address as u64);
        let call = self
            .builder
            .ins()
            .call_indirect(signature, address, arguments);
        self.builder.inst_results(call)[0]
    }

    /// Writes difference and score of an atom, as `score::score` computes them.
    fn atom(&mut self, number: usize, atom: &Atom) {
        let (holds, difference) = if atom.domain == Domain::Float {
            self.float_atom(atom)
        } else {
            self.integer_atom(atom)
        };
        let violated = match atom.relation {
            Relation::NotEqual | Relation::Unordered => self.builder.ins().f64const(1.0),
            Relation::Equal => self.magnitude(difference),
            _ => {
                let magnitude = self.magnitude(difference);
                let one = self.builder.ins().f64const(1.0);
                let more = self.builder.ins().fadd(magnitude, one);
                let nan = self.is_nan(difference);
                self.builder.ins().select(nan, magnitude, more)
            }
        };
        let zero = self.builder.ins().f64const(0.0);
        let score = self.builder.ins().select(holds, zero, violated);
        let flags = MemFlags::trusted();
        let offset = 16 * number as i32;
        let outputs = self.outputs;
        self.builder.ins().store(flags, difference, outputs, offset);
        self.builder.ins().store(flags, score, outputs, offset + 8);
    }

    /// The absolute value of a difference, finite.
    fn magnitude(&mut self, difference: Value) -> Value {
        let most = self.builder.ins().f64const(f64::MAX);
        let absolute = self.builder.ins().fabs(difference);
        let large = self.less(most, absolute);
        let finite = self.builder.ins().select(large, most, absolute);
        let nan = self.is_nan(difference);
        let of_nan = self.builder.ins().f64const(NAN_SCORE);
        self.builder.ins().select(nan, of_nan, finite)
    }

    fn integer_atom(&mut self, atom: &Atom) -> (Value, Value) {
        let width = self.pool.width(atom.left);
        let (mut left, mut right) = (self.bits(atom.left), self.bits(atom.right));
        let equality = matches!(atom.relation, Relation::Equal | Relation::NotEqual);
        let signed = atom.domain == Domain::Signed;
        if signed && !equality {
            left = self.signed(left, width);
            right = self.signed(right, width);
        }
        let condition = match (atom.relation, signed) {
            (Relation::Equal, _) => IntCC::Equal,
            (Relation::NotEqual, _) => IntCC::NotEqual,
            (Relation::Less, true) => IntCC::SignedLessThan,
            (Relation::Less, false) => IntCC::UnsignedLessThan,
            (_, true) => IntCC::SignedLessThanOrEqual,
            (_, false) => IntCC::UnsignedLessThanOrEqual,
        };
        let holds = self.builder.ins().icmp(condition, left, right);
        let difference = if equality || width < 64 {
            let difference = self.builder.ins().isub(left, right);
            let kept = if equality { width } else { 64 };
            let difference = self.signed(difference, kept);
            self.builder.ins().fcvt_from_sint(types::F64, difference)
        } else {
            let [left, right] = [left, right].map(|side| {
                if signed {
                    self.builder.ins().fcvt_from_sint(types::F64, side)
                } else {
                    self.builder.ins().fcvt_from_uint(types::F64, side)
                }
            });
            self.builder.ins().fsub(left, right)
        };
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
