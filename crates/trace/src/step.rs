//! Steps: the decisions of a run that depend on its input.

use labrys_abi::{Event, EventKind, Node, is_size};
use labrys_program::{Program, SiteId, SiteKind};

use crate::Error;

/// What decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StepKind {
    /// A conditional branch.
    Branch,
    /// A switch.
    Switch,
    /// A select.
    Select,
    /// An assumption; direction 1 if it held.
    Assume,
    /// The runtime or a library model.
    Runtime,
    /// A symbolic value was replaced by its concrete value; direction 0. A size can be asked to
    /// be another one ([`SizeFlip`](crate::SizeFlip)).
    Concretize,
}

/// A decision that depends on the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Site id: a [`SiteId`], a site of a library model, or one of the runtime.
    pub site: u32,
    /// Direction taken.
    pub direction: u32,
    /// What decided.
    pub kind: StepKind,
    /// Label of the condition, or of the value for `Switch` and `Concretize`.
    pub label: u32,
    /// Index of its event.
    pub event: u32,
    /// Whether the condition may be dropped at the cost of a possible divergence.
    pub soft: bool,
}

impl Step {
    /// Whether it fixed the size of an allocation, so that another size may be asked for.
    #[must_use]
    pub fn is_size(&self) -> bool {
        self.kind == StepKind::Concretize && is_size(self.site)
    }

    /// Whether the search may ask for another direction. How many other values a run fixes, and so
    /// the numbers of steps, may change with the addresses of a build; decisions do not.
    #[must_use]
    pub fn is_decision(&self) -> bool {
        self.kind != StepKind::Concretize || self.is_size()
    }

    /// The step's site in the program; `None` for the runtime and library models.
    #[must_use]
    pub fn program_site(&self, program: &Program) -> Option<SiteId> {
        let id = SiteId(self.site);
        let counts = matches!(
            self.kind,
            StepKind::Branch | StepKind::Switch | StepKind::Select
        );
        (counts && program.site(id).is_some()).then_some(id)
    }
}

/// What an event is for the path constraint.
pub(crate) enum Reading {
    /// A decision on a symbolic value.
    Step(Step),
    /// Anything else.
    Other,
}

/// Reads one event, whose nodes are valid.
pub(crate) fn read(
    event: &Event,
    index: usize,
    nodes: &[Node],
    program: &Program,
) -> Result<Reading, Error> {
    let malformed = |reason| Error::Event { index, reason };
    let kind = EventKind::from_u8(event.kind).ok_or_else(|| malformed("unknown kind"))?;
    let kind = match kind {
        EventKind::Branch => StepKind::Branch,
        EventKind::Switch => StepKind::Switch,
        EventKind::Select => StepKind::Select,
        EventKind::Assume => StepKind::Assume,
        EventKind::Runtime => StepKind::Runtime,
        EventKind::Concretize => StepKind::Concretize,
        _ => return Ok(Reading::Other),
    };
    check_direction(event, kind, program).map_err(malformed)?;
    if event.label == 0 {
        return Ok(Reading::Other);
    }
    let node = nodes
        .get(event.label as usize)
        .ok_or_else(|| malformed("label out of range"))?;
    check_width(event, kind, node, program).map_err(malformed)?;
    let direction = if kind == StepKind::Concretize {
        0
    } else {
        event.direction
    };
    Ok(Reading::Step(Step {
        site: event.site,
        direction,
        kind,
        label: event.label,
        event: u32::try_from(index).map_err(|_| Error::TooLong)?,
        soft: kind == StepKind::Concretize,
    }))
}

fn check_direction(event: &Event, kind: StepKind, program: &Program) -> Result<(), &'static str> {
    if kind == StepKind::Concretize {
        return Ok(());
    }
    let site = match kind {
        StepKind::Branch | StepKind::Switch | StepKind::Select => program.site(SiteId(event.site)),
        _ => None,
    };
    let fits = match (site.map(|site| &site.kind), kind) {
        (Some(SiteKind::Branch), StepKind::Branch)
        | (Some(SiteKind::Select), StepKind::Select)
        | (Some(SiteKind::Switch { .. }), StepKind::Switch)
        | (None, _) => true,
        (Some(_), _) => false,
    };
    let directions = match site {
        Some(site) => site.kind.directions(),
        None if kind == StepKind::Switch => u32::MAX,
        None => 2,
    };
    match (fits, event.direction < directions) {
        (true, true) => Ok(()),
        (true, false) => Err("no such direction at its site"),
        (false, _) => Err("another kind than its site"),
    }
}

fn check_width(
    event: &Event,
    kind: StepKind,
    node: &Node,
    program: &Program,
) -> Result<(), &'static str> {
    match kind {
        StepKind::Concretize => Ok(()),
        StepKind::Switch => match program.site(SiteId(event.site)).map(|site| &site.kind) {
            Some(SiteKind::Switch { width, .. }) if *width != u32::from(node.width) => {
                Err("another width than its site")
            }
            _ => Ok(()),
        },
        _ if node.width != 1 => Err("a condition with more than one bit"),
        _ => Ok(()),
    }
}
