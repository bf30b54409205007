//! Recordings: what one run left in the shared region, copied and not yet judged.

use labrys_abi::{ARRAY, Cause, Event, EventKind, ExitKind, LONGEST_COMPARED, MAX_OBJECTS, Node};

use crate::Texts;

/// A plain copy of the used parts of the shared region after a run.
///
/// Nothing in it can be trusted: the program under test may have overwritten it. All readers
/// here answer `None` where the bytes make no sense.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    /// Nodes by label; number 0 is unused.
    pub nodes: Vec<Node>,
    /// Events in order.
    pub events: Vec<Event>,
    /// Snapshots and names.
    pub data: Vec<u8>,
    /// One byte per branch: not 0 if taken.
    pub coverage: Vec<u8>,
    /// Of the branches that were asked for: how near the run came to them, as pairs of a branch and
    /// the distance of the values that its condition compares, plus 1.
    pub near: Vec<(u32, u32)>,
    /// Whether a table was full, so that the rest of the run was concrete.
    pub overflow: bool,
    /// Whether functions were called that have no event where calls are recorded.
    pub untold_calls: bool,
    /// Concretizations by [`Cause`].
    pub concretizations: [u64; 16],
    /// Bytes of the objects stream that the run consumed.
    pub objects_used: u32,
    /// Places where memory of the heap was used that no block holds, as far as the run could
    /// tell. Places are the same in all runs of a session.
    pub misuses: Vec<u32>,
    /// What the program's side knows of the end.
    pub exit: Exit,
}

/// How a run ended as far as the program's side knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Exit {
    /// Nothing special.
    #[default]
    Plain,
    /// A `labrys_assume` did not hold.
    AssumptionFailed,
    /// The program reported a failure.
    Failure,
    /// It asked for input objects without end.
    Endless,
    /// It asked for an input object behind the end of its input.
    InputEnded,
}

impl Exit {
    /// From a number of the header; an unknown one tells nothing.
    #[must_use]
    pub fn from_u32(number: u32) -> Self {
        match number {
            n if n == ExitKind::AssumptionFailed as u32 => Exit::AssumptionFailed,
            n if n == ExitKind::Failure as u32 => Exit::Failure,
            n if n == ExitKind::Endless as u32 => Exit::Endless,
            n if n == ExitKind::InputEnded as u32 => Exit::InputEnded,
            _ => Exit::Plain,
        }
    }
}

/// An input object that a run created.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Object {
    /// Name as given by the program.
    pub name: String,
    /// Offset in the objects stream, in bytes.
    pub offset: u64,
    /// Size in bytes.
    pub size: u64,
    /// Type as of [`Event::aux`].
    pub kind: u8,
}

/// Elements of an array of numbers that are told apart.
const MOST_ELEMENTS: u64 = 4096;

/// Calls of one function that a run can make: more is what the program wrote over the count.
const MOST_CALLS: u64 = 1 << 40;

/// Where symbolic values became concrete: a [`Cause`], or one and the function that took them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost(String);

impl Lost {
    /// `CAUSE` or `CAUSE FUNCTION`, as written to `summary.json`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl Recording {
    /// Empties all tables and keeps their memory.
    pub fn clear(&mut self) {
        let Recording {
            nodes,
            events,
            data,
            coverage,
            near,
            ..
        } = self;
        nodes.clear();
        events.clear();
        data.clear();
        coverage.clear();
        near.clear();
        self.overflow = false;
        self.untold_calls = false;
        self.concretizations = [0; 16];
        self.objects_used = 0;
        self.misuses.clear();
        self.exit = Exit::Plain;
    }

    /// Drops the last records where the run was killed before it had written them. Nothing refers
    /// to them yet.
    pub fn drop_unfinished(&mut self) {
        let last = self.events.iter().rposition(|event| event.kind != 0);
        self.events.truncate(last.map_or(0, |last| last + 1));
        let last = self.nodes.iter().skip(1).rposition(|node| node.op != 0);
        self.nodes.truncate(last.map_or(1, |last| last + 2));
    }

    /// A text in the data section.
    #[must_use]
    pub fn text(&self, offset: u64, length: u64) -> Option<String> {
        let bytes = slice(&self.data, offset, length)?;
        Some(String::from_utf8_lossy(bytes).into_owned())
    }

    /// The input objects in order of creation.
    #[must_use]
    pub fn objects(&self) -> Vec<Object> {
        self.of_kind(EventKind::Input)
            .filter(|event| is_object(event))
            .filter_map(|event| {
                let name = self.text(u64::from(event.label), u64::from(event.site))?;
                Some(Object {
                    name,
                    offset: event.a,
                    size: event.b,
                    kind: event.aux % ARRAY,
                })
            })
            .collect()
    }

    /// Where the input objects stand, in order of creation: offset, size and type, as of [`Object`];
    /// of an array of numbers its elements.
    #[must_use]
    pub fn object_places(&self) -> Vec<(u64, u64, u8)> {
        let mut places = Vec::new();
        for event in self.of_kind(EventKind::Input).filter(|one| is_object(one)) {
            let (start, size, kind) = (event.a, event.b, event.aux % ARRAY);
            match 1_u64 << (event.aux / ARRAY) {
                1 => places.push((start, size, kind)),
                element => {
                    let numbers = (start..).step_by(element as usize);
                    let count = (size / element).min(MOST_ELEMENTS) as usize;
                    places.extend(numbers.take(count).map(|at| (at, element, kind)));
                }
            }
        }
        places
    }

    /// The names of the targets that were reached, in order.
    #[must_use]
    pub fn targets(&self) -> Vec<String> {
        self.of_kind(EventKind::Target)
            .filter_map(|event| self.text(event.a, event.b))
            .collect()
    }

    /// What calls of a driver left behind: numbers of places and their bytes.
    #[must_use]
    pub fn results(&self) -> Vec<(u32, Vec<u8>)> {
        self.of_kind(EventKind::Result)
            .filter_map(|event| {
                let bytes = slice(&self.data, event.a, event.b)?;
                Some((event.site, bytes.to_vec()))
            })
            .collect()
    }

    /// Texts of the input that library functions compared with others; some may come twice.
    pub(crate) fn compared_texts(&self) -> impl Iterator<Item = Texts> + '_ {
        self.of_kind(EventKind::Compared).filter_map(|event| {
            let fits = |text: &&[u8]| (1..=LONGEST_COMPARED).contains(&text.len());
            let text = |start, length| slice(&self.data, start, length).filter(fits);
            Some(Texts {
                seen: text(u64::from(event.label), u64::from(event.site))?.to_vec(),
                wanted: text(event.a, event.b)?.to_vec(),
            })
        })
    }

    /// The text of the last failure that the program reported.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        self.of_kind(EventKind::Failure)
            .filter_map(|event| self.text(event.a, event.b))
            .last()
    }

    /// Concretizations with their causes, and behind those the ones of each function of a library
    /// that is known by name; what did not occur is left out.
    pub fn causes(&self) -> impl Iterator<Item = (Lost, u64)> + '_ {
        let count = |cause: Cause| {
            self.concretizations
                .get(cause as usize)
                .copied()
                .unwrap_or(0)
        };
        let causes = Cause::ALL
            .into_iter()
            .map(move |cause| (Lost(cause.name().to_owned()), count(cause)));
        let functions = self.of_kind(EventKind::Unseen).filter_map(|event| {
            let cause = Cause::ALL.get(event.aux as usize)?;
            let name = self.text(u64::from(event.label), u64::from(event.site))?;
            let words = format!("{} {name}", cause.name());
            Some((Lost(words), event.a.min(MOST_CALLS)))
        });
        causes.chain(functions).filter(|(_, n)| *n > 0)
    }

    /// The functions of the program that a run in [`Mode::Calls`](labrys_abi::Mode) called, by their
    /// numbers in the program model; `None` if there may be others.
    #[must_use]
    pub fn called(&self) -> Option<Vec<u32>> {
        let called = self.of_kind(EventKind::Called);
        let numbers = called.map(|event| u32::try_from(event.a).ok()).collect();
        if self.overflow || self.untold_calls {
            return None;
        }
        numbers
    }

    fn of_kind(&self, kind: EventKind) -> impl Iterator<Item = &Event> {
        self.events
            .iter()
            .filter(move |event| event.kind == kind as u8)
    }

    /// The snapshot of an [`Op::Table`](labrys_abi::Op::Table) node.
    pub(crate) fn snapshot(&self, offset: u64) -> Option<Snapshot<'_>> {
        let length = u64::from(self.word(offset)?);
        let labelled = self.word(offset.checked_add(4)?)?;
        let start = offset.checked_add(8)?;
        let bytes = slice(&self.data, start, length)?;
        let labels = match labelled {
            0 => &[][..],
            1 => slice(
                &self.data,
                start.checked_add(length.next_multiple_of(4))?,
                length * 4,
            )?,
            _ => return None,
        };
        Some(Snapshot { bytes, labels })
    }

    /// The call of an [`Op::External`](labrys_abi::Op::External) node.
    pub(crate) fn call(&self, offset: u64) -> Option<ExternalCall<'_>> {
        let length = u64::from(self.word(offset)?);
        let count = u64::from(self.word(offset.checked_add(4)?)?);
        let start = offset.checked_add(8)?;
        let name = core::str::from_utf8(slice(&self.data, start, length)?).ok()?;
        let arguments = slice(
            &self.data,
            start.checked_add(length.next_multiple_of(8))?,
            count * 16,
        )?;
        Some(ExternalCall { name, arguments })
    }

    fn word(&self, offset: u64) -> Option<u32> {
        slice(&self.data, offset, 4).map(u32_at)
    }
}

/// Whether an event's object lies in the stream; one that does not was written by the program.
fn is_object(event: &Event) -> bool {
    let end = event.a.checked_add(event.b);
    end.is_some_and(|end| end <= u64::from(MAX_OBJECTS))
}

/// A table's bytes at the time of a read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Snapshot<'a> {
    pub(crate) bytes: &'a [u8],
    labels: &'a [u8],
}

impl Snapshot<'_> {
    /// The symbolic bytes: offset in the table and label.
    pub(crate) fn labels(&self) -> impl Iterator<Item = (u32, u32)> {
        self.labels
            .chunks_exact(4)
            .map(u32_at)
            .zip(0..)
            .filter_map(|(label, at)| (label != 0).then_some((at, label)))
    }
}

/// A call of a pure external function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExternalCall<'a> {
    pub(crate) name: &'a str,
    arguments: &'a [u8],
}

/// An argument of an [`ExternalCall`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Argument {
    /// 0 if the argument is the constant `value`.
    pub(crate) label: u32,
    pub(crate) width: u32,
    pub(crate) value: u64,
}

impl ExternalCall<'_> {
    pub(crate) fn arguments(&self) -> impl Iterator<Item = Argument> {
        self.arguments.chunks_exact(16).map(|record| Argument {
            label: u32_at(record),
            width: u32_at(&record[4..]),
            value: u64::from(u32_at(&record[8..])) | u64::from(u32_at(&record[12..])) << 32,
        })
    }
}

fn u32_at(bytes: &[u8]) -> u32 {
    bytes
        .first_chunk()
        .map_or(0, |word| u32::from_le_bytes(*word))
}

fn slice(data: &[u8], offset: u64, length: u64) -> Option<&[u8]> {
    let start = usize::try_from(offset).ok()?;
    data.get(start..start.checked_add(usize::try_from(length).ok()?)?)
}
