//! Pumping: an input with one or two of its pieces repeated, or left out.
//!
//! What a program does on nested or repeated input is a matter of many decisions, each of which a
//! solver flips one at a time, and most of which lead nowhere new by themselves. Whatever reads
//! its input by a grammar can be driven there at once: by the pumping lemma for context-free
//! languages, a long enough input of it is `u v w x y` where `u vⁿ w xⁿ y` is one too. The pieces
//! are drawn at random; they are short, so a small input has few of them. No query is asked.
//!
//! Law: a stream that is not a file keeps its length; a file grows to at most the limit.

use labrys_expr::Symbol;
use labrys_suite::Input;
use labrys_trace::Trace;

/// Longest piece.
const PIECE: usize = 8;
/// Most copies, but where a piece fills the stream.
const COPIES: usize = 24;
/// Steps at the end of a run that tell what it looked at.
const LAST_STEPS: usize = 64;
/// Lengths that are kept.
const LENGTHS: usize = 64;

/// Lengths that the solver gave to inputs: what the program asks the length for is often one of
/// them.
#[derive(Debug, Default)]
pub(crate) struct Lengths(Vec<usize>);

impl Lengths {
    /// An input that the solver made.
    pub(crate) fn learn(&mut self, input: &Input) {
        let files = input.streams.iter().filter(|stream| stream.kind.is_file());
        for stream in files {
            let length = stream.bytes.len();
            if !self.0.contains(&length) && self.0.len() < LENGTHS {
                self.0.push(length);
            }
        }
    }

    /// One of them, 0 if there is none.
    pub(crate) fn draw(&self, rng: &mut fastrand::Rng) -> usize {
        rng.choice(&self.0).copied().unwrap_or(0)
    }
}

/// Where the bytes end, by stream, that the last steps of a run depend on.
pub(crate) fn looked_at(trace: &Trace) -> Vec<usize> {
    let mut ends = Vec::new();
    let steps = trace.steps().len();
    for step in steps.saturating_sub(LAST_STEPS)..steps {
        for symbol in trace.support_of(step) {
            if let Symbol::Byte { stream, offset } = symbol {
                let stream = usize::from(stream);
                if ends.len() <= stream {
                    ends.resize(stream + 1, 0);
                }
                ends[stream] = ends[stream].max(offset as usize + 1);
            }
        }
    }
    ends
}

/// Repeats pieces of one stream; `None` if there is nothing to repeat. `ends` is, by stream, where
/// the bytes end that the run looked at; what stands behind is often cut off. `fill` is a length
/// that is worth reaching exactly.
pub(crate) fn pump(
    parent: &Input,
    ends: &[usize],
    fill: usize,
    max_length: usize,
    rng: &mut fastrand::Rng,
) -> Option<Input> {
    let streams = parent.streams.iter().enumerate();
    let looked_at = streams.filter_map(|(index, stream)| {
        let end = ends.get(index).copied().unwrap_or(0);
        let end = end.min(stream.visible().len());
        (end > 0).then_some((index, stream, end))
    });
    let (index, stream, end) = rng.choice(looked_at.collect::<Vec<_>>())?;
    // The byte that was looked at last is often the one that was wrong.
    let end = if end > 1 && rng.bool() { end - 1 } else { end };
    let bytes = match rng.u8(..4) {
        0 => stream.visible(),
        _ => &stream.visible()[..end],
    };
    let mut pumped = repeated(bytes, end, fill, rng);
    if stream.kind.is_file() {
        pumped.truncate(max_length);
    } else {
        pumped.resize(stream.bytes.len(), 0);
    }
    let mut child = parent.clone();
    child.streams[index].bytes = pumped;
    child.normalize();
    Some(child)
}

/// Bytes with one or two pieces of the first `end` of them repeated as often.
fn repeated(bytes: &[u8], end: usize, fill: usize, rng: &mut fastrand::Rng) -> Vec<u8> {
    let first = piece(0, end, rng);
    let second = if first.1 < end && rng.bool() {
        piece(first.1, end, rng)
    } else {
        (first.1, first.1)
    };
    let grows = first.1 - first.0 + second.1 - second.0;
    let copies = copies(grows, fill.saturating_sub(bytes.len()), rng);
    let mut pumped = bytes[..first.0].to_vec();
    pumped.extend(bytes[first.0..first.1].repeat(copies));
    pumped.extend(&bytes[first.1..second.0]);
    pumped.extend(bytes[second.0..second.1].repeat(copies));
    pumped.extend(&bytes[second.1..]);
    pumped
}

/// How often what takes `grows` bytes, not 0, is repeated where there is so much room: 0 leaves it
/// out.
pub(crate) fn copies(grows: usize, room: usize, rng: &mut fastrand::Rng) -> usize {
    match rng.u8(..4) {
        0 if room >= grows => room / grows + 1,
        1 => 2 << rng.u32(..4),
        2 => 0,
        _ => rng.usize(2..=COPIES),
    }
}

/// A piece of `from..to`, which is not empty: half of them are one byte long, half of the others
/// two, and so on.
fn piece(from: usize, to: usize, rng: &mut fastrand::Rng) -> (usize, usize) {
    let start = rng.usize(from..to);
    let mut end = start + 1;
    while end < to && end - start < PIECE && rng.bool() {
        end += 1;
    }
    (start, end)
}

#[cfg(test)]
mod tests {
    use labrys_suite::InputStream;

    use super::*;

    fn pumped(parent: &Input, fill: usize) -> impl Iterator<Item = Input> {
        let mut rng = fastrand::Rng::with_seed(3);
        let parent = parent.clone();
        let ends: Vec<usize> = parent
            .streams
            .iter()
            .map(|stream| stream.bytes.len())
            .collect();
        (0..6000).filter_map(move |_| pump(&parent, &ends, fill, 40, &mut rng))
    }

    #[test]
    fn nesting_and_repetition_come_about() {
        let has = |parent: &str, text: &str| {
            let parent = Input::stdin(parent.as_bytes());
            pumped(&parent, 32).any(|child| child.streams[0].bytes == text.as_bytes())
        };
        assert!(has("[]", "[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]"));
        assert!(has("(1)", "(((((1)))))"));
        assert!(has("[1,2]", "[1,1,1,1,2]"));
        assert!(has("[]?", "[[[[[[[[]]]]]]]]"));
        assert!(has("[[x]]", "[x]") && has("[1,2]", "[2]"));
        // One byte fills the stream exactly.
        assert!(has("{a:1}", &format!("{{a:{}}}", "1".repeat(28))));
    }

    #[test]
    fn lengths_keep_their_bounds() {
        let file = Input::stdin(*b"abcdefgh");
        assert!(pumped(&file, 100).all(|child| child.len() <= 40));
        let fixed = Input::new(vec![
            InputStream::objects(*b"abcdefgh"),
            InputStream::argument(1, b"xy", 5),
        ]);
        assert!(pumped(&fixed, 100).all(|child| child.len() == fixed.len()));
        assert_eq!(pumped(&Input::stdin(*b""), 9).count(), 0);
    }
}
