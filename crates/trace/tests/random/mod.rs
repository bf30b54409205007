//! Random recordings that make sense, with an interpreter of their own for the values.

use labrys_abi::{Event, EventKind, Node, Op, RUNTIME_SITE, flag};
use labrys_expr::Symbol;
use labrys_program::{BlockId, FunctionId, Program, SiteKind};
use labrys_trace::Recording;

/// Length of stream 0, whose bytes are those of [`Generator::input`].
pub(crate) const LENGTH: u32 = 40;

/// Case values of the program's only switch, site 1.
pub(crate) const CASES: [u128; 3] = [0, 7, 200];

/// A program with a branch, an eight-bit switch and a select.
pub(crate) fn program() -> Program {
    let mut program = Program::default();
    let switch = SiteKind::Switch {
        width: 8,
        cases: CASES.to_vec(),
    };
    for kind in [SiteKind::Branch, switch, SiteKind::Select] {
        program.push_site(kind, FunctionId(0), BlockId(0), None, false);
    }
    program
}

/// Builds a recording node by node.
pub(crate) struct Generator {
    pub(crate) random: fastrand::Rng,
    pub(crate) input: Vec<u8>,
    pub(crate) recording: Recording,
    /// Values by label, all bits.
    values: Vec<u128>,
}

fn mask(width: u32) -> u128 {
    u128::MAX >> (128 - width)
}

fn signed(bits: u128, width: u32) -> i128 {
    (bits << (128 - width)) as i128 >> (128 - width)
}

impl Generator {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let input = (0..LENGTH).map(|_| random.u8(..)).collect();
        let recording = Recording {
            nodes: vec![Node::default()],
            ..Recording::default()
        };
        Self {
            random,
            input,
            recording,
            values: vec![0],
        }
    }

    /// The value of a symbol in the run.
    pub(crate) fn symbol(&self, symbol: Symbol) -> u128 {
        match symbol {
            Symbol::Byte { offset, .. } => self
                .input
                .get(offset as usize)
                .map_or(0, |b| u128::from(*b)),
            _ => u128::from(LENGTH),
        }
    }

    fn push(&mut self, node: Node, value: u128) -> u32 {
        let bits = value & mask(u32::from(node.width));
        let cv = if node.width > 64 {
            bits as u64 ^ (bits >> 64) as u64
        } else {
            bits as u64
        };
        self.recording.nodes.push(Node { cv, ..node });
        self.values.push(bits);
        self.values.len() as u32 - 1
    }

    fn width(&self, label: u32) -> u32 {
        u32::from(self.recording.nodes[label as usize].width)
    }

    /// A label of this width, made if there is none.
    fn of_width(&mut self, width: u32) -> u32 {
        let fitting: Vec<u32> = (1..self.values.len() as u32)
            .filter(|label| self.width(*label) == width)
            .collect();
        if let Some(label) = self.random.choice(&fitting)
            && self.random.u8(..8) > 0
        {
            return *label;
        }
        if width % 8 == 0 {
            return self.input_node(width);
        }
        let from = self.of_width(128);
        let imm = self.random.u64(0..=u64::from(128 - width));
        let node = Node {
            op: Op::Extract as u8,
            width: width as u16,
            a: from,
            imm,
            ..Node::default()
        };
        self.push(node, self.values[from as usize] >> imm)
    }

    fn input_node(&mut self, width: u32) -> u32 {
        let offset = self.random.u32(0..LENGTH - width / 8);
        let value = (0..width / 8).rev().fold(0, |value, at| {
            value << 8
                | self.symbol(Symbol::Byte {
                    stream: 0,
                    offset: offset + at,
                })
        });
        let node = Node {
            op: Op::Input as u8,
            width: width as u16,
            imm: u64::from(offset),
            ..Node::default()
        };
        self.push(node, value)
    }

    fn any_width(&mut self) -> u32 {
        [1, 1, 8, 8, 8, 16, 32, 32, 64, 64, 128, 7, 33][self.random.usize(..13)]
    }

    /// Appends a random node and perhaps an event.
    pub(crate) fn step(&mut self) {
        match self.random.u8(..20) {
            0 => drop(self.input_node(8)),
            1 => {
                let node = Node {
                    op: Op::Length as u8,
                    width: 64,
                    ..Node::default()
                };
                self.push(node, u128::from(LENGTH));
            }
            2 => self.unary(),
            3 => self.cast(),
            4 => self.ite(),
            5 => self.floats(),
            6 => self.table(),
            7 => self.external(),
            8..14 => drop(self.binary()),
            _ => self.event(),
        }
    }

    fn unary(&mut self) {
        let width = self.any_width();
        let a = self.of_width(width);
        let value = self.values[a as usize];
        let op = [
            Op::Not,
            Op::Neg,
            Op::PopCount,
            Op::LeadingZeros,
            Op::TrailingZeros,
        ];
        let op = op[self.random.usize(..5)];
        let result = match op {
            Op::Not => !value,
            Op::Neg => value.wrapping_neg(),
            Op::PopCount => u128::from(value.count_ones()),
            Op::LeadingZeros => u128::from(value.leading_zeros() - (128 - width)),
            _ => u128::from(value.trailing_zeros().min(width)),
        };
        self.push(
            Node {
                op: op as u8,
                width: width as u16,
                a,
                ..Node::default()
            },
            result,
        );
    }

    fn cast(&mut self) {
        let from = self.any_width();
        let (a, to) = (self.of_width(from), self.any_width());
        let value = self.values[a as usize];
        let node = Node {
            width: to as u16,
            a,
            ..Node::default()
        };
        match self.random.u8(..3) {
            0 if from + to <= 128 => {
                let b = self.of_width(to);
                let node = Node {
                    op: Op::Concat as u8,
                    width: (from + to) as u16,
                    b,
                    ..node
                };
                self.push(node, value << to | self.values[b as usize]);
            }
            1 if from <= to => {
                self.push(
                    Node {
                        op: Op::ZExt as u8,
                        ..node
                    },
                    value,
                );
            }
            2 if from <= to => {
                self.push(
                    Node {
                        op: Op::SExt as u8,
                        ..node
                    },
                    signed(value, from) as u128,
                );
            }
            _ => {}
        }
    }

    fn ite(&mut self) {
        let width = self.any_width();
        let (a, b, c) = (self.of_width(width), self.of_width(width), self.of_width(1));
        let chosen = if self.values[c as usize] == 1 { a } else { b };
        let node = Node {
            op: Op::Ite as u8,
            width: width as u16,
            a,
            b,
            c,
            ..Node::default()
        };
        self.push(node, self.values[chosen as usize]);
    }

    fn binary(&mut self) -> u32 {
        let ops = [
            Op::Add,
            Op::Sub,
            Op::Mul,
            Op::UDiv,
            Op::SDiv,
            Op::URem,
            Op::SRem,
            Op::Shl,
            Op::LShr,
            Op::AShr,
            Op::And,
            Op::Or,
            Op::Xor,
            Op::Eq,
            Op::Ult,
            Op::Ule,
            Op::Slt,
            Op::Sle,
        ];
        let (op, width) = (ops[self.random.usize(..ops.len())], self.any_width());
        let (mut a, mut b) = (self.of_width(width), self.of_width(width));
        let (mut x, mut y) = (self.values[a as usize], self.values[b as usize]);
        let (mut flags, mut imm) = (0, 0);
        match self.random.u8(..4) {
            0 => {
                (flags, imm) = (
                    flag::A_IMMEDIATE,
                    self.random.u64(..) & mask(width.min(64)) as u64,
                );
                (a, x) = (0, u128::from(imm));
            }
            1 => {
                (flags, imm) = (flag::B_IMMEDIATE, self.random.u64(..5) & mask(width) as u64);
                (b, y) = (0, u128::from(imm));
            }
            _ => {}
        }
        let result = arithmetic(op, x, y, width);
        let (width, c) = if op.is_predicate() {
            (1, width)
        } else {
            (width, 0)
        };
        let node = Node {
            op: op as u8,
            flags,
            width: width as u16,
            a,
            b,
            c,
            imm,
            cv: 0,
        };
        self.push(node, result)
    }

    fn floats(&mut self) {
        let (a, b) = (self.of_width(64), self.of_width(64));
        let (x, y) = (
            self.values[a as usize] as u64,
            self.values[b as usize] as u64,
        );
        let (x, y) = (f64::from_bits(x), f64::from_bits(y));
        let node = Node {
            width: 64,
            a,
            b,
            ..Node::default()
        };
        let predicate = Node {
            width: 1,
            c: 64,
            ..node
        };
        let from = Node {
            c: 64,
            b: 0,
            ..node
        };
        // Expressions know one not-a-number only.
        let result = |value: f64| match value.is_nan() {
            true => 0x7ff8 << 48,
            false => u128::from(value.to_bits()),
        };
        match self.random.u8(..12) {
            0 => self.push(
                Node {
                    op: Op::FAdd as u8,
                    ..node
                },
                result(x + y),
            ),
            1 => self.push(
                Node {
                    op: Op::FMul as u8,
                    ..node
                },
                result(x * y),
            ),
            2 => self.push(
                Node {
                    op: Op::FDiv as u8,
                    ..node
                },
                result(x / y),
            ),
            3 => self.push(
                Node {
                    op: Op::FSub as u8,
                    ..node
                },
                result(x - y),
            ),
            4 => self.push(
                Node {
                    op: Op::FOlt as u8,
                    ..predicate
                },
                u128::from(x < y),
            ),
            5 => self.push(
                Node {
                    op: Op::FOle as u8,
                    ..predicate
                },
                u128::from(x <= y),
            ),
            6 => self.push(
                Node {
                    op: Op::FOeq as u8,
                    ..predicate
                },
                u128::from(x == y),
            ),
            7 => {
                let unordered = x.is_nan() || y.is_nan();
                self.push(
                    Node {
                        op: Op::FUno as u8,
                        ..predicate
                    },
                    u128::from(unordered),
                )
            }
            8 => {
                let value = if x.is_nan() {
                    f32::from_bits(0x7fc0_0000)
                } else {
                    x as f32
                };
                let value = u128::from(value.to_bits());
                self.push(
                    Node {
                        op: Op::FToF as u8,
                        width: 32,
                        ..from
                    },
                    value,
                )
            }
            9 => {
                let value = self.values[a as usize] as i64 as f64;
                self.push(
                    Node {
                        op: Op::SToF as u8,
                        ..from
                    },
                    result(value),
                )
            }
            10 => self.push(
                Node {
                    op: Op::FRound as u8,
                    imm: 1,
                    b: 0,
                    ..node
                },
                result(x.floor()),
            ),
            _ => self.push(
                Node {
                    op: Op::FNeg as u8,
                    b: 0,
                    ..node
                },
                u128::from((-x).to_bits()),
            ),
        };
    }

    fn word(&mut self, word: u32) {
        self.recording.data.extend(word.to_le_bytes());
    }

    /// A read of a table of 16 bytes, some of them symbolic, at an index below 16.
    fn table(&mut self) {
        let index = self.of_width(64);
        let node = Node {
            op: Op::And as u8,
            flags: flag::B_IMMEDIATE,
            width: 64,
            a: index,
            imm: 15,
            ..Node::default()
        };
        let at = self.values[index as usize] & 15;
        let index = self.push(node, at);
        let labels: Vec<u32> = (0..16)
            .map(|_| {
                if self.random.u8(..4) == 0 {
                    self.of_width(8)
                } else {
                    0
                }
            })
            .collect();
        let labelled = self.random.bool();
        let start = self.recording.data.len().next_multiple_of(8);
        self.recording.data.resize(start, 0xee);
        self.word(16);
        self.word(u32::from(labelled));
        let bytes: Vec<u8> = (0..16).map(|_| self.random.u8(..)).collect();
        self.recording.data.extend(&bytes);
        if labelled {
            labels.iter().for_each(|label| self.word(*label));
        }
        let byte = |at: u128| match at as usize {
            at if at >= 16 => 0,
            at if labelled && labels[at] != 0 => self.values[labels[at] as usize],
            at => u128::from(bytes[at]),
        };
        let value = byte(at) | byte(at + 1) << 8;
        let node = Node {
            op: Op::Table as u8,
            width: 16,
            a: index,
            imm: start as u64,
            ..Node::default()
        };
        self.push(node, value);
    }

    /// A call of `hypot(x, 3)`, which gives something of its own.
    fn external(&mut self) {
        let label = self.of_width(64);
        let start = self.recording.data.len().next_multiple_of(8);
        self.recording.data.resize(start, 0xee);
        self.word(5);
        self.word(2);
        self.recording.data.extend(b"hypot\0\0\0");
        for (label, value) in [(label, 0), (0, 3)] {
            self.word(label);
            self.word(64);
            self.word(value);
            self.word(0);
        }
        let value = self.values[label as usize].wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let node = Node {
            op: Op::External as u8,
            width: 64,
            imm: start as u64,
            ..Node::default()
        };
        self.push(node, value);
    }

    fn event(&mut self) {
        let mut event = match self.random.u8(..8) {
            0 => {
                let label = self.of_width(8);
                let value = self.values[label as usize];
                let case = CASES.iter().position(|case| *case == value);
                let direction = case.map_or(0, |case| case as u32 + 1);
                let kind = EventKind::Switch as u8;
                Event {
                    kind,
                    site: 1,
                    label,
                    direction,
                    ..Event::default()
                }
            }
            1 => {
                let width = self.any_width().min(64);
                let label = self.of_width(width);
                let kind = EventKind::Switch as u8;
                Event {
                    kind,
                    site: 77,
                    label,
                    direction: 3,
                    ..Event::default()
                }
            }
            2 => {
                let width = self.any_width().min(64);
                let label = self.of_width(width);
                Event {
                    kind: EventKind::Concretize as u8,
                    label,
                    ..Event::default()
                }
            }
            3 => Event {
                kind: EventKind::Branch as u8,
                direction: 1,
                ..Event::default()
            },
            number => {
                let label = self.of_width(1);
                let direction = self.values[label as usize] as u32;
                let (kind, site) = match number {
                    4 => (EventKind::Select, 2),
                    5 => (EventKind::Runtime, RUNTIME_SITE),
                    6 => (EventKind::Assume, 0),
                    _ => (EventKind::Branch, 0),
                };
                Event {
                    kind: kind as u8,
                    site,
                    label,
                    direction,
                    ..Event::default()
                }
            }
        };
        event.a = self.values[event.label as usize] as u64;
        self.recording.events.push(event);
    }
}

fn arithmetic(op: Op, x: u128, y: u128, width: u32) -> u128 {
    let (sx, sy) = (signed(x, width), signed(y, width));
    let shifts = y < u128::from(width);
    match op {
        Op::Add => x.wrapping_add(y),
        Op::Sub => x.wrapping_sub(y),
        Op::Mul => x.wrapping_mul(y),
        Op::UDiv => x.checked_div(y).unwrap_or(u128::MAX),
        Op::URem => x.checked_rem(y).unwrap_or(x),
        Op::SDiv if y == 0 => {
            if sx < 0 {
                1
            } else {
                u128::MAX
            }
        }
        Op::SRem if y == 0 => x,
        Op::SDiv => sx.wrapping_div(sy) as u128,
        Op::SRem => sx.wrapping_rem(sy) as u128,
        Op::Shl => {
            if shifts {
                x << y
            } else {
                0
            }
        }
        Op::LShr => {
            if shifts {
                x >> y
            } else {
                0
            }
        }
        Op::AShr => (sx >> y.min(127)) as u128,
        Op::And => x & y,
        Op::Or => x | y,
        Op::Xor => x ^ y,
        Op::Eq => u128::from(x == y),
        Op::Ult => u128::from(x < y),
        Op::Ule => u128::from(x <= y),
        Op::Slt => u128::from(sx < sy),
        _ => u128::from(sx <= sy),
    }
}
