//! The call that an input of a driver stands for.

use std::fmt::Write as _;

use crate::unit::{
    Choice, Content, Entry, Leaf, Made, PLACES, Part, Pointer, STREAM_FILE, Unit, Variable,
};
use crate::{Input, StreamKind};

/// A call of an entry: the entry, and the bytes of its leaves.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    entry: &'a Entry,
    /// From the first leaf on; past the end there are zeros.
    bytes: &'a [u8],
    /// The bytes of the file [`STREAM_FILE`].
    file: &'a [u8],
}

impl Unit {
    /// The call that an input stands for; none if it is of no entry.
    #[must_use]
    pub fn call<'a>(&'a self, input: &'a Input) -> Option<Call<'a>> {
        let mut streams = input.streams.iter();
        let objects = streams.find(|stream| stream.kind == StreamKind::Objects)?;
        let (bytes, file) = (&objects.bytes[..], file(input));
        match self.entries.as_slice() {
            [entry] => Some(Call { entry, bytes, file }),
            several => {
                let entry = several.get(number(bytes.get(..2).unwrap_or(bytes)) as usize)?;
                let bytes = bytes.get(2..).unwrap_or_default();
                Some(Call { entry, bytes, file })
            }
        }
    }
}

impl Unit {
    /// The call of the entry of this name that an input stands for; drivers for tests name the
    /// entry by an argument.
    pub(crate) fn call_of_entry<'a>(&'a self, name: &str, input: &'a Input) -> Option<Call<'a>> {
        let mut streams = input.streams.iter();
        let objects = streams.find(|stream| stream.kind == StreamKind::Objects)?;
        let mut entries = self.entries.iter();
        let entry = entries.find(|entry| entry.function == name)?;
        Some(Call {
            entry,
            bytes: &objects.bytes,
            file: file(input),
        })
    }
}

/// The bytes of the file that streams read.
fn file(input: &Input) -> &[u8] {
    let is_it =
        |kind: &StreamKind| matches!(kind, StreamKind::File { name } if name == STREAM_FILE);
    let mut streams = input.streams.iter();
    let found = streams.find(|stream| is_it(&stream.kind));
    found.map_or(&[], |stream| &stream.bytes)
}

impl<'a> Call<'a> {
    /// The function that is called.
    #[must_use]
    pub fn entry(&self) -> &'a Entry {
        self.entry
    }

    /// The bytes that a stream reads ([`Choice::Contents`]).
    #[must_use]
    pub fn file(&self) -> &'a [u8] {
        self.file
    }

    /// The bytes of a leaf.
    #[must_use]
    pub fn value(&self, leaf: &Leaf) -> Vec<u8> {
        let (start, size) = (leaf.offset as usize, leaf.size as usize);
        let given = self.bytes.get(start..).unwrap_or_default();
        let mut value = given[..given.len().min(size)].to_vec();
        value.resize(size, 0);
        match leaf.content {
            Content::Boolean => value.iter_mut().for_each(|byte| *byte &= 1),
            Content::Places => {
                let bits = value[0];
                value = PLACES.to_vec();
                value[0] *= !bits & 1;
                value[5] *= (!bits >> 1) & 1;
            }
            _ => {}
        }
        value
    }

    /// Where a pointer points.
    #[must_use]
    pub fn chosen(&self, pointer: &'a Pointer) -> &'a Choice {
        let leaf = pointer.choice.and_then(|leaf| self.entry.leaves.get(leaf));
        let value = leaf.map_or(0, |leaf| self.value(leaf)[0]);
        pointer.chosen(value)
    }

    /// The number of the allocation that fails, of the function's own source and of others; 0: none.
    #[must_use]
    pub fn failing(&self) -> (u8, u8) {
        let value = |leaf: Option<usize>| {
            let leaf = leaf.and_then(|leaf| self.entry.leaves.get(leaf));
            leaf.map_or(0, |leaf| self.value(leaf)[0])
        };
        let failing = &self.entry.failing;
        (value(failing.own), value(failing.others))
    }

    /// The call as text: `f(n = 3, text = "ab", next is null)`.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        let globals = self.described(&self.entry.globals);
        if !globals.is_empty() {
            let _ = write!(text, "{}; ", globals.join(", "));
        }
        for (number, of) in [
            (self.failing().0, ""),
            (self.failing().1, " of other sources"),
        ] {
            if number > 0 {
                let _ = write!(text, "allocation {number}{of} fails; ");
            }
        }
        let parameters = self.described(&self.entry.parameters);
        let _ = write!(text, "{}({})", self.entry.name, parameters.join(", "));
        text
    }

    fn described(&self, variables: &[Variable]) -> Vec<String> {
        let mut words = Vec::new();
        for variable in variables {
            self.describe(&variable.parts, &variable.name, &mut words);
        }
        words
    }

    fn describe(&self, parts: &[Part], name: &str, words: &mut Vec<String>) {
        for part in parts {
            let name = format!("{name}{}", part.path);
            match &part.made {
                Made::Leaf(number) => {
                    let leaf = &self.entry.leaves[*number];
                    if leaf.content == Content::Places {
                        continue;
                    }
                    words.push(format!("{name} = {}", printed(leaf, &self.value(leaf))));
                }
                Made::Pointer(pointer) => match self.chosen(pointer) {
                    Choice::Null if pointer.choice.is_some() => {
                        words.push(format!("{name} is null"));
                    }
                    Choice::Fresh | Choice::Roomy => {
                        if let Some(object) = &pointer.object {
                            self.describe(&object.parts, &name, words);
                        }
                    }
                    Choice::Stream => words.push(format!("{name} is an empty file")),
                    Choice::Sealed => words.push(format!("{name} is a stream only for reading")),
                    Choice::Broken => words.push(format!("{name} is a stream that failed")),
                    Choice::Contents => {
                        words.push(format!("{name} reads \"{}\"", self.file.escape_ascii()));
                    }
                    Choice::Alias(number) => {
                        let of = self.pointer_to(*number).map(|(of, _)| of);
                        words.push(format!("{name} = {}", of.unwrap_or_default()));
                    }
                    Choice::Within(number, bytes) => {
                        let (of, before) = self.pointer_to(*number).unwrap_or_default();
                        let side = if *bytes < before { "before" } else { "behind" };
                        let bytes = bytes.abs_diff(before);
                        words.push(format!("{name} = {bytes} bytes {side} {of}"));
                    }
                    Choice::Variable {
                        name: of,
                        bytes,
                        path,
                    } => {
                        let word = match *bytes {
                            0 => format!("{name} = &{of}"),
                            _ if !path.is_empty() => format!("{name} = &{of}{path}"),
                            bytes => format!("{name} = {bytes} bytes behind &{of}"),
                        };
                        words.push(word);
                    }
                    Choice::Function(function) | Choice::Double(function) => {
                        words.push(format!("{name} = {function}"));
                    }
                    Choice::Null | Choice::Keep => {}
                },
            }
        }
    }

    /// The name of the pointer to an object, and the bytes of it before where that points.
    fn pointer_to(&self, number: usize) -> Option<(String, u64)> {
        fn find(parts: &[Part], name: &str, number: usize) -> Option<(String, u64)> {
            parts.iter().find_map(|part| {
                let Made::Pointer(pointer) = &part.made else {
                    return None;
                };
                let object = pointer.object.as_ref()?;
                let name = format!("{name}{}", part.path);
                match object.number == number {
                    true => Some((name, object.before)),
                    false => find(&object.parts, &name, number),
                }
            })
        }
        let mut variables = self.entry.parameters.iter();
        variables.find_map(|variable| find(&variable.parts, &variable.name, number))
    }
}

fn printed(leaf: &Leaf, value: &[u8]) -> String {
    match leaf.content {
        Content::Characters if leaf.element == leaf.size => (value[0] as i8).to_string(),
        Content::Text | Content::Characters => {
            let end = value.iter().position(|byte| *byte == 0);
            let text = &value[..end.unwrap_or(value.len())];
            format!("\"{}\"", text.escape_ascii())
        }
        Content::Bytes => {
            let last = value.iter().rposition(|byte| *byte != 0);
            let shown = last.map_or(0, |last| last + 1);
            let digits: String = value[..shown].iter().map(|b| format!("{b:02x}")).collect();
            match (shown, value.len() - shown) {
                (0, _) => format!("{} bytes 00", value.len()),
                (_, 0) => format!("bytes {digits}"),
                (_, rest) => format!("bytes {digits} and {rest} of 00"),
            }
        }
        _ if leaf.element == leaf.size => one(leaf.content, value),
        _ => {
            let mut elements: Vec<&[u8]> = value.chunks(leaf.element.max(1) as usize).collect();
            let zero = |element: &&[u8]| element.iter().all(|byte| *byte == 0);
            while elements.len() > 1 && elements.last().is_some_and(zero) {
                elements.pop();
            }
            let numbers = elements.iter().map(|element| one(leaf.content, element));
            let more = if elements.len() as u64 * leaf.element < leaf.size {
                ", 0…"
            } else {
                ""
            };
            format!("{{{}{more}}}", numbers.collect::<Vec<_>>().join(", "))
        }
    }
}

/// One number.
fn one(content: Content, value: &[u8]) -> String {
    let bits = number(value);
    match content {
        Content::Signed => signed(value).to_string(),
        Content::Float if value.len() == 4 => f32::from_bits(bits as u32).to_string(),
        Content::Float => f64::from_bits(bits as u64).to_string(),
        _ => bits.to_string(),
    }
}

/// The number without sign in these bytes, lowest first.
pub(crate) fn number(value: &[u8]) -> u128 {
    let low = value.iter().take(16).rev();
    low.fold(0, |bits, byte| bits << 8 | u128::from(*byte))
}

/// The number with a sign in these bytes.
pub(crate) fn signed(value: &[u8]) -> i128 {
    let unused = 128 - 8 * value.len().clamp(1, 16) as u32;
    ((number(value) << unused) as i128) >> unused
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InputStream;
    use crate::unit::{Object, Place, Root};

    fn entry(name: &str) -> Entry {
        Entry {
            name: name.to_owned(),
            ..Entry::default()
        }
    }

    /// Adds a leaf; its number.
    fn leaf(entry: &mut Entry, size: u64, content: Content) -> usize {
        let offset = entry
            .leaves
            .last()
            .map_or(0, |leaf| leaf.offset + leaf.size);
        entry.leaves.push(Leaf {
            name: String::new(),
            place: Place {
                root: Root::Result,
                path: Vec::new(),
            },
            offset,
            size,
            element: match content {
                Content::Text => 1,
                _ => size,
            },
            content,
        });
        entry.leaves.len() - 1
    }

    fn part(path: &str, made: Made) -> Part {
        Part {
            offset: 0,
            path: path.to_owned(),
            raw: false,
            made,
        }
    }

    fn variable(name: &str, made: Made) -> Variable {
        Variable {
            name: name.to_owned(),
            parts: vec![part("", made)],
            ..Variable::default()
        }
    }

    fn pointer(choice: usize, number: usize, parts: Vec<Part>) -> Made {
        Made::Pointer(Pointer {
            number: None,
            choice: Some(choice),
            choices: vec![Choice::Fresh, Choice::Null, Choice::Alias(0)],
            object: Some(Object {
                number,
                size: 8,
                before: 0,
                member: String::new(),
                room: None,
                aligned: false,
                low: false,
                count: 1,
                flexible: false,
                c_type: String::new(),
                disguised: false,
                constant: false,
                parts,
            }),
        })
    }

    #[test]
    fn inputs_are_described_as_calls() {
        let mut f = entry("f");
        let n = leaf(&mut f, 2, Content::Signed);
        f.parameters.push(variable("n", Made::Leaf(n)));
        let choice = leaf(&mut f, 1, Content::Choice);
        let text = leaf(&mut f, 4, Content::Text);
        let made = pointer(choice, 0, vec![part("", Made::Leaf(text))]);
        f.parameters.push(variable("text", made));
        let choice = leaf(&mut f, 1, Content::Choice);
        let key = leaf(&mut f, 2, Content::Bytes);
        let next = leaf(&mut f, 1, Content::Choice);
        let inner = pointer(next, 2, Vec::new());
        let parts = vec![part(".key", Made::Leaf(key)), part(".next", inner)];
        f.parameters
            .push(variable("item", pointer(choice, 1, parts)));
        let unit = Unit {
            entries: vec![f],
            ..Unit::default()
        };
        let described = |bytes: &[u8]| {
            let input = Input::new(vec![InputStream::objects(bytes)]);
            unit.call(&input).expect("a call").text()
        };
        assert_eq!(
            described(b"\xff\xff\0ab\0x\0\x01\0\x01"),
            "f(n = -1, text = \"ab\", item.key = bytes 01 and 1 of 00, item.next is null)"
        );
        assert_eq!(
            described(b"\x02\x01\x01abcd\0\0\0\x02"),
            "f(n = 258, text is null, item.key = 2 bytes 00, item.next = text)"
        );
        assert_eq!(
            described(b"\0\0\x47"),
            "f(n = 0, text = \"\", item.key = 2 bytes 00)"
        );
    }

    #[test]
    fn an_allocation_that_fails_is_told() {
        let mut f = entry("f");
        f.failing.own = Some(leaf(&mut f, 1, Content::Unsigned));
        f.failing.others = Some(leaf(&mut f, 1, Content::Unsigned));
        let unit = Unit {
            entries: vec![f],
            ..Unit::default()
        };
        let input = Input::new(vec![InputStream::objects(b"\0\x02")]);
        let call = unit.call(&input).expect("a call");
        assert_eq!(call.text(), "allocation 2 of other sources fails; f()");
        assert_eq!(call.failing(), (0, 2));
    }

    #[test]
    fn the_number_of_the_entry_comes_first() {
        let mut g = entry("g");
        let level = leaf(&mut g, 1, Content::Bytes);
        g.globals.push(variable("level", Made::Leaf(level)));
        let x = leaf(&mut g, 1, Content::Unsigned);
        g.parameters.push(variable("x", Made::Leaf(x)));
        let unit = Unit {
            entries: vec![entry("f"), g],
            ..Unit::default()
        };
        let input = Input::new(vec![InputStream::objects(b"\x01\0\x07\xc8")]);
        let call = unit.call(&input).expect("a call");
        assert_eq!(call.text(), "level = bytes 07; g(x = 200)");
    }
}
