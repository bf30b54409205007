//! The law of the crate, for every operation: its code computes what `Value::apply` does.

#![allow(missing_docs, unsafe_code)]

use cranelift_codegen::Context;
use cranelift_codegen::ir::{AbiParam, InstBuilder, MemFlags, Signature, types};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Module, default_libcall_names};
use fastrand::Rng;
use labrys_expr::{Op, Rounding, Value};
use labrys_native::{Code, Word};

/// An operation at some widths.
#[derive(Clone, Debug)]
struct Case {
    op: Op,
    operands: Vec<u32>,
    width: u32,
    /// Lowest bit of an extraction, mode of a rounding.
    low: u32,
}

const WIDTHS: [u32; 9] = [1, 2, 7, 8, 16, 31, 32, 33, 64];
const FLOATS: [u32; 2] = [32, 64];

/// The cases of an operation, without those of more than 64 bits, which have no code.
fn cases(op: Op) -> Vec<Case> {
    let case = |operands: &[u32], width, low| Case {
        op,
        operands: operands.to_vec(),
        width,
        low,
    };
    let pairs = |first: &[u32], second: &[u32]| -> Vec<(u32, u32)> {
        let pairs = first.iter().flat_map(|a| second.iter().map(|b| (*a, *b)));
        pairs.collect()
    };
    let of_widths = |make: &dyn Fn(u32) -> Case| WIDTHS.map(make).to_vec();
    let of_floats = |make: &dyn Fn(u32) -> Case| FLOATS.map(make).to_vec();
    match op {
        Op::Not | Op::Neg | Op::PopCount | Op::LeadingZeros | Op::TrailingZeros => {
            of_widths(&|w| case(&[w], w, 0))
        }
        Op::ZExt | Op::SExt => {
            let wider = pairs(&WIDTHS, &WIDTHS).into_iter().filter(|(a, b)| a <= b);
            wider.map(|(a, b)| case(&[a], b, 0)).collect()
        }
        Op::Extract => {
            let parts = pairs(&WIDTHS, &WIDTHS).into_iter().filter(|(a, b)| a >= b);
            parts.map(|(a, b)| case(&[a], b, (a - b) / 2)).collect()
        }
        Op::Concat => {
            let fits = pairs(&WIDTHS, &WIDTHS).into_iter();
            let fits = fits.filter(|(a, b)| a + b <= 64);
            fits.map(|(a, b)| case(&[a, b], a + b, 0)).collect()
        }
        Op::Ite => of_widths(&|w| case(&[1, w, w], w, 0)),
        Op::Add | Op::Sub | Op::Mul | Op::UDiv | Op::SDiv | Op::URem | Op::SRem => {
            of_widths(&|w| case(&[w, w], w, 0))
        }
        Op::Shl | Op::LShr | Op::AShr | Op::And | Op::Or | Op::Xor => {
            of_widths(&|w| case(&[w, w], w, 0))
        }
        Op::Eq | Op::Ult | Op::Ule | Op::Slt | Op::Sle => of_widths(&|w| case(&[w, w], 1, 0)),
        Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FRem => of_floats(&|w| case(&[w, w], w, 0)),
        Op::FNeg | Op::FAbs | Op::FSqrt => of_floats(&|w| case(&[w], w, 0)),
        Op::FOeq | Op::FOlt | Op::FOle | Op::FUno => of_floats(&|w| case(&[w, w], 1, 0)),
        Op::FToF => {
            let pairs = pairs(&FLOATS, &FLOATS).into_iter();
            pairs.map(|(a, b)| case(&[a], b, 0)).collect()
        }
        Op::FToU | Op::FToS => {
            let pairs = pairs(&FLOATS, &WIDTHS).into_iter();
            pairs.map(|(a, b)| case(&[a], b, 0)).collect()
        }
        Op::UToF | Op::SToF => {
            let pairs = pairs(&WIDTHS, &FLOATS).into_iter();
            pairs.map(|(a, b)| case(&[a], b, 0)).collect()
        }
        Op::FRound => {
            let modes = (0..).map_while(Rounding::from_u8).map(|mode| mode as u32);
            let modes: Vec<u32> = modes.collect();
            let pairs = pairs(&FLOATS, &modes).into_iter();
            pairs.map(|(w, mode)| case(&[w], w, mode)).collect()
        }
        // Leaves, and what the owner of the code computes.
        Op::Const | Op::Symbol | Op::Table | Op::External => Vec::new(),
    }
}

/// Operands in an array, and where the result goes.
type Function = unsafe extern "C" fn(*const u64, *mut u64);

/// Code for a case; the module holds it.
fn compile(case: &Case) -> Option<(JITModule, Function)> {
    let isa = labrys_native::isa("none").expect("this machine");
    let mut module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
    let (mut context, mut builders) = (Context::new(), FunctionBuilderContext::new());
    let convention = module.target_config().default_call_conv;
    let mut signature = Signature::new(convention);
    signature.params = vec![AbiParam::new(types::I64); 2];
    context.func.signature = signature;
    let mut builder = FunctionBuilder::new(&mut context.func, &mut builders);
    let block = builder.create_block();
    builder.append_block_params_for_function_params(block);
    builder.switch_to_block(block);
    let (from, to) = (
        builder.block_params(block)[0],
        builder.block_params(block)[1],
    );
    let mut code = Code::new(builder, convention);
    let flags = MemFlags::trusted();
    let mut words = Vec::new();
    for (index, width) in case.operands.iter().enumerate() {
        let offset = 8 * index as i32;
        let bits = code.builder.ins().load(types::I64, flags, from, offset);
        words.push(Word::of_bits(*width, bits));
    }
    let mut result = code.apply(case.op, case.width, &mut words, case.low)?;
    let bits = code.bits(&mut result);
    code.builder.ins().store(flags, bits, to, 0);
    code.builder.ins().return_(&[]);
    code.builder.seal_all_blocks();
    code.builder.finalize();
    let name = module.declare_anonymous_function(&context.func.signature);
    let name = name.expect("a function");
    module.define_function(name, &mut context).expect("code");
    module.finalize_definitions().expect("code");
    let address = module.get_finalized_function(name);
    // SAFETY: the address is that of a finished function with this signature.
    Some((module, unsafe {
        std::mem::transmute::<*const u8, Function>(address)
    }))
}

/// Values that are likely to be special.
fn special(random: &mut Rng, width: u32) -> u64 {
    let floats = [
        0.0,
        -0.0,
        1.5,
        -2.5,
        1e300,
        f64::NAN,
        f64::INFINITY,
        5e-324,
        2f64.powi(63),
    ];
    let number = match random.u32(..3) {
        0 => floats[random.usize(..floats.len())],
        1 => f64::from(random.i32(..)) / 16.0,
        _ => f64::from_bits(random.u64(..)),
    };
    let bits = match random.u32(..8) {
        0 => 0,
        1 => u64::MAX,
        2 => 1 << random.u32(..width),
        3 => (1_u64 << random.u32(..width)).wrapping_sub(1),
        4 => u64::from(random.u8(..70)),
        5 if width == 64 => number.to_bits(),
        5 if width == 32 => u64::from((number as f32).to_bits()),
        6 => u64::from(random.u8(..10)).wrapping_neg(),
        _ => random.u64(..),
    };
    bits & u64::MAX >> (64 - width)
}

#[test]
fn code_computes_what_values_do() {
    let mut random = Rng::with_seed(1);
    for op in Op::ALL {
        for case in cases(op) {
            let (_module, function) = compile(&case).unwrap_or_else(|| panic!("{case:?}: no code"));
            for _ in 0..200 {
                let widths = case.operands.iter();
                let numbers: Vec<u64> = widths.map(|w| special(&mut random, *w)).collect();
                let mut found = 0;
                // SAFETY: the code reads the operands and writes the result.
                unsafe { function(numbers.as_ptr(), &raw mut found) };
                let values = case.operands.iter().zip(&numbers);
                let values: Vec<Value> = values
                    .map(|(width, bits)| Value::new(*width, u128::from(*bits)))
                    .collect();
                let expected = Value::apply(op, case.width, &values, case.low);
                assert_eq!(
                    u128::from(found),
                    expected.bits(),
                    "{case:?} on {numbers:x?}"
                );
            }
        }
    }
}
