//! Bits of an expression that have one value under every assignment.
//!
//! Law: for every assignment, `value & zeros == 0` and `value & ones == ones`. Used to leave
//! out what cannot be read of a table; knowing less is always allowed.

use labrys_expr::{ExprId, Op, Pool};

/// How deep the operands are looked at.
const DEPTH: u32 = 12;

/// Bits known to be 0 and known to be 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KnownBits {
    pub(super) zeros: u128,
    pub(super) ones: u128,
}

impl KnownBits {
    /// What is known of `id`; bits above its width are known to be 0.
    pub(super) fn of(pool: &Pool, id: ExprId) -> Self {
        look(pool, id, DEPTH)
    }

    fn nothing(width: u32) -> Self {
        KnownBits {
            zeros: !mask(width),
            ones: 0,
        }
    }

    fn value(bits: u128) -> Self {
        KnownBits {
            zeros: !bits,
            ones: bits,
        }
    }

    /// The least value.
    fn least(self) -> u128 {
        self.ones
    }

    /// The greatest value.
    fn greatest(self) -> u128 {
        !self.zeros
    }

    fn both(self, other: Self) -> Self {
        KnownBits {
            zeros: self.zeros & other.zeros,
            ones: self.ones & other.ones,
        }
    }

    fn within(self, width: u32) -> Self {
        KnownBits {
            zeros: self.zeros | !mask(width),
            ones: self.ones & mask(width),
        }
    }

    /// Trailing bits known to be 0.
    fn trailing_zeros(self) -> u32 {
        self.zeros.trailing_ones()
    }

    fn add(self, other: Self, width: u32) -> Self {
        // A sum's bit is known where both operands' bits and the carry into it are.
        let most = self.greatest().wrapping_add(other.greatest());
        let least = self.least().wrapping_add(other.least());
        let no_carry = !(most ^ self.zeros ^ other.zeros);
        let carry = least ^ self.ones ^ other.ones;
        let known = (self.zeros | self.ones) & (other.zeros | other.ones) & (no_carry | carry);
        KnownBits {
            zeros: !most & known,
            ones: least & known,
        }
        .within(width)
    }

    fn multiply(self, other: Self, width: u32) -> Self {
        let trailing = (self.trailing_zeros() + other.trailing_zeros()).min(128);
        let high = match self.greatest().checked_mul(other.greatest()) {
            Some(most) if most <= mask(width) => {
                !u128::MAX.checked_shr(most.leading_zeros()).unwrap_or(0)
            }
            _ => 0,
        };
        KnownBits {
            zeros: mask(trailing) | high,
            ones: 0,
        }
        .within(width)
    }

    fn shift_left(self, by: u32, width: u32) -> Self {
        let zeros = self.zeros.checked_shl(by).unwrap_or(0) | mask(by);
        KnownBits {
            zeros,
            ones: self.ones.checked_shl(by).unwrap_or(0),
        }
        .within(width)
    }

    fn shift_right(self, by: u32) -> Self {
        let zeros = !(!self.zeros).checked_shr(by).unwrap_or(0);
        KnownBits {
            zeros,
            ones: self.ones.checked_shr(by).unwrap_or(0),
        }
    }
}

/// The `width` lowest bits; all of them from 128 on.
fn mask(width: u32) -> u128 {
    if width >= 128 {
        u128::MAX
    } else {
        (1 << width) - 1
    }
}

fn look(pool: &Pool, id: ExprId, depth: u32) -> KnownBits {
    let width = pool.width(id);
    if let Some(bits) = pool.bits(id) {
        return KnownBits::value(bits);
    }
    let node = pool.node(id);
    let operands = node.operands();
    if depth == 0 {
        return KnownBits::nothing(width);
    }
    let known = |operand: usize| look(pool, operands[operand], depth - 1);
    match node.op() {
        Op::ZExt => known(0),
        Op::SExt => sign_extend(known(0), pool.width(operands[0]), width),
        Op::Extract => known(0).shift_right(node.low()).within(width),
        Op::Concat => {
            let low = pool.width(operands[1]);
            let (above, below) = (known(0).shift_left(low, width), known(1));
            KnownBits {
                zeros: above.zeros & below.zeros,
                ones: above.ones | below.ones,
            }
        }
        Op::Ite => known(1).both(known(2)),
        Op::Add => known(0).add(known(1), width),
        Op::Mul => known(0).multiply(known(1), width),
        Op::And => {
            let (a, b) = (known(0), known(1));
            KnownBits {
                zeros: a.zeros | b.zeros,
                ones: a.ones & b.ones,
            }
        }
        Op::Or => {
            let (a, b) = (known(0), known(1));
            KnownBits {
                zeros: a.zeros & b.zeros,
                ones: a.ones | b.ones,
            }
        }
        Op::Shl | Op::LShr => match pool.bits(operands[1]) {
            Some(by) if by < u128::from(width) && node.op() == Op::Shl => {
                known(0).shift_left(by as u32, width)
            }
            Some(by) if by < u128::from(width) => known(0).shift_right(by as u32),
            _ => KnownBits::nothing(width),
        },
        Op::URem => match pool.bits(operands[1]) {
            Some(divisor) if divisor.is_power_of_two() => known(0).within(divisor.trailing_zeros()),
            Some(divisor) if divisor > 0 => KnownBits::nothing(128 - divisor.leading_zeros()),
            _ => KnownBits::nothing(width),
        },
        _ => KnownBits::nothing(width),
    }
}

fn sign_extend(known: KnownBits, from: u32, to: u32) -> KnownBits {
    let sign = 1 << (from - 1);
    let above = mask(to) & !mask(from);
    if known.zeros & sign != 0 {
        known
    } else if known.ones & sign != 0 {
        KnownBits {
            zeros: known.zeros & !above,
            ones: known.ones | above,
        }
    } else {
        KnownBits {
            zeros: known.zeros & !above,
            ones: known.ones,
        }
    }
}

#[cfg(test)]
mod tests {
    use labrys_expr::{Symbol, evaluate};

    use super::*;

    /// A random expression of `width` bits over bytes of input.
    fn expression(pool: &mut Pool, random: &mut fastrand::Rng, width: u32, depth: u32) -> ExprId {
        if depth == 0 || width == 1 {
            let bits = u128::from(random.u64(..)) >> random.u32(..64);
            return if random.bool() {
                pool.constant(width, bits)
            } else {
                symbol(pool, random, width)
            };
        }
        let next = |pool: &mut Pool, random: &mut fastrand::Rng, width| {
            expression(pool, random, width, depth - 1)
        };
        let (a, b) = (next(pool, random, width), next(pool, random, width));
        let by = pool.constant(width, random.u128(..u128::from(width)));
        match random.u32(..12) {
            0 => pool.binary(Op::Add, a, b),
            1 => pool.binary(Op::Mul, a, b),
            2 => pool.and(a, b),
            3 => pool.or(a, b),
            4 => pool.binary(Op::Shl, a, by),
            5 => pool.binary(Op::LShr, a, by),
            6 => pool.binary(Op::URem, a, by),
            7 => pool.binary(Op::Xor, a, b),
            8 => {
                let condition = pool.ult(a, b);
                pool.ite(condition, a, b)
            }
            9 => {
                let low = random.u32(1..width);
                let (high, low) = (next(pool, random, width - low), next(pool, random, low));
                pool.concat(high, low)
            }
            10 => {
                let wide = next(pool, random, width + 7);
                pool.extract(wide, random.u32(..8), width)
            }
            _ => {
                let from = random.u32(1..width);
                let narrow = next(pool, random, from);
                if random.bool() {
                    pool.zext(narrow, width)
                } else {
                    pool.sext(narrow, width)
                }
            }
        }
    }

    fn symbol(pool: &mut Pool, random: &mut fastrand::Rng, width: u32) -> ExprId {
        let byte = pool.input(0, random.u32(..4), 1);
        if width < 8 {
            pool.extract(byte, 0, width)
        } else {
            pool.zext(byte, width)
        }
    }

    #[test]
    fn known_bits_are_those_of_every_value() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..2000 {
            let mut pool = Pool::verbatim();
            let width = random.u32(2..=64);
            let id = expression(&mut pool, &mut random, width, 3);
            let known = KnownBits::of(&pool, id);
            for _ in 0..8 {
                let bytes = random.u32(..).to_le_bytes();
                let assignment = |symbol: Symbol| match symbol {
                    Symbol::Byte { offset, .. } => bytes[offset as usize].into(),
                    _ => 0,
                };
                let value = evaluate(&pool, id, &assignment).unwrap().bits();
                assert_eq!(value & known.zeros, 0, "{known:x?} {value:x}");
                assert_eq!(value & known.ones, known.ones, "{known:x?} {value:x}");
            }
        }
    }

    #[test]
    fn scaled_indices_are_aligned() {
        let mut pool = Pool::new();
        let byte = pool.input(0, 0, 1);
        let index = pool.zext(byte, 64);
        let four = pool.constant(64, 4);
        let scaled = pool.binary(Op::Mul, index, four);
        let base = pool.constant(64, 16);
        let offset = pool.add(scaled, base);
        assert_eq!(
            KnownBits::of(&pool, offset),
            KnownBits {
                zeros: !0x7fc,
                ones: 0
            }
        );
    }
}
