//! Names of frames, locations, variables and objects, both ways.
//!
//! Law: reading a name that was written gives what it was written for, in any other automaton of
//! the same program too.

use labrys_analysis::ProgramAnalysis;
use labrys_expr::{ExprId, Symbol};
use labrys_program::{BlockId, Callee, FunctionId, Operation, ValueId};
use labrys_semantics::havocked;

use crate::block::Location;
use crate::terms::{Frame, FrameId, ObjectId, ObjectKind, Terms, Variable};

/// Frames of a stack that is read at most.
const MAX_FRAMES: usize = 64;
/// Bytes of a cell at most.
const MAX_CELL: u32 = 16;

/// A frame's name.
fn frame(terms: &Terms<'_>, id: FrameId) -> String {
    let mut parts = Vec::new();
    for id in terms.stack(id) {
        parts.push(encoded(&terms.function(id).name));
        if let Some((_, (block, index))) = terms.frame(id).caller {
            parts.push(format!("{block}.{index}"));
        }
    }
    parts.reverse();
    parts.join("/")
}

/// A location's name.
pub(super) fn location(terms: &Terms<'_>, location: Location) -> String {
    format!("{} {}", frame(terms, location.frame), location.block)
}

/// The name of a symbol that is no local one.
pub(super) fn symbol(terms: &Terms<'_>, symbol: Symbol) -> Option<String> {
    match terms.as_variable(symbol) {
        Some(Variable::Value(id, value, part)) => {
            Some(format!("{} %{}.{part}", frame(terms, id), value.0))
        }
        Some(Variable::Cell(id, offset, size)) => {
            let object = object(terms, terms.object(id).kind);
            Some(format!("{object}+{offset}:{size}"))
        }
        None => Some(object(terms, terms.as_address(symbol)?.kind)),
    }
}

fn object(terms: &Terms<'_>, kind: ObjectKind) -> String {
    match kind {
        ObjectKind::Global(id) => {
            format!("@{}", encoded(&terms.program().globals[id.index()].name))
        }
        ObjectKind::Function(id) => format!("&{}", encoded(&terms.analysis().function(id).name)),
        ObjectKind::Stack(id, value) => format!("{} ${}", frame(terms, id), value.0),
        ObjectKind::Heap(..) => unreachable!("no graph is of a trial"),
    }
}

/// A symbol's name in which all characters but those of C are spelled out.
pub(super) fn encoded(name: &str) -> String {
    let mut text = String::new();
    for byte in name.bytes() {
        match byte {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'.' => text.push(char::from(byte)),
            _ => text.push_str(&format!("~{byte:02x}")),
        }
    }
    text
}

pub(super) fn decoded(text: &str) -> Option<String> {
    let mut parts = text.split('~');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(part.get(..2)?, 16).ok()?);
        bytes.extend(&part.as_bytes()[2..]);
    }
    let name = String::from_utf8(bytes).ok()?;
    // One name for each thing.
    (encoded(&name) == text).then_some(name)
}

/// Reads names for the runs that begin in a frame.
pub(super) struct NameReader<'t, 'p> {
    pub(super) terms: &'t mut Terms<'p>,
    pub(super) entry: FrameId,
}

impl NameReader<'_, '_> {
    /// The location with a name.
    pub(super) fn location(&mut self, name: &str) -> Option<Location> {
        let (frame, block) = name.split_once(' ')?;
        let frame = self.frame(frame)?;
        let block = BlockId(block.strip_prefix('b').and_then(number)?);
        self.terms.function(frame).block(block)?;
        Some(Location { frame, block })
    }

    /// The variable, or the address, with a name.
    pub(super) fn symbol(&mut self, name: &str) -> Option<ExprId> {
        if let Some((frame, value)) = name.split_once(" %") {
            let frame = self.frame(frame)?;
            let (value, part) = value.split_once('.')?;
            return self.value(frame, ValueId(number(value)?), number(part)?);
        }
        let Some((object, place)) = name.split_once('+') else {
            let object = self.object(name)?;
            return Some(self.terms.object(object).address);
        };
        let object = self.object(object)?;
        let (offset, size) = place.split_once(':')?;
        self.cell(object, number(offset)?, number(size)?)
    }

    fn value(&mut self, frame: FrameId, value: ValueId, part: u32) -> Option<ExprId> {
        let function = self.terms.frame(frame).function;
        let ty = self.terms.function(frame).value_type(value)?;
        if self
            .terms
            .analysis()
            .body(function)
            .frame_objects()
            .contains(&value)
        {
            let object = self.terms.object_id(ObjectKind::Stack(frame, value));
            let object = self.terms.object(object);
            return (part == 0 && !object.private).then_some(object.address);
        }
        let program = self.terms.program();
        let shape = havocked(&mut self.terms.symbolic(), program, ty)?;
        let scalar = *shape.scalars().get(part as usize)?;
        let width = self.terms.pool().width(scalar);
        Some(
            self.terms
                .variable(Variable::Value(frame, value, part), width),
        )
    }

    fn cell(&mut self, id: ObjectId, offset: u64, size: u32) -> Option<ExprId> {
        let object = self.terms.object(id);
        let end = offset.checked_add(u64::from(size))?;
        let inside = object.size.is_none_or(|bytes| end <= bytes);
        let has_bytes = !matches!(object.kind, ObjectKind::Function(_));
        (inside && has_bytes && (1..=MAX_CELL).contains(&size)).then(|| {
            self.terms
                .variable(Variable::Cell(id, offset, size), 8 * size)
        })
    }

    fn object(&mut self, name: &str) -> Option<ObjectId> {
        let kind = if let Some(name) = name.strip_prefix('@') {
            ObjectKind::Global(self.terms.program().global_named(&decoded(name)?)?)
        } else if let Some(name) = name.strip_prefix('&') {
            ObjectKind::Function(self.terms.program().function_named(&decoded(name)?)?)
        } else {
            let (frame, value) = name.split_once(" $")?;
            let frame = self.frame(frame)?;
            let value = ValueId(number(value)?);
            let function = self.terms.frame(frame).function;
            let body = self.terms.analysis().body(function);
            if !body.frame_objects().contains(&value) {
                return None;
            }
            ObjectKind::Stack(frame, value)
        };
        Some(self.terms.object_id(kind))
    }

    /// The frame with a name: each call is one of the program.
    fn frame(&mut self, name: &str) -> Option<FrameId> {
        let mut parts = name.split('/');
        let mut id = self.entry;
        if decoded(parts.next()?)? != self.terms.function(id).name {
            return None;
        }
        let mut frames = 1;
        while let Some(place) = parts.next() {
            let (block, index) = place.strip_prefix('b')?.split_once('.')?;
            let place = (BlockId(number(block)?), number::<usize>(index)?);
            let analysis = self.terms.analysis();
            let function = analysis
                .program()
                .function_named(&decoded(parts.next()?)?)?;
            if !may_call(analysis, self.terms.frame(id).function, place, function) {
                return None;
            }
            id = self.terms.frame_id(Frame {
                function,
                caller: Some((id, place)),
            });
            frames += 1;
            if frames > MAX_FRAMES {
                return None;
            }
        }
        Some(id)
    }
}

/// Whether an instruction is a call that may enter a function of the program.
fn may_call(
    analysis: &ProgramAnalysis<'_>,
    caller: FunctionId,
    (block, index): (BlockId, usize),
    callee: FunctionId,
) -> bool {
    let block = analysis.function(caller).block(block);
    let instruction = block.and_then(|block| block.instructions.get(index));
    let operation = instruction.map(|instruction| &instruction.operation);
    let enters = match operation {
        Some(Operation::Call {
            callee: Callee::Direct(id),
            ..
        }) => *id == callee,
        Some(Operation::Call { .. }) => true,
        _ => false,
    };
    enters && analysis.function(callee).defined
}

/// A number in decimal, without a sign or zeros before it.
fn number<N: std::str::FromStr + std::fmt::Display>(text: &str) -> Option<N> {
    let number: N = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

#[cfg(test)]
mod tests {
    use labrys_program::Program;

    use super::*;
    use crate::automaton::Automaton;

    #[test]
    fn names_of_symbols_are_spelled_out_and_back() {
        for name in ["main", "f.1", "a b", "x|y\\z", "été", "~", ""] {
            let text = encoded(name);
            assert!(
                text.bytes()
                    .all(|byte| byte.is_ascii_graphic() && byte != b'|'),
                "{text}"
            );
            assert_eq!(decoded(&text).as_deref(), Some(name));
        }
        assert_eq!(decoded("~6d"), None, "m has another name");
        assert_eq!(decoded("~zz"), None);
        assert_eq!(decoded("~é"), None);
    }

    /// Goes over the locations of a program, up to some, with the symbols of their blocks.
    fn for_all_symbols(
        automaton: &mut Automaton<'_>,
        see: &mut dyn FnMut(&Terms<'_>, Location, Symbol),
    ) {
        let (mut seen, mut next) = (Vec::new(), vec![automaton.entry()]);
        while let (Some(place), true) = (next.pop(), seen.len() < 20) {
            let block = automaton.block(place).expect("a small block");
            let conditions = block
                .transitions
                .iter()
                .map(|transition| transition.condition);
            let taken = block
                .occurrences
                .iter()
                .map(|occurrence| occurrence.condition);
            for condition in conditions.chain(taken) {
                for symbol in automaton.terms.pool().symbols(condition).iter() {
                    see(&automaton.terms, place, symbol);
                }
            }
            seen.push(place);
            let targets = block.transitions.iter().map(|transition| transition.target);
            next.extend(targets.filter(|target| !seen.contains(target)));
        }
    }

    #[test]
    fn names_are_read_in_other_automatons() {
        let mut count = 0;
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../backward/tests/programs");
        for entry in std::fs::read_dir(folder).expect("programs") {
            let text = std::fs::read_to_string(entry.expect("an entry").path()).expect("a program");
            let program: Program = text.parse().expect("a program");
            let main = program.function_named("main").expect("main");
            let analysis = ProgramAnalysis::new(&program, main);
            let mut named: Vec<(String, String, u32)> = Vec::new();
            for_all_symbols(
                &mut Automaton::new(&analysis, main),
                &mut |terms, place, own| {
                    if let Some(name) = symbol(terms, own) {
                        named.push((location(terms, place), name, own.width()));
                    }
                },
            );
            let mut other = Automaton::new(&analysis, main);
            let entry = other.entry().frame;
            // In another order, so that ids differ.
            for (place, name, width) in named.iter().rev() {
                let mut reader = NameReader {
                    terms: &mut other.terms,
                    entry,
                };
                let read = reader.location(place).expect("a location");
                let id = reader.symbol(name).expect("a symbol");
                assert_eq!(location(&other.terms, read), *place);
                let own = other.terms.pool().as_symbol(id).expect("a symbol");
                assert_eq!(
                    (symbol(&other.terms, own), own.width()),
                    (Some(name.clone()), *width)
                );
                count += 1;
            }
        }
        assert!(count > 200, "{count} names");
    }

    #[test]
    fn names_of_what_is_not_there_are_refused() {
        let text = include_str!("../../../backward/tests/programs/alias_not.lir");
        let program: Program = text.parse().expect("a program");
        let main = program.function_named("main").expect("main");
        let analysis = ProgramAnalysis::new(&program, main);
        let mut automaton = Automaton::new(&analysis, main);
        let entry = automaton.entry().frame;
        let mut reader = NameReader {
            terms: &mut automaton.terms,
            entry,
        };
        assert!(reader.location("main b0").is_some());
        for name in [
            "",
            "main",
            "main b",
            "main b9999",
            "main b00",
            "main  b0",
            "other b0",
        ] {
            assert_eq!(reader.location(name), None, "{name}");
        }
        for name in [
            "main/b0.0/main b0",
            "main/b0 b0",
            "main/b9999.0/main b0",
            "main/b0.9999/f b0",
        ] {
            assert_eq!(reader.location(name), None, "{name}");
        }
        for name in [
            "",
            "x",
            "main",
            "@",
            "@none",
            "&none",
            "main %9999.0",
            "main %0.99",
        ] {
            assert_eq!(reader.symbol(name), None, "{name}");
        }
        for name in [
            "@none+0:4",
            "&main+0:1",
            "main $9999",
            "main %-1.0",
            "main %0",
            "+0:1",
        ] {
            assert_eq!(reader.symbol(name), None, "{name}");
        }
    }

    #[test]
    fn numbers_have_one_text() {
        assert_eq!(number::<u32>("10"), Some(10));
        for text in ["+1", "01", "-1", "", " 1", "4294967296"] {
            assert_eq!(number::<u32>(text), None, "{text}");
        }
    }
}
