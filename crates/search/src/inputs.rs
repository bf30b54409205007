//! The inputs of all runs that may be looked at again, in little memory.
//!
//! An input differs little from its parent's, so large ones are kept as the bytes that differ.
//!
//! Laws: `get(run)` is the input that was pushed for the run; a chain of differences has at most
//! [`MAX_CHAIN`] links.

use labrys_suite::{Input, InputStream, StreamKind};

use crate::tree::RunId;

/// Inputs up to this size are kept whole.
const SMALL: usize = 64;
const MAX_CHAIN: u8 = 24;

/// Bytes in place of those of another input.
#[derive(Clone, Debug)]
struct Patch {
    stream: u16,
    offset: u32,
    bytes: Box<[u8]>,
}

#[derive(Clone, Debug)]
enum Stored {
    /// The run is of no use.
    Nothing,
    Whole(Box<[Box<[u8]>]>),
    Changed {
        parent: RunId,
        chain: u8,
        lengths: Box<[u32]>,
        patches: Box<[Patch]>,
    },
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inputs {
    shape: Vec<StreamKind>,
    stored: Vec<Stored>,
}

impl Inputs {
    /// Notes the input of the next run.
    pub(crate) fn push(&mut self, input: &Input, parent: Option<RunId>) {
        if self.shape.is_empty() {
            self.shape = input.shape();
        }
        let changed = (input.len() > SMALL)
            .then(|| self.change(input, parent?))
            .flatten();
        self.stored.push(changed.unwrap_or_else(|| whole(input)));
    }

    /// Notes that the next run is of no use.
    pub(crate) fn skip(&mut self) {
        self.stored.push(Stored::Nothing);
    }

    /// The input of a run; `None` if it was of no use.
    pub(crate) fn get(&self, run: RunId) -> Option<Input> {
        let mut changes = Vec::new();
        let mut at = run;
        let mut input = loop {
            match self.stored.get(at.index())? {
                Stored::Nothing => return None,
                Stored::Whole(streams) => break self.input(streams),
                Stored::Changed {
                    parent,
                    lengths,
                    patches,
                    ..
                } => {
                    changes.push((lengths, patches));
                    at = *parent;
                }
            }
        };
        for (lengths, patches) in changes.into_iter().rev() {
            for (stream, length) in lengths.iter().enumerate() {
                input.set_length(stream, *length as usize);
            }
            for patch in patches {
                let from = patch.offset as usize;
                let target = &mut input.streams[usize::from(patch.stream)].bytes;
                target[from..from + patch.bytes.len()].copy_from_slice(&patch.bytes);
            }
        }
        Some(input)
    }

    fn input(&self, streams: &[Box<[u8]>]) -> Input {
        let streams = self.shape.iter().zip(streams);
        let stream = streams.map(|(kind, bytes)| InputStream {
            kind: kind.clone(),
            bytes: bytes.to_vec(),
        });
        Input::new(stream.collect())
    }

    /// The input as a change of another one, where that is smaller.
    fn change(&self, input: &Input, parent: RunId) -> Option<Stored> {
        let chain = match self.stored.get(parent.index())? {
            Stored::Nothing => return None,
            Stored::Whole(_) => 1,
            Stored::Changed { chain, .. } => chain + 1,
        };
        let before = (chain <= MAX_CHAIN).then(|| self.get(parent)).flatten()?;
        let patches = patches(&before, input);
        let size = |patch: &Patch| patch.bytes.len() + size_of::<Patch>();
        let length = |stream: &InputStream| u32::try_from(stream.bytes.len()).ok();
        (patches.iter().map(size).sum::<usize>() < input.len() / 2)
            .then(|| input.streams.iter().map(length).collect::<Option<_>>())
            .flatten()
            .map(|lengths| Stored::Changed {
                parent,
                chain,
                lengths,
                patches: patches.into(),
            })
    }
}

fn whole(input: &Input) -> Stored {
    let bytes = |stream: &InputStream| stream.bytes.clone().into_boxed_slice();
    Stored::Whole(input.streams.iter().map(bytes).collect())
}

/// What turns one input into another, once the lengths agree (growing with zeros).
fn patches(before: &Input, after: &Input) -> Vec<Patch> {
    let mut patches = Vec::new();
    for (index, stream) in (0u16..).zip(&after.streams) {
        let old = |offset: usize| before.byte(usize::from(index), offset).unwrap_or(0);
        let differs = |offset: &usize| stream.bytes[*offset] != old(*offset);
        let mut from = 0;
        while let Some(start) = (from..stream.bytes.len()).find(differs) {
            let end = (start..stream.bytes.len()).find(|at| !differs(at));
            let end = end.unwrap_or(stream.bytes.len());
            patches.push(Patch {
                stream: index,
                offset: start as u32,
                bytes: stream.bytes[start..end].into(),
            });
            from = end;
        }
    }
    patches
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A long family of inputs, each made from a random earlier one, comes back byte for byte.
    #[test]
    fn inputs_come_back() {
        let mut rng = fastrand::Rng::with_seed(5);
        let mut store = Inputs::default();
        let mut all = vec![Input::new(vec![
            InputStream::stdin(vec![b'a'; 500]),
            InputStream::argument(1, b"x", 8),
        ])];
        store.push(&all[0], None);
        for number in 1..300u32 {
            let parent = rng.u32(..number);
            let mut input = all[parent as usize].clone();
            for _ in 0..rng.usize(..6) {
                let stream = rng.usize(..2);
                let length = input.streams[stream].bytes.len();
                input.set_byte(stream, rng.usize(..length), rng.u8(..));
            }
            if rng.u8(..4) == 0 {
                input.set_length(0, rng.usize(400..600));
            }
            store.push(&input, Some(RunId(parent)));
            all.push(input);
        }
        for (run, input) in (0..).zip(&all) {
            assert_eq!(store.get(RunId(run)).as_ref(), Some(input));
        }
        let whole = |stored: &&Stored| matches!(stored, Stored::Whole(_));
        assert!(store.stored.iter().filter(whole).count() < 20);
    }

    #[test]
    fn runs_without_nodes_cost_nothing() {
        let mut store = Inputs::default();
        store.skip();
        store.push(&Input::stdin(vec![1; 100]), Some(RunId(0)));
        assert_eq!(store.get(RunId(0)), None);
        assert_eq!(store.get(RunId(1)), Some(Input::stdin(vec![1; 100])));
        assert_eq!(store.get(RunId(2)), None);
    }
}
