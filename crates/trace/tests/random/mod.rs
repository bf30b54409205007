//! Random recordings that make sense, with an interpreter of their own for the values.

mod operations;

use std::collections::BTreeSet;

use labrys_abi::{Event, EventKind, MAX_OBJECTS, Node, Op, RUNTIME_SITE, SIZE_SITE};
use labrys_expr::Symbol;
use labrys_program::{BlockId, FunctionId, Program, SiteKind};
use labrys_trace::{Recording, Trace};

/// Length of stream 0, whose bytes are those of [`Generator::input`].
const LENGTH: u32 = 40;

/// Case values of the program's only switch, site 1.
const CASES: [u128; 3] = [0, 7, 200];

/// A program with a branch, an eight-bit switch and a select.
pub(crate) fn program() -> Program {
    let mut program = Program::default();
    let (width, cases) = (8, CASES.to_vec());
    let switch = SiteKind::Switch { width, cases };
    for kind in [SiteKind::Branch, switch, SiteKind::Select] {
        program.push_site(kind, FunctionId(0), BlockId(0), None, false);
    }
    program
}

/// Builds a recording node by node.
pub(crate) struct Generator {
    random: fastrand::Rng,
    input: Vec<u8>,
    pub(crate) recording: Recording,
    /// Values by label, all bits.
    values: Vec<u128>,
}

/// A node with operands, without immediate and flags.
fn node(op: Op, width: u32, [a, b, c]: [u32; 3]) -> Node {
    let (op, width) = (op as u8, width as u16);
    let (flags, imm, cv) = (0, 0, 0);
    Node {
        op,
        flags,
        width,
        a,
        b,
        c,
        imm,
        cv,
    }
}

fn event(kind: EventKind, site: u32, label: u32, direction: u32) -> Event {
    let kind = kind as u8;
    let (aux, reserved, a, b) = (0, 0, 0, 0);
    Event {
        kind,
        aux,
        reserved,
        site,
        label,
        direction,
        a,
        b,
    }
}

/// Asks for everything that can be asked for.
pub(crate) fn visit(trace: &Trace, program: &Program) {
    let mut decoder = trace.decoder();
    for step in 0..trace.steps().len() {
        let condition = trace.condition(&mut decoder, step);
        assert_eq!(decoder.pool().width(condition), 1);
        for direction in trace.alternatives(step) {
            trace.flipped(&mut decoder, step, direction);
        }
        let support: BTreeSet<_> = trace.support_of(step).into_iter().collect();
        let symbols: Vec<Symbol> = decoder.pool().symbols(condition).iter().collect();
        assert!(symbols.iter().all(|symbol| support.contains(symbol)));
        assert!(trace.slice(step).iter().all(|earlier| *earlier < step));
        let site = trace.steps()[step].program_site(program);
        assert!(site.is_none_or(|site| site.index() < program.sites.len()));
    }
    trace.decisions().count();
    let recording = trace.recording();
    let places = recording.object_places();
    assert!(
        places
            .iter()
            .all(|(_, size, _)| *size <= u64::from(MAX_OBJECTS))
    );
    assert!(recording.objects().len() + recording.targets().len() <= recording.events.len());
    assert!(
        recording
            .failure()
            .is_none_or(|text| text.len() <= 3 * recording.data.len())
    );
    trace.check(&mut decoder, &|_| 0);
}

fn mask(width: u32) -> u128 {
    u128::MAX >> (128 - width)
}

impl Generator {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let input = (0..LENGTH).map(|_| random.u8(..)).collect();
        let nodes = vec![Node::default()];
        let recording = Recording {
            nodes,
            ..Recording::default()
        };
        let values = vec![0];
        Self {
            random,
            input,
            recording,
            values,
        }
    }

    /// The value of a symbol in the run.
    pub(crate) fn symbol(&self, symbol: Symbol) -> u128 {
        match symbol {
            Symbol::Byte { offset, .. } => u128::from(self.input[offset as usize]),
            _ => u128::from(LENGTH),
        }
    }

    /// Appends a random node or event.
    pub(crate) fn step(&mut self) {
        match self.random.u8(..20) {
            0 => drop(self.input_node(8)),
            1 => drop(self.push(node(Op::Length, 64, [0; 3]), LENGTH.into())),
            2 => self.unary(),
            3 => self.cast(),
            4 => self.ite(),
            5 => self.floats(),
            6 => self.table(),
            7 => self.external(),
            8..14 => self.binary(),
            _ => self.event(),
        }
    }

    fn push(&mut self, node: Node, value: u128) -> u32 {
        let bits = value & mask(node.width.into());
        let high = if node.width > 64 { bits >> 64 } else { 0 };
        let cv = (bits ^ high) as u64;
        self.recording.nodes.push(Node { cv, ..node });
        self.values.push(bits);
        self.values.len() as u32 - 1
    }

    fn value(&self, label: u32) -> u128 {
        self.values[label as usize]
    }

    fn width(&self, label: u32) -> u32 {
        self.recording.nodes[label as usize].width.into()
    }

    fn any_width(&mut self) -> u32 {
        [1, 1, 8, 8, 8, 16, 32, 32, 64, 64, 128, 7, 33][self.random.usize(..13)]
    }

    /// A label of this width, made if there is none.
    fn of_width(&mut self, width: u32) -> u32 {
        let labels = 1..self.values.len() as u32;
        let fitting: Vec<u32> = labels.filter(|label| self.width(*label) == width).collect();
        match self.random.choice(&fitting) {
            Some(label) if self.random.u8(..8) > 0 => return *label,
            _ if width % 8 == 0 => return self.input_node(width),
            _ => {}
        }
        let from = self.of_width(128);
        let imm = self.random.u64(0..=u64::from(128 - width));
        let bits = self.value(from) >> imm;
        let node = node(Op::Extract, width, [from, 0, 0]);
        self.push(Node { imm, ..node }, bits)
    }

    fn input_node(&mut self, width: u32) -> u32 {
        let bytes = (width / 8) as usize;
        let offset = self.random.usize(..self.input.len() - bytes);
        let mut value = [0; 16];
        value[..bytes].copy_from_slice(&self.input[offset..offset + bytes]);
        let node = node(Op::Input, width, [0; 3]);
        let imm = offset as u64;
        self.push(Node { imm, ..node }, u128::from_le_bytes(value))
    }

    fn event(&mut self) {
        use EventKind::{Assume, Branch, Concretize, Runtime, Select, Switch};
        let number = self.random.u8(..8);
        let width = match number {
            0 => 8,
            1 | 2 => self.any_width().min(64),
            _ => 1,
        };
        let label = self.of_width(width);
        let value = self.value(label);
        let case = CASES.iter().position(|case| *case == value);
        let direction = value as u32;
        let mut event = match number {
            0 => event(Switch, 1, label, case.map_or(0, |case| case as u32 + 1)),
            1 => event(Switch, 77, label, 3),
            2 => {
                let site = [0, SIZE_SITE + 7][usize::from(self.random.bool())];
                event(Concretize, site, label, 0)
            }
            3 => event(Branch, 0, 0, 1),
            4 => event(Select, 2, label, direction),
            5 => event(Runtime, RUNTIME_SITE, label, direction),
            6 => event(Assume, 0, label, direction),
            _ => event(Branch, 0, label, direction),
        };
        event.a = value as u64;
        self.recording.events.push(event);
    }
}
