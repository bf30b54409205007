//! Random operations, each computed here as well.

use labrys_abi::{Node, Op, flag};

use super::{Generator, mask, node};

fn signed(bits: u128, width: u32) -> i128 {
    (bits << (128 - width)) as i128 >> (128 - width)
}

impl Generator {
    pub(super) fn unary(&mut self) {
        use Op::{LeadingZeros, Neg, Not, PopCount, TrailingZeros};
        let width = self.any_width();
        let a = self.of_width(width);
        let value = self.value(a);
        let op = [Not, Neg, PopCount, LeadingZeros, TrailingZeros][self.random.usize(..5)];
        let result = match op {
            Not => !value,
            Neg => value.wrapping_neg(),
            PopCount => value.count_ones().into(),
            LeadingZeros => (value.leading_zeros() - (128 - width)).into(),
            _ => value.trailing_zeros().min(width).into(),
        };
        self.push(node(op, width, [a, 0, 0]), result);
    }

    pub(super) fn cast(&mut self) {
        let (from, to) = (self.any_width(), self.any_width());
        let a = self.of_width(from);
        let value = self.value(a);
        match self.random.u8(..3) {
            0 if from + to <= 128 => {
                let b = self.of_width(to);
                let bits = value << to | self.value(b);
                self.push(node(Op::Concat, from + to, [a, b, 0]), bits);
            }
            1 if from <= to => {
                self.push(node(Op::ZExt, to, [a, 0, 0]), value);
            }
            2 if from <= to => {
                let bits = signed(value, from) as u128;
                self.push(node(Op::SExt, to, [a, 0, 0]), bits);
            }
            _ => {}
        }
    }

    pub(super) fn ite(&mut self) {
        let width = self.any_width();
        let (a, b, c) = (self.of_width(width), self.of_width(width), self.of_width(1));
        let chosen = if self.value(c) == 1 { a } else { b };
        self.push(node(Op::Ite, width, [a, b, c]), self.value(chosen));
    }

    pub(super) fn binary(&mut self) {
        let op = Op::Add as u8 + self.random.u8(..=Op::Ne as u8 - Op::Add as u8);
        let op = Op::from_u8(op).expect("numbers are contiguous");
        let width = self.any_width();
        let (mut a, mut b) = (self.of_width(width), self.of_width(width));
        let (mut x, mut y) = (self.value(a), self.value(b));
        let (mut flags, mut imm) = (0, 0);
        match self.random.u8(..4) {
            0 => {
                imm = self.random.u64(..) & mask(width.min(64)) as u64;
                (flags, a, x) = (flag::A_IMMEDIATE, 0, imm.into());
            }
            1 => {
                imm = self.random.u64(..5) & mask(width) as u64;
                (flags, b, y) = (flag::B_IMMEDIATE, 0, imm.into());
            }
            _ => {}
        }
        let result = arithmetic(op, x, y, width);
        let (width, c) = if op.is_predicate() {
            (1, width)
        } else {
            (width, 0)
        };
        let node = node(op, width, [a, b, c]);
        self.push(Node { flags, imm, ..node }, result);
    }

    pub(super) fn floats(&mut self) {
        let (a, b) = (self.of_width(64), self.of_width(64));
        let bits = self.value(a) as u64;
        let (x, y) = (f64::from_bits(bits), f64::from_bits(self.value(b) as u64));
        // Expressions know one not-a-number only.
        let nan = |value: f64| {
            if value.is_nan() {
                0x7ff8 << 48
            } else {
                value.to_bits()
            }
        };
        let narrow = if x.is_nan() {
            f32::from_bits(0x7fc0_0000)
        } else {
            x as f32
        };
        let (op, width, result) = match self.random.u8(..12) {
            0 => (Op::FAdd, 64, nan(x + y)),
            1 => (Op::FMul, 64, nan(x * y)),
            2 => (Op::FDiv, 64, nan(x / y)),
            3 => (Op::FSub, 64, nan(x - y)),
            4 => (Op::FOlt, 1, (x < y).into()),
            5 => (Op::FOle, 1, (x <= y).into()),
            6 => (Op::FOeq, 1, (x == y).into()),
            7 => (Op::FUno, 1, (x.is_nan() || y.is_nan()).into()),
            8 => (Op::FToF, 32, narrow.to_bits().into()),
            9 => (Op::SToF, 64, (bits as i64 as f64).to_bits()),
            10 => (Op::FRound, 64, nan(x.floor())),
            _ => (Op::FNeg, 64, (-x).to_bits()),
        };
        let node = node(op, width, [a, b, 64]);
        // The mode of a rounding: down.
        self.push(Node { imm: 1, ..node }, result.into());
    }

    fn words(&mut self, words: &[u32]) {
        let bytes = words.iter().flat_map(|word| word.to_le_bytes());
        self.recording.data.extend(bytes);
    }

    /// Pads the data section and returns its length.
    fn align(&mut self) -> u64 {
        let data = &mut self.recording.data;
        data.resize(data.len().next_multiple_of(8), 0xee);
        data.len() as u64
    }

    /// A read of a table of 16 bytes, some of them symbolic, at an index below 16.
    pub(super) fn table(&mut self) {
        let index = self.of_width(64);
        let at = self.value(index) & 15;
        let below = node(Op::And, 64, [index, 0, 0]);
        let (flags, imm) = (flag::B_IMMEDIATE, 15);
        let index = self.push(
            Node {
                flags,
                imm,
                ..below
            },
            at,
        );
        let mut labels = [0; 16];
        for label in &mut labels {
            if self.random.u8(..4) == 0 {
                *label = self.of_width(8);
            }
        }
        if self.random.bool() {
            labels = [0; 16];
        }
        let labelled = labels != [0; 16];
        let imm = self.align();
        self.words(&[16, labelled.into()]);
        let bytes: Vec<u8> = (0..16).map(|_| self.random.u8(..)).collect();
        self.recording.data.extend(&bytes);
        if labelled {
            self.words(&labels);
        }
        let byte = |at: u128| match labels.get(at as usize) {
            None => 0,
            Some(0) => bytes[at as usize].into(),
            Some(label) => self.value(*label),
        };
        let value = byte(at) | byte(at + 1) << 8;
        let node = node(Op::Table, 16, [index, 0, 0]);
        self.push(Node { imm, ..node }, value);
    }

    /// A call of `hypot(x, 3)`, which gives something of its own.
    pub(super) fn external(&mut self) {
        let label = self.of_width(64);
        let imm = self.align();
        self.words(&[5, 2]);
        self.recording.data.extend(b"hypot\0\0\0");
        self.words(&[label, 64, 0, 0, 0, 64, 3, 0]);
        let value = self.value(label).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let node = node(Op::External, 64, [0; 3]);
        self.push(Node { imm, ..node }, value);
    }
}

fn arithmetic(op: Op, x: u128, y: u128, width: u32) -> u128 {
    let (sx, sy) = (signed(x, width), signed(y, width));
    let shift = if y < u128::from(width) {
        Some(y as u32)
    } else {
        None
    };
    match op {
        Op::Add => x.wrapping_add(y),
        Op::Sub => x.wrapping_sub(y),
        Op::Mul => x.wrapping_mul(y),
        Op::UDiv => x.checked_div(y).unwrap_or(u128::MAX),
        Op::URem => x.checked_rem(y).unwrap_or(x),
        Op::SDiv if y == 0 && sx < 0 => 1,
        Op::SDiv if y == 0 => u128::MAX,
        Op::SRem if y == 0 => x,
        Op::SDiv => sx.wrapping_div(sy) as u128,
        Op::SRem => sx.wrapping_rem(sy) as u128,
        Op::Shl => shift.map_or(0, |shift| x << shift),
        Op::LShr => shift.map_or(0, |shift| x >> shift),
        Op::AShr => (sx >> y.min(127)) as u128,
        Op::And => x & y,
        Op::Or => x | y,
        Op::Xor => x ^ y,
        Op::Eq => (x == y).into(),
        Op::Ne => (x != y).into(),
        Op::Ult => (x < y).into(),
        Op::Ule => (x <= y).into(),
        Op::Slt => (sx < sy).into(),
        _ => (sx <= sy).into(),
    }
}
