//! Programs written as Rust functions over a machine that records what an instrumented binary
//! would: nodes, events, coverage. The search runs them as it runs real programs.

pub(crate) mod brute;

use std::collections::VecDeque;
use std::rc::Rc;

use labrys_abi::{Cause, Event, EventKind, Node, Op, RUNTIME_SITE, flag};
use labrys_engine::{Ahead, Mode, Runner};
use labrys_executor::{Error, Run};
use labrys_program::{BlockId, FunctionId, Program, SiteId, SiteKind};
use labrys_suite::{Coverage, Input, Outcome, StreamKind};
use labrys_trace::{Exit, Recording};

/// A number that may depend on the input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value {
    pub(crate) bits: u64,
    pub(crate) label: u32,
    width: u16,
}

/// What a program runs on.
pub(crate) struct Machine<'a> {
    program: &'a Program,
    input: &'a Input,
    mode: Mode,
    recording: Recording,
    objects: usize,
}

/// The body of a program; an `Err` ends it at once.
pub(crate) type Body = dyn Fn(&mut Machine) -> Result<(), Outcome>;

/// Runs a body.
pub(crate) struct Model {
    program: Rc<Program>,
    body: Rc<Body>,
}

impl Model {
    pub(crate) fn new(program: &Rc<Program>, body: &Rc<Body>) -> Box<Self> {
        Box::new(Model {
            program: Rc::clone(program),
            body: Rc::clone(body),
        })
    }
}

impl Runner for Model {
    fn run(&mut self, input: &Input, mode: Mode) -> Result<Run, Error> {
        let mut machine = Machine {
            program: &self.program,
            input,
            mode,
            recording: Recording {
                nodes: vec![Node::default()],
                coverage: vec![0; self.program.branch_count()],
                ..Recording::default()
            },
            objects: 0,
        };
        let outcome = (self.body)(&mut machine).err().unwrap_or(Outcome::Exit(0));
        if outcome == Outcome::AssumptionFailed {
            machine.recording.exit = Exit::AssumptionFailed;
        }
        machine.recording.objects_used = u32::try_from(machine.objects).expect("few objects");
        Ok(Run {
            outcome,
            recording: machine.recording,
            seconds: 0.0,
            stdout: Vec::new(),
            stderr: Vec::new(),
            report: Vec::new(),
        })
    }
}

/// Runs that are begun before the first of them is made.
pub(crate) struct Queue {
    pub(crate) model: Box<Model>,
    pub(crate) places: usize,
    pub(crate) begun: VecDeque<Input>,
}

impl Ahead for Queue {
    fn places(&self) -> usize {
        self.places
    }

    fn begin(&mut self, input: &Input, mode: Mode) {
        assert_eq!(mode, Mode::Symbolic);
        self.begun.push_back(input.clone());
        assert!(self.begun.len() <= self.places + 1, "{}", self.begun.len());
    }

    fn end(&mut self) -> Option<Result<Run, Error>> {
        let input = self.begun.pop_front()?;
        Some(self.model.run(&input, Mode::Symbolic))
    }

    fn want(&mut self, _: &Coverage) {}
}

/// A program of sites with these numbers of directions; cases of a switch are 1, 2, ….
pub(crate) fn program(arities: &[u32]) -> Rc<Program> {
    let mut program = Program {
        name: "model".into(),
        ..Program::default()
    };
    for arity in arities {
        let kind = match arity {
            2 => SiteKind::Branch,
            _ => SiteKind::Switch {
                width: 8,
                cases: (1..u128::from(*arity)).collect(),
            },
        };
        program.push_site(kind, FunctionId(0), BlockId(0), None, false);
    }
    Rc::new(program)
}

impl Machine<'_> {
    fn node(&mut self, node: Node) -> u32 {
        if self.mode == Mode::Coverage {
            return 0;
        }
        self.recording.nodes.push(node);
        u32::try_from(self.recording.nodes.len() - 1).expect("few nodes")
    }

    fn event(&mut self, kind: EventKind, event: Event) {
        if self.mode != Mode::Coverage {
            let kind = kind as u8;
            self.recording.events.push(Event { kind, ..event });
        }
    }

    /// Length of the first stream.
    pub(crate) fn length(&mut self) -> Value {
        let bits = self.input.streams[0].bytes.len() as u64;
        let node = Node {
            op: Op::Length as u8,
            width: 64,
            cv: bits,
            ..Node::default()
        };
        let label = self.node(node);
        Value {
            bits,
            label,
            width: 64,
        }
    }

    /// A byte of the first stream; 0 beyond its end.
    pub(crate) fn byte(&mut self, offset: usize) -> Value {
        let stream = &self.input.streams[0];
        let bits = stream.bytes.get(offset).copied();
        if stream.kind == StreamKind::Objects {
            self.objects = self.objects.max(offset + 1);
        } else if bits.is_none() {
            return Value {
                bits: 0,
                label: 0,
                width: 8,
            };
        }
        let bits = u64::from(bits.unwrap_or(0));
        let node = Node {
            op: Op::Input as u8,
            width: 8,
            imm: offset as u64,
            cv: bits,
            ..Node::default()
        };
        let label = self.node(node);
        Value {
            bits,
            label,
            width: 8,
        }
    }

    fn immediate(&mut self, op: Op, width: u16, a: Value, imm: u64, bits: u64) -> Value {
        let label = match a.label {
            0 => 0,
            _ => self.node(Node {
                op: op as u8,
                flags: flag::B_IMMEDIATE,
                width,
                a: a.label,
                c: u32::from(a.width),
                imm,
                cv: bits,
                ..Node::default()
            }),
        };
        Value { bits, label, width }
    }

    pub(crate) fn equals(&mut self, a: Value, imm: u64) -> Value {
        self.immediate(Op::Eq, 1, a, imm, u64::from(a.bits == imm))
    }

    pub(crate) fn below(&mut self, a: Value, imm: u64) -> Value {
        self.immediate(Op::Ult, 1, a, imm, u64::from(a.bits < imm))
    }

    /// Sum of two numbers, of which the second one may be concrete.
    pub(crate) fn add(&mut self, a: Value, b: Value) -> Value {
        let bits = (a.bits + b.bits) & 0xff;
        if b.label == 0 {
            return self.immediate(Op::Add, 8, a, b.bits, bits);
        }
        let label = self.node(Node {
            op: Op::Add as u8,
            width: 8,
            a: a.label,
            b: b.label,
            cv: bits,
            ..Node::default()
        });
        Value {
            bits,
            label,
            width: 8,
        }
    }

    fn cover(&mut self, site: u32, direction: u32) {
        let branch = self
            .program
            .branch(SiteId(site), direction)
            .expect("a branch of the model");
        self.recording.coverage[branch.index()] = 1;
    }

    pub(crate) fn branch(&mut self, site: u32, condition: Value) -> bool {
        let direction = condition.bits as u32;
        self.cover(site, direction);
        if condition.label != 0 || self.mode == Mode::AllBranches {
            let label = condition.label;
            let event = Event {
                site,
                label,
                direction,
                ..Event::default()
            };
            self.event(EventKind::Branch, event);
        }
        condition.bits == 1
    }

    /// The case taken, 0 for the default.
    pub(crate) fn switch(&mut self, site: u32, value: Value) -> u32 {
        let directions = self.program.sites[site as usize].kind.directions();
        let direction = if value.bits < u64::from(directions) {
            value.bits as u32
        } else {
            0
        };
        self.cover(site, direction);
        let event = Event {
            site,
            label: value.label,
            direction,
            a: value.bits,
            ..Event::default()
        };
        self.event(EventKind::Switch, event);
        direction
    }

    /// Whether there is a byte at this offset, decided in the runtime.
    pub(crate) fn reads(&mut self, offset: usize) -> bool {
        let length = self.length();
        let short = self.below(length, offset as u64 + 1);
        let event = Event {
            site: RUNTIME_SITE,
            label: short.label,
            direction: short.bits as u32,
            ..Event::default()
        };
        self.event(EventKind::Runtime, event);
        short.bits == 0
    }

    pub(crate) fn assume(&mut self, condition: Value) -> Result<(), Outcome> {
        let event = Event {
            label: condition.label,
            direction: condition.bits as u32,
            ..Event::default()
        };
        self.event(EventKind::Assume, event);
        if condition.bits == 1 {
            Ok(())
        } else {
            Err(Outcome::AssumptionFailed)
        }
    }

    pub(crate) fn concretize(&mut self, value: Value) -> u64 {
        let event = Event {
            aux: Cause::LoadAddress as u8,
            label: value.label,
            a: value.bits,
            ..Event::default()
        };
        self.event(EventKind::Concretize, event);
        self.recording.concretizations[Cause::LoadAddress as usize] += 1;
        value.bits
    }

    pub(crate) fn target(&mut self, name: &str) {
        let (a, b) = (self.recording.data.len() as u64, name.len() as u64);
        self.recording.data.extend_from_slice(name.as_bytes());
        let event = Event {
            a,
            b,
            ..Event::default()
        };
        self.event(EventKind::Target, event);
    }
}
