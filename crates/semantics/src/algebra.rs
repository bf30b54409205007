//! What instructions compute on: expressions of a pool, or concrete values.

use labrys_expr::{ExprId, Op, Pool, Rounding, Symbol, Value};

/// The operations that meanings are built of; widths and laws are those of [`Op`].
pub trait Algebra {
    /// A bit-vector.
    type Value: Copy;

    /// A constant.
    fn constant(&mut self, width: u32, bits: u128) -> Self::Value;
    /// Width in bits.
    fn width(&self, value: Self::Value) -> u32;
    /// The bits, if they are known.
    fn known(&self, value: Self::Value) -> Option<u128>;
    /// One operand, same width.
    fn unary(&mut self, op: Op, a: Self::Value) -> Self::Value;
    /// Two operands of one width.
    fn binary(&mut self, op: Op, a: Self::Value, b: Self::Value) -> Self::Value;
    /// One operand, another width.
    fn convert(&mut self, op: Op, a: Self::Value, width: u32) -> Self::Value;
    /// Rounding to an integral float.
    fn round(&mut self, mode: Rounding, a: Self::Value) -> Self::Value;
    /// A choice; the condition has one bit.
    fn ite(&mut self, c: Self::Value, a: Self::Value, b: Self::Value) -> Self::Value;
    /// `width` bits from bit `low` on.
    fn extract(&mut self, a: Self::Value, low: u32, width: u32) -> Self::Value;
    /// The first above the second.
    fn concat(&mut self, high: Self::Value, low: Self::Value) -> Self::Value;
    /// A pure external function; `None` if the algebra cannot compute it.
    fn external(
        &mut self,
        name: &str,
        arguments: &[Self::Value],
        width: u32,
    ) -> Option<Self::Value>;
    /// Havoc: any value. `machine` is what the processor would give.
    fn havoc(&mut self, width: u32, machine: Option<Self::Value>) -> Self::Value;

    /// A number that a float is not larger than, whatever its sign, where that is seen at once; it
    /// is a number then.
    fn magnitude(&self, _: Self::Value) -> Option<f64> {
        None
    }

    /// Zero extension, cut, or nothing.
    fn resize(&mut self, a: Self::Value, width: u32) -> Self::Value {
        match self.width(a) {
            from if from < width => self.convert(Op::ZExt, a, width),
            from if from > width => self.extract(a, 0, width),
            _ => a,
        }
    }

    /// Sign extension, cut, or nothing.
    fn resize_signed(&mut self, a: Self::Value, width: u32) -> Self::Value {
        match self.width(a) {
            from if from < width => self.convert(Op::SExt, a, width),
            _ => self.resize(a, width),
        }
    }

    /// A float as integers see it. Sign and payload of a NaN that an operation makes are what the
    /// processor gives: anything, where that is not known.
    fn observed(&mut self, float: Self::Value) -> Self::Value {
        float
    }

    /// Bitwise not.
    fn not(&mut self, a: Self::Value) -> Self::Value {
        self.unary(Op::Not, a)
    }
}

/// Expressions of a pool. Values that are not known become fresh named symbols.
#[derive(Debug)]
pub struct Symbolic<'a> {
    /// Where expressions are built.
    pub pool: &'a mut Pool,
    /// Number of the next symbol.
    pub next: &'a mut u32,
}

impl Symbolic<'_> {
    /// A new symbol.
    pub fn fresh(&mut self, width: u32) -> ExprId {
        let id = *self.next;
        *self.next += 1;
        let width = u8::try_from(width).expect("values have at most 128 bits");
        self.pool.symbol(Symbol::Named { id, width })
    }
}

impl Algebra for Symbolic<'_> {
    type Value = ExprId;

    fn constant(&mut self, width: u32, bits: u128) -> ExprId {
        self.pool.constant(width, bits)
    }
    fn width(&self, value: ExprId) -> u32 {
        self.pool.width(value)
    }
    fn known(&self, value: ExprId) -> Option<u128> {
        self.pool.bits(value)
    }
    fn unary(&mut self, op: Op, a: ExprId) -> ExprId {
        self.pool.unary(op, a)
    }
    fn binary(&mut self, op: Op, a: ExprId, b: ExprId) -> ExprId {
        self.pool.binary(op, a, b)
    }
    fn convert(&mut self, op: Op, a: ExprId, width: u32) -> ExprId {
        match op {
            Op::ZExt => self.pool.zext(a, width),
            Op::SExt => self.pool.sext(a, width),
            _ => self.pool.convert(op, a, width),
        }
    }
    fn round(&mut self, mode: Rounding, a: ExprId) -> ExprId {
        self.pool.round(mode, a)
    }
    fn ite(&mut self, c: ExprId, a: ExprId, b: ExprId) -> ExprId {
        self.pool.ite(c, a, b)
    }
    fn extract(&mut self, a: ExprId, low: u32, width: u32) -> ExprId {
        self.pool.extract(a, low, width)
    }
    fn concat(&mut self, high: ExprId, low: ExprId) -> ExprId {
        self.pool.concat(high, low)
    }
    fn external(&mut self, name: &str, arguments: &[ExprId], width: u32) -> Option<ExprId> {
        Some(self.pool.external(name, arguments, width))
    }
    fn havoc(&mut self, width: u32, _: Option<ExprId>) -> ExprId {
        self.fresh(width)
    }
    fn observed(&mut self, float: ExprId) -> ExprId {
        if self.magnitude(float).is_some() {
            return float;
        }
        let any = self.fresh(self.pool.width(float));
        let [is_nan, also] = [float, any].map(|one| self.pool.binary(Op::FUno, one, one));
        let both = self.pool.and(is_nan, also);
        self.pool.ite(both, any, float)
    }
    fn magnitude(&self, value: ExprId) -> Option<f64> {
        magnitude(self.pool, value, MAX_NESTING)
    }
}

/// Operations in each other that [`magnitude`] looks through.
const MAX_NESTING: u32 = 8;

/// See [`Algebra::magnitude`]: integers as floats, and what is computed of them. Bounds are twice
/// as large as they need be, which covers what rounding adds.
fn magnitude(pool: &Pool, value: ExprId, depth: u32) -> Option<f64> {
    let depth = depth.checked_sub(1)?;
    let size = pool.width(value);
    if let Some(bits) = pool.bits(value) {
        let number = match size {
            32 => f64::from(f32::from_bits(bits as u32)),
            64 => f64::from_bits(bits as u64),
            _ => return None,
        };
        return number.is_finite().then_some(2.0 * number.abs());
    }
    let node = pool.node(value);
    let operands = node.operands();
    let of = |index: usize| magnitude(pool, operands[index], depth);
    let bound = match pool.op(value) {
        Op::SToF | Op::UToF => {
            let mut whole = operands[0];
            while let Op::SExt | Op::ZExt = pool.op(whole) {
                whole = pool.node(whole).operands()[0];
            }
            f64::from(pool.width(whole)).exp2()
        }
        Op::FNeg | Op::FAbs | Op::FToF => of(0)?,
        Op::FAdd | Op::FSub => of(0)? + of(1)?,
        Op::FMul => of(0)? * of(1)?,
        Op::Ite => of(1)?.max(of(2)?),
        _ => return None,
    };
    // A float of 32 bits is a number up to here.
    (bound < 1e30).then_some(2.0 * bound)
}

/// Computes a pure external function: name, arguments, width of the result.
pub type External = fn(&str, &[Value], u32) -> Option<u128>;

/// Concrete values.
#[derive(Clone, Copy, Debug)]
pub struct Concrete {
    /// Computes external functions.
    pub external: External,
}

impl Algebra for Concrete {
    type Value = Value;

    fn constant(&mut self, width: u32, bits: u128) -> Value {
        Value::new(width, bits)
    }
    fn width(&self, value: Value) -> u32 {
        value.width()
    }
    fn known(&self, value: Value) -> Option<u128> {
        Some(value.bits())
    }
    fn unary(&mut self, op: Op, a: Value) -> Value {
        Value::apply(op, a.width(), &[a], 0)
    }
    fn binary(&mut self, op: Op, a: Value, b: Value) -> Value {
        let width = if op.is_predicate() { 1 } else { a.width() };
        Value::apply(op, width, &[a, b], 0)
    }
    fn convert(&mut self, op: Op, a: Value, width: u32) -> Value {
        Value::apply(op, width, &[a], 0)
    }
    fn round(&mut self, mode: Rounding, a: Value) -> Value {
        Value::apply(Op::FRound, a.width(), &[a], mode as u32)
    }
    fn ite(&mut self, c: Value, a: Value, b: Value) -> Value {
        if c.is_true() { a } else { b }
    }
    fn extract(&mut self, a: Value, low: u32, width: u32) -> Value {
        Value::apply(Op::Extract, width, &[a], low)
    }
    fn concat(&mut self, high: Value, low: Value) -> Value {
        Value::apply(Op::Concat, high.width() + low.width(), &[high, low], 0)
    }
    fn external(&mut self, name: &str, arguments: &[Value], width: u32) -> Option<Value> {
        Some(Value::new(width, (self.external)(name, arguments, width)?))
    }
    fn havoc(&mut self, width: u32, machine: Option<Value>) -> Value {
        machine.unwrap_or(Value::new(width, 0))
    }
}
