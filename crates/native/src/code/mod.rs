//! Code under construction, and the values in it.

mod bits;
mod floats;

use cranelift_codegen::ir::{AbiParam, InstBuilder, Signature, Type, Value, types};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::FunctionBuilder;
use labrys_expr::Op;

/// A value of 1 to 64 bits in code: as bits, as a float, or both.
///
/// Invariant: bits are a 64-bit integer whose bits above the width are 0. A float that an
/// operation gave may be any NaN; its bits are then those of the one NaN of expressions.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    width: u32,
    bits: Option<Value>,
    float: Option<Value>,
}

impl Word {
    /// A value by its bits.
    #[must_use]
    pub fn of_bits(width: u32, bits: Value) -> Self {
        Word {
            width,
            bits: Some(bits),
            float: None,
        }
    }

    /// A float that an operation gave.
    #[must_use]
    pub fn of_float(width: u32, float: Value) -> Self {
        Word {
            width,
            bits: None,
            float: Some(float),
        }
    }

    /// The same value, whose bits as a float are known.
    #[must_use]
    pub fn and_float(self, float: Value) -> Self {
        Word {
            float: Some(float),
            ..self
        }
    }

    /// Width in bits.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.width
    }
}

/// The function under construction.
pub struct Code<'b> {
    /// Where instructions go.
    pub builder: FunctionBuilder<'b>,
    convention: CallConv,
}

impl<'b> Code<'b> {
    /// Code that calls by this convention.
    #[must_use]
    pub fn new(builder: FunctionBuilder<'b>, convention: CallConv) -> Self {
        Code {
            builder,
            convention,
        }
    }

    /// The value as bits.
    ///
    /// # Panics
    /// Never: a word has one view at least.
    pub fn bits(&mut self, word: &mut Word) -> Value {
        if let Some(known) = word.bits {
            return known;
        }
        let float = word.float.expect("a word is bits or a float");
        let value = self.canonical(float, word.width);
        word.bits = Some(value);
        value
    }

    /// The value as a float of its width, which is 32 or 64.
    pub fn float(&mut self, word: &mut Word) -> Value {
        if let Some(known) = word.float {
            return known;
        }
        let bits = self.bits(word);
        let value = self.bits_to_float(bits, word.width);
        word.float = Some(value);
        value
    }

    /// What [`labrys_expr::Value::apply`] computes; `None` if there is no code for it. Views of
    /// the operands that are made stay with them.
    pub fn apply(&mut self, op: Op, width: u32, operands: &mut [Word], low: u32) -> Option<Word> {
        if width > 64 || operands.iter().any(|word| word.width > 64) || operands.is_empty() {
            return None;
        }
        if !op.takes_floats() && !op.gives_float() {
            let bits = self.apply_to_bits(op, width, operands, low)?;
            return Some(Word::of_bits(width, bits));
        }
        let is_float = |width: u32| matches!(width, 32 | 64);
        let fits = (!op.takes_floats() || operands.iter().all(|word| is_float(word.width)))
            && (!op.gives_float() || is_float(width));
        if !fits {
            return None;
        }
        self.apply_to_floats(op, width, operands, low)
    }

    /// A constant.
    pub fn integer(&mut self, value: u64) -> Value {
        self.builder.ins().iconst(types::I64, value as i64)
    }

    /// The low `width` bits.
    pub fn cut(&mut self, value: Value, width: u32) -> Value {
        if width >= 64 {
            return value;
        }
        let mask = self.integer((1 << width) - 1);
        self.builder.ins().band(value, mask)
    }

    /// Sign-extended from `width` bits.
    pub fn signed(&mut self, value: Value, width: u32) -> Value {
        if width >= 64 {
            return value;
        }
        let by = i64::from(64 - width);
        let high = self.builder.ins().ishl_imm(value, by);
        self.builder.ins().sshr_imm(high, by)
    }

    /// A truth value as bits.
    pub fn truth(&mut self, value: Value) -> Value {
        self.builder.ins().uextend(types::I64, value)
    }

    /// Calls the C function at an address; its result.
    pub fn call(
        &mut self,
        address: *const u8,
        parameters: &[Type],
        result: Type,
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
}
