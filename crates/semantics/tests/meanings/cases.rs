//! Every operation of the IR that computes a value, at every kind of width that it is allowed at.
//!
//! Law: the list is complete. It is made of the lists of all operators, and of a match of all
//! intrinsics without a wildcard, so an operation that is added to the IR gets here or does not
//! compile.

use labrys_program::{
    BinaryOperator, Cast, Comparison, FloatComparison, FloatOperator, Intrinsic, Operand,
    Operation, SiteId, Type, ValueId,
};

/// Widths of integers: one bit, those of C, odd ones, and more than a word.
pub(crate) const WIDTHS: [u32; 11] = [1, 7, 8, 16, 24, 32, 33, 64, 65, 100, 128];
pub(crate) const FLOATS: [Type; 2] = [Type::Float, Type::Double];

/// An operation on its parameters: operand `n` is the value `n`.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) operation: Operation,
    pub(crate) parameters: Vec<Type>,
    /// Of an operation that reports an overflow, the type of its first part.
    pub(crate) result: Type,
    /// The result has a second part: one bit.
    pub(crate) overflows: bool,
}

pub(crate) fn value(number: u32) -> Operand {
    Operand::Value(ValueId(number))
}

fn case(operation: Operation, parameters: &[Type], result: Type) -> Case {
    Case {
        operation,
        parameters: parameters.to_vec(),
        result,
        overflows: false,
    }
}

/// Which operands an intrinsic has.
pub(crate) enum Shape {
    /// So many integers of the result's type.
    Integers(usize),
    /// As above, of a multiple of 16 bits.
    Words,
    /// An integer, and a flag that is 0: no input is poison.
    Flagged,
    /// Two integers; the result has an overflow bit.
    Overflow,
    /// So many floats of the result's type.
    Floats(usize),
    /// As above, computed by the mathematics library.
    Library(usize),
    /// An integer and what it probably is.
    Expected,
    /// An address and a mask.
    Mask,
    /// No value, or one without a meaning.
    None,
}

pub(crate) fn shape(intrinsic: Intrinsic) -> Shape {
    use Intrinsic as I;
    match intrinsic {
        I::SignedAddOverflow
        | I::UnsignedAddOverflow
        | I::SignedSubOverflow
        | I::UnsignedSubOverflow
        | I::SignedMulOverflow
        | I::UnsignedMulOverflow => Shape::Overflow,
        I::SignedAddSaturating
        | I::UnsignedAddSaturating
        | I::SignedSubSaturating
        | I::UnsignedSubSaturating
        | I::SignedMin
        | I::SignedMax
        | I::UnsignedMin
        | I::UnsignedMax => Shape::Integers(2),
        I::PopCount | I::BitReverse => Shape::Integers(1),
        I::FunnelShiftLeft | I::FunnelShiftRight => Shape::Integers(3),
        I::ByteSwap => Shape::Words,
        I::LeadingZeros | I::TrailingZeros | I::Abs => Shape::Flagged,
        I::FloatAbs
        | I::SquareRoot
        | I::Floor
        | I::Ceil
        | I::RoundToZero
        | I::Round
        | I::RoundEven
        | I::Rint
        | I::NearbyInt => Shape::Floats(1),
        I::CopySign => Shape::Floats(2),
        I::MultiplyAdd => Shape::Floats(3),
        I::Sine | I::Cosine | I::Tangent | I::Exp | I::Exp2 | I::Log | I::Log2 | I::Log10 => {
            Shape::Library(1)
        }
        I::Power => Shape::Library(2),
        I::Expect | I::ExpectProbability => Shape::Expected,
        I::PointerMask => Shape::Mask,
        I::MemoryCopy
        | I::MemoryCopyInline
        | I::MemoryMove
        | I::MemorySet
        | I::MemorySetInline
        | I::SignedShlSaturating
        | I::UnsignedShlSaturating
        | I::LongRint
        | I::LongLongRint
        | I::LongRound
        | I::LongLongRound
        | I::FloatMin
        | I::FloatMax
        | I::FloatMinimum
        | I::FloatMaximum
        | I::FusedMultiplyAdd
        | I::PowerInt
        | I::Exp10
        | I::LoadExponent
        | I::IsFloatClass
        | I::FloatToSignedSaturating
        | I::FloatToUnsignedSaturating
        | I::Assume
        | I::Trap
        | I::SanitizerTrap
        | I::DebugTrap
        | I::VariableStart
        | I::VariableEnd
        | I::VariableCopy
        | I::StackSave
        | I::StackRestore
        | I::ObjectSize
        | I::IsConstant
        | I::ThreadLocalAddress
        | I::FrameAddress
        | I::ReturnAddress => Shape::None,
    }
}

fn intrinsics(all: &mut Vec<Case>) {
    for &intrinsic in Intrinsic::ALL {
        let mut add = |parameters: &[Type], result: Type, overflows: bool| {
            let arguments = (0..parameters.len() as u32).map(value).collect();
            let operation = Operation::Intrinsic {
                intrinsic,
                arguments,
            };
            all.push(Case {
                overflows,
                ..case(operation, parameters, result)
            });
        };
        match shape(intrinsic) {
            Shape::Integers(count) => {
                for ty in WIDTHS.map(Type::Int) {
                    add(&vec![ty; count], ty, false);
                }
            }
            Shape::Words => {
                for ty in [16, 32, 48, 64, 128].map(Type::Int) {
                    add(&[ty], ty, false);
                }
            }
            Shape::Flagged => {
                for ty in WIDTHS.map(Type::Int) {
                    add(&[ty, Type::Int(1)], ty, false);
                }
            }
            Shape::Overflow => {
                for ty in WIDTHS.map(Type::Int) {
                    add(&[ty, ty], ty, true);
                }
            }
            Shape::Floats(count) | Shape::Library(count) => {
                for ty in FLOATS {
                    add(&vec![ty; count], ty, false);
                }
            }
            Shape::Expected => {
                for ty in WIDTHS.map(Type::Int) {
                    add(&[ty, ty], ty, false);
                }
            }
            Shape::Mask => add(&[Type::Pointer, Type::Int(64)], Type::Pointer, false),
            Shape::None => {}
        }
    }
}

fn casts(all: &mut Vec<Case>) {
    let integers = WIDTHS.map(Type::Int);
    let mut add = |cast, from: Type, to: Type| {
        let operation = Operation::Cast {
            cast,
            value: value(0),
        };
        all.push(case(operation, &[from], to));
    };
    for &cast in Cast::ALL {
        for a in integers {
            for b in integers {
                match cast {
                    Cast::Truncate if a.width() > b.width() => add(cast, a, b),
                    Cast::ZeroExtend | Cast::SignExtend if a.width() < b.width() => add(cast, a, b),
                    _ => {}
                }
            }
            for float in FLOATS {
                match cast {
                    Cast::FloatToUnsigned | Cast::FloatToSigned => add(cast, float, a),
                    Cast::UnsignedToFloat | Cast::SignedToFloat => add(cast, a, float),
                    _ => {}
                }
            }
            match cast {
                Cast::PointerToInt => add(cast, Type::Pointer, a),
                Cast::IntToPointer => add(cast, a, Type::Pointer),
                _ => {}
            }
        }
        match cast {
            Cast::FloatTruncate => add(cast, Type::Double, Type::Float),
            Cast::FloatExtend => add(cast, Type::Float, Type::Double),
            Cast::Bits => {
                for (integer, float) in [(32, Type::Float), (64, Type::Double)] {
                    add(cast, Type::Int(integer), float);
                    add(cast, float, Type::Int(integer));
                }
            }
            _ => {}
        }
    }
}

/// All cases.
pub(crate) fn all() -> Vec<Case> {
    let mut all = Vec::new();
    let (left, right) = (value(0), value(1));
    for ty in WIDTHS.map(Type::Int) {
        for &operator in BinaryOperator::ALL {
            let operation = Operation::Binary {
                operator,
                left,
                right,
            };
            all.push(case(operation, &[ty, ty], ty));
        }
    }
    for ty in WIDTHS.map(Type::Int).into_iter().chain([Type::Pointer]) {
        for &comparison in Comparison::ALL {
            let operation = Operation::Compare {
                comparison,
                left,
                right,
            };
            all.push(case(operation, &[ty, ty], Type::Int(1)));
        }
    }
    for ty in FLOATS {
        for &operator in FloatOperator::ALL {
            let operation = Operation::Float {
                operator,
                left,
                right,
            };
            all.push(case(operation, &[ty, ty], ty));
        }
        for &comparison in FloatComparison::ALL {
            let operation = Operation::FloatCompare {
                comparison,
                left,
                right,
            };
            all.push(case(operation, &[ty, ty], Type::Int(1)));
        }
        all.push(case(Operation::FloatNegate(left), &[ty], ty));
    }
    let scalars = WIDTHS.map(Type::Int).into_iter().chain(FLOATS);
    for ty in scalars.chain([Type::Pointer]) {
        let operation = Operation::Select {
            site: SiteId(0),
            condition: value(2),
            if_true: left,
            if_false: right,
        };
        all.push(case(operation, &[ty, ty, Type::Int(1)], ty));
        all.push(case(Operation::Freeze(left), &[ty], ty));
    }
    casts(&mut all);
    intrinsics(&mut all);
    all
}

/// Whether the language defines the result. Expressions leave any other result open.
pub(crate) fn is_defined(case: &Case, values: &[u128]) -> bool {
    use BinaryOperator as B;
    match &case.operation {
        Operation::Binary { operator, .. } => {
            let width = case.result.width().expect("an integer");
            let least = 1 << (width - 1);
            let minus_one = u128::MAX >> (128 - width);
            match operator {
                B::UDiv | B::URem => values[1] != 0,
                B::SDiv | B::SRem => {
                    values[1] != 0 && (values[0] != least || values[1] != minus_one)
                }
                B::Shl | B::LShr | B::AShr => values[1] < u128::from(width),
                _ => true,
            }
        }
        Operation::Cast { cast, .. } => {
            let number = || match case.parameters[0] {
                Type::Float => f64::from(f32::from_bits(values[0] as u32)),
                _ => f64::from_bits(values[0] as u64),
            };
            let width = || case.result.width().expect("a scalar") as i32;
            match cast {
                Cast::FloatToUnsigned => number().trunc() >= 0.0 && number() < 2f64.powi(width()),
                Cast::FloatToSigned => {
                    let bound = 2f64.powi(width() - 1);
                    number().trunc() >= -bound && number() < bound
                }
                _ => true,
            }
        }
        Operation::Intrinsic {
            intrinsic: Intrinsic::LeadingZeros | Intrinsic::TrailingZeros,
            ..
        } => values[0] != 0,
        _ => true,
    }
}

/// Draws values that are likely to be special.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub(crate) fn value(&mut self, ty: Type) -> u128 {
        let width = ty.width().expect("a scalar");
        let bits = match ty {
            Type::Float => u128::from((self.float() as f32).to_bits()),
            Type::Double => u128::from(self.float().to_bits()),
            _ => self.integer(width),
        };
        bits & u128::MAX >> (128 - width)
    }

    fn wide(&mut self) -> u128 {
        u128::from(self.next()) << 64 | u128::from(self.next())
    }

    fn integer(&mut self, width: u32) -> u128 {
        let bit = 1 << self.below(width.into());
        match self.below(10) {
            0 => 0,
            1 => u128::MAX,
            2 => 1 << (width - 1),
            3 => (1 << (width - 1)) - 1,
            4 => bit,
            5 => bit - 1,
            6 => u128::from(self.below(2 * u64::from(width))),
            7 => u128::from(self.below(10)).wrapping_neg(),
            _ => self.wide(),
        }
    }

    fn float(&mut self) -> f64 {
        let edges = [
            0.0,
            -0.0,
            1.0,
            0.5,
            -0.5,
            1.5,
            2.5,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            f64::MIN_POSITIVE,
            5e-324,
            f64::MAX,
            f64::from(f32::MAX),
            2f64.powi(31),
            2f64.powi(32),
            2f64.powi(63),
            2f64.powi(64),
        ];
        match self.below(6) {
            0 | 1 => edges[self.below(edges.len() as u64) as usize],
            2 => self.next() as i16 as f64 / 16.0,
            3 => self.next() as i32 as f64,
            4 => f64::from(f32::from_bits(self.next() as u32)),
            _ => f64::from_bits(self.next()),
        }
    }
}
