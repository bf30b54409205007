//! The arguments of a call in C: objects, what they hold, where pointers point.
//!
//! Law: what a test declares holds after its statements the bytes that the driver's call had, but
//! for padding.

use core::fmt::Write as _;
use std::collections::{BTreeMap, BTreeSet};

use super::literal::{literal, string};
use super::{LOW, distant_name, failing_name, identifier};
use crate::Observed;
use crate::unit::{
    Call, Choice, Content, FIRST_GLOBAL, FIRST_OBJECT, Leaf, Made, Object, Part, Pointer, ROOM,
    Variable,
};

/// How an array is declared that begins at a multiple of 16.
const ALIGNED: &str = " __attribute__((aligned(16)))";

/// An object with its name in the test.
struct Named<'a> {
    object: &'a Object,
    name: String,
}

/// See the module.
pub(super) struct Arguments<'a> {
    call: &'a Call<'a>,
    /// The objects that the call can reach, by their numbers.
    objects: BTreeMap<usize, Named<'a>>,
    /// Those of them that have room behind them.
    roomy: BTreeSet<usize>,
    /// The arguments as expressions.
    values: Vec<String>,
    declarations: String,
    assignments: String,
}

impl<'a> Arguments<'a> {
    /// The arguments of a call, or why they cannot be written.
    pub(super) fn of(call: &'a Call<'a>) -> Result<Self, String> {
        let mut arguments = Arguments {
            call,
            objects: BTreeMap::new(),
            roomy: BTreeSet::new(),
            values: Vec::new(),
            declarations: String::new(),
            assignments: String::new(),
        };
        let entry = call.entry();
        arguments.name_objects();
        for global in &entry.globals {
            arguments.fill(&global.parts, &Base::variable(&global.name), true)?;
        }
        for double in &entry.doubles {
            for answers in &double.answers {
                let of = &answers.name;
                let _ = writeln!(arguments.assignments, "  memset({of}, 0, sizeof {of});");
                arguments.fill(&answers.parts, &Base::answers(answers), false)?;
            }
            if !double.answers.is_empty() {
                let _ = writeln!(arguments.assignments, "  {}_calls = 0;", double.name);
            }
        }
        let numbers: Vec<usize> = arguments.objects.keys().copied().collect();
        for number in &numbers {
            arguments.declare(*number)?;
        }
        for parameter in &entry.parameters {
            let value = arguments.value(parameter)?;
            arguments.values.push(value);
        }
        for number in &numbers {
            let Some(named) = arguments.objects.get(number) else {
                continue;
            };
            let (object, base) = (named.object, arguments.base(named));
            if !is_initialized(object) || arguments.is_allocated(object) {
                arguments.fill(&object.parts, &base, false)?;
            }
        }
        Ok(arguments)
    }

    /// Finds the objects that the call can reach, and names them after the pointers to them.
    fn name_objects(&mut self) {
        let mut all: BTreeMap<usize, (&'a Object, String)> = BTreeMap::new();
        let entry = self.call.entry();
        let answers = entry.doubles.iter().flat_map(|double| &double.answers);
        let mut needed: BTreeSet<usize> = BTreeSet::new();
        let mut open: Vec<&'a [Part]> = Vec::new();
        let variables = entry.globals.iter().chain(&entry.parameters);
        for variable in variables.chain(answers) {
            collect(&variable.parts, &variable.name, &mut all);
            open.push(&variable.parts);
        }
        while let Some(parts) = open.pop() {
            for pointer in parts.iter().filter_map(pointer) {
                let own = pointer.object.as_ref().map(|object| object.number);
                let number = match self.call.chosen(pointer) {
                    Choice::Fresh => own,
                    Choice::Roomy => {
                        self.roomy.extend(own);
                        own
                    }
                    Choice::Alias(number) | Choice::Within(number, _) => Some(*number),
                    _ => None,
                };
                if let Some((number, (object, _))) = number.and_then(|n| Some((n, all.get(&n)?))) {
                    if needed.insert(number) {
                        open.push(&object.parts);
                    }
                }
            }
        }
        let shares = |object: &Object| object.room.is_some_and(|room| self.roomy.contains(&room));
        let shared = all.values().filter(|(object, _)| shares(object));
        let shared: Vec<usize> = shared.map(|(object, _)| object.number).collect();
        self.roomy.extend(shared);
        let mut taken: BTreeSet<String> = BTreeSet::new();
        taken.insert(self.call.entry().name.clone());
        taken.insert(self.result_name());
        taken.extend(entry.globals.iter().map(|global| global.name.clone()));
        for (number, (object, name)) in all {
            if !needed.contains(&number) {
                continue;
            }
            let mut name = identifier(&name).trim_matches('_').to_owned();
            if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
                name = format!("argument_{name}");
            }
            while !taken.insert(name.clone()) {
                name.push('_');
            }
            self.objects.insert(number, Named { object, name });
        }
    }

    /// Whether a test allocates an object.
    fn is_allocated(&self, object: &Object) -> bool {
        self.call.entry().frees || object.flexible || object.low
    }

    /// Gives back what a test allocates and the function does not free.
    fn release(&self) -> String {
        let named = self.objects.values();
        let own = named.filter(|one| one.object.flexible && !self.call.entry().frees);
        own.map(|one| format!("  free({});\n", one.name)).collect()
    }

    fn base(&self, named: &Named<'_>) -> Base {
        let Named { object, name } = named;
        let typed = !object.c_type.is_empty();
        Base {
            bytes: match self.is_allocated(object) || object.count > 1 || !typed {
                true => format!("(char *){name}"),
                false => format!("(char *)&{name}"),
            },
            name: match (typed, object.count, self.is_allocated(object)) {
                (false, ..) => None,
                (true, 1, true) => Some(format!("(*{name})")),
                (true, ..) => Some(name.clone()),
            },
        }
    }

    /// The address of an object.
    fn address(&self, number: usize) -> String {
        let Some(Named { object, name }) = self.objects.get(&number) else {
            return "0".to_owned();
        };
        let cast = if object.disguised { "(void *)" } else { "" };
        if let Some(member) = object.member.strip_prefix('.')
            && !object.c_type.is_empty()
        {
            return match self.is_allocated(object) {
                true => format!("{cast}&{name}->{member}"),
                false => format!("{cast}&{name}.{member}"),
            };
        }
        if object.before > 0 {
            return format!("(void *)({name} + {})", object.before);
        }
        if object.c_type.is_empty() {
            return format!("(void *){name}");
        }
        match self.is_allocated(object) || object.count > 1 {
            true => format!("{cast}{name}"),
            false => format!("{cast}&{name}"),
        }
    }

    fn declare(&mut self, number: usize) -> Result<(), String> {
        let Named { object, name } = &self.objects[&number];
        let c_type = &object.c_type;
        let roomy = self.roomy.contains(&number);
        let room = if roomy { ROOM } else { 0 };
        let size = object.size + room;
        let count = object.count + room * object.count / object.size.max(1);
        let line = match (self.is_allocated(object), c_type.is_empty()) {
            (_, true) if object.low => format!("unsigned char *{name} = {LOW}({size});"),
            (_, false) if object.low => {
                format!("{} = {LOW}({size});", spaced(c_type, &format!("*{name}")))
            }
            (true, false) if object.flexible => {
                format!(
                    "{} = calloc(1, {size});",
                    spaced(c_type, &format!("*{name}"))
                )
            }
            (true, true) => format!("unsigned char *{name} = calloc(1, {size});"),
            (true, false) => format!(
                "{} = calloc({count}, sizeof *{name});",
                spaced(c_type, &format!("*{name}"))
            ),
            (false, true) => {
                format!("unsigned char {name}[{size}]{ALIGNED} = {{0}};")
            }
            (false, false) if is_initialized(object) => {
                let aligned = if object.aligned { ALIGNED } else { "" };
                format!(
                    "{}[{count}]{aligned} = {};",
                    spaced(c_type, name),
                    self.initial(object)?
                )
            }
            (false, false) if count > 1 => {
                format!(
                    "{}[{count}] = {};",
                    spaced(c_type, name),
                    zeros(&object.parts)
                )
            }
            (false, false)
                if object
                    .parts
                    .iter()
                    .any(|part| part.path.is_empty() && pointer(part).is_some()) =>
            {
                format!("{} = 0;", spaced(c_type, name))
            }
            (false, false) => format!("{} = {};", spaced(c_type, name), zeros(&object.parts)),
        };
        // Large objects are not for the stack.
        let storage = if roomy && !self.is_allocated(object) {
            "static "
        } else {
            ""
        };
        let _ = writeln!(self.declarations, "  {storage}{line}");
        Ok(())
    }

    /// The initial value of an array of numbers or characters.
    fn initial(&self, object: &Object) -> Result<String, String> {
        let leaf = object.parts.iter().find_map(|part| match part.made {
            Made::Leaf(leaf) => self.call.entry().leaves.get(leaf),
            Made::Pointer(_) => None,
        });
        let leaf = leaf.ok_or("an object without contents")?;
        let value = self.call.value(leaf);
        if leaf.content == Content::Text {
            let mut value = value;
            value.pop();
            return Ok(string(&value));
        }
        elements(leaf, &value)
    }

    /// Statements that fill a variable or object. Zeros are there already, unless all are set.
    fn fill(&mut self, parts: &[Part], base: &Base, all: bool) -> Result<(), String> {
        for part in parts {
            match &part.made {
                Made::Leaf(number) => {
                    let leaf = &self.call.entry().leaves[*number];
                    let mut value = self.call.value(leaf);
                    if leaf.content == Content::Text {
                        value.pop();
                    }
                    if all || value.iter().any(|byte| *byte != 0) {
                        let text = assign(base, part, leaf, &value, all);
                        self.assignments.push_str(&text);
                    }
                }
                Made::Pointer(pointer) => {
                    // In a union other members have been set by then.
                    let is_zero = !pointer.choices.contains(&Choice::Keep);
                    match self.call.chosen(pointer) {
                        Choice::Keep => continue,
                        Choice::Null if is_zero && !(all && pointer.number.is_some()) => continue,
                        _ => {}
                    }
                    let value = self.target(pointer)?;
                    let line = match base.member(part) {
                        Some(place) => format!("  {place} = {value};\n"),
                        None => format!(
                            "  {{ void *target = (void *){}; memcpy({} + {}, &target, {}); }}\n",
                            self.pointing(pointer)?,
                            base.bytes,
                            part.offset,
                            match pointer.number {
                                Some(size) => size.to_string(),
                                None => "sizeof target".to_owned(),
                            }
                        ),
                    };
                    self.assignments.push_str(&line);
                }
            }
        }
        Ok(())
    }

    /// A pointer as an expression, or the number that the code has for it.
    fn target(&self, pointer: &Pointer) -> Result<String, String> {
        let target = self.pointing(pointer)?;
        Ok(match pointer.number {
            Some(8) => format!("(unsigned long){target}"),
            Some(_) => format!("(unsigned int)(unsigned long){target}"),
            None => target,
        })
    }

    /// Where a pointer points, as an expression.
    fn pointing(&self, pointer: &Pointer) -> Result<String, String> {
        let choice = self.call.chosen(pointer);
        if *choice == Choice::Contents {
            let bytes = self.call.file();
            let text = padded(bytes);
            return Ok(format!("fmemopen((void *){text}, {}, \"r\")", bytes.len()));
        }
        if let Some(stream) = choice.stream() {
            return Ok(stream.to_owned());
        }
        Ok(match choice {
            Choice::Fresh | Choice::Roomy => {
                let object = pointer.object.as_ref().map(|object| object.number);
                self.address(object.ok_or("a pointer without an object")?)
            }
            Choice::Alias(number) => self.address(*number),
            Choice::Within(number, bytes) => match self.objects.get(number) {
                Some(named) => format!("(void *)({} + {bytes})", self.base(named).bytes),
                None => "0".to_owned(),
            },
            Choice::Variable { name, bytes, path } => match (path.as_str(), bytes) {
                ("", 1..) => format!("(void *)((char *)&{name} + {bytes})"),
                (path, _) => format!("(void *)&{name}{path}"),
            },
            Choice::Function(name)
                if (self.call.entry().failing.allocators.iter()).any(|one| one.name == *name) =>
            {
                failing_name(name)
            }
            Choice::Function(name) if self.call.entry().distant.contains(name) => {
                format!("(void *){}", distant_name(name))
            }
            // Functions that can be called alike may have other types.
            Choice::Function(name) => {
                format!("(void *){}", name.split('.').next().unwrap_or(name))
            }
            Choice::Double(name) => format!("(void *){name}"),
            Choice::Null
            | Choice::Keep
            | Choice::Stream
            | Choice::Sealed
            | Choice::Broken
            | Choice::Contents => "0".to_owned(),
        })
    }

    /// A parameter as an expression.
    fn value(&mut self, parameter: &Variable) -> Result<String, String> {
        if let [part] = parameter.parts.as_slice()
            && part.path.is_empty()
            && part.offset == 0
            && !part.raw
        {
            match &part.made {
                Made::Pointer(pointer) => return self.target(pointer),
                Made::Leaf(number) => {
                    let leaf = &self.call.entry().leaves[*number];
                    let value = self.call.value(leaf);
                    if let Some(text) = literal(leaf.content, &value) {
                        let cast = parameter.c_type.starts_with("enum ");
                        return Ok(match cast {
                            true => format!("({}){text}", parameter.c_type),
                            false => text,
                        });
                    }
                }
            }
        }
        if parameter.c_type.is_empty() {
            return Err(format!("the type of {} has no name", parameter.name));
        }
        let mut name = format!("{}_", identifier(&parameter.name));
        while self.objects.values().any(|named| named.name == name) {
            name.push('_');
        }
        let in_braces = |part: &Part| match part.made {
            Made::Leaf(leaf) => self.call.entry().leaves[leaf].content == Content::Bytes,
            Made::Pointer(_) => false,
        };
        let mut parts = parameter.parts.iter();
        let structure = parts.any(|part| part.raw || !part.path.is_empty() || in_braces(part));
        let zero = if structure {
            zeros(&parameter.parts)
        } else {
            "0"
        };
        let declared = spaced(&parameter.c_type, &name);
        let _ = writeln!(self.declarations, "  {declared} = {zero};");
        self.fill(&parameter.parts, &Base::variable(&name), false)?;
        Ok(name)
    }

    /// What stands before the call, and the call.
    fn called(&self) -> (String, String) {
        let mut text = format!("{}{}", self.declarations, self.assignments);
        let failing = self.call.failing().0;
        if failing > 0 {
            let _ = writeln!(text, "  unit_failing = unit_allocations + {failing};");
        }
        let call = format!("{}({})", self.call.entry().name, self.values.join(", "));
        (text, call)
    }

    /// The statements of a call of which nothing is known.
    pub(super) fn statements_without_checks(&self) -> String {
        let (text, call) = self.called();
        let release = self.release();
        let Some(result) = self.result() else {
            return format!("{text}  (void){call};\n{release}");
        };
        // A compiler leaves out a call whose result nobody looks at.
        let name = self.result_name();
        let declared = spaced(&result.c_type, &name);
        format!("{text}  {declared} = {call};\n  (void)*(volatile char *)&{name};\n{release}")
    }

    /// The result, if its type can be written.
    fn result(&self) -> Option<&'a crate::unit::ResultType> {
        let result = self.call.entry().result.as_ref();
        result.filter(|result| !result.c_type.is_empty())
    }

    /// The statements of the test.
    pub(super) fn statements(&self, returned: &Observed, results: &[Observed]) -> String {
        let (mut text, call) = self.called();
        let succeed = match self.call.failing().0 {
            0 => "",
            _ => "  unit_failing = 0;\n",
        };
        let name = self.result_name();
        let of = |result: &crate::unit::ResultType| match result.content {
            Content::Pointer => match is_null(&returned.bytes) {
                _ if !returned.elsewhere.is_empty() && is_null(&returned.elsewhere) => None,
                true => returned.repeats(0..8).then(|| format!("{name} == 0")),
                false => Some(format!("{name} != 0")),
            },
            content => {
                let repeats = returned.repeats(0..returned.bytes.len());
                let value = literal(content, &returned.bytes).filter(|_| repeats)?;
                Some(format!("{name} == {value}"))
            }
        };
        let check = self.result().and_then(|result| Some((result, of(result)?)));
        let _ = match check {
            Some((result, check)) => write!(
                text,
                "  {} = {call};\n{succeed}  CHECK({check});\n",
                spaced(&result.c_type, &name)
            ),
            None => write!(text, "  (void){call};\n{succeed}"),
        };
        text.push_str(&self.changes(results));
        text.push_str(&self.release());
        text
    }

    /// What the test calls the result: neither the function nor a variable that it looks at.
    fn result_name(&self) -> String {
        let entry = self.call.entry();
        let mut name = "result".to_owned();
        while entry.name == name || entry.globals.iter().any(|global| global.name == name) {
            name.push('_');
        }
        name
    }

    /// Checks of the memory that the call changed.
    fn changes(&self, results: &[Observed]) -> String {
        let mut text = String::new();
        let after = |place: usize| {
            let mut found = results.iter().filter(|one| one.place as usize == place);
            found.next()
        };
        for (index, global) in self.call.entry().globals.iter().enumerate() {
            if let Some(after) = after(FIRST_GLOBAL + index) {
                let base = Base::variable(&global.name);
                self.changed(&global.parts, &base, after, &mut text);
            }
        }
        for (number, named) in &self.objects {
            if let Some(after) = after(FIRST_OBJECT + number).filter(|_| !self.call.entry().frees) {
                let base = self.base(named);
                self.changed(&named.object.parts, &base, after, &mut text);
            }
        }
        text
    }

    /// Checks of the parts that the call changed, where that is the same everywhere.
    fn changed(&self, parts: &[Part], base: &Base, after: &Observed, text: &mut String) {
        for part in parts {
            let Made::Leaf(number) = part.made else {
                continue;
            };
            let leaf = &self.call.entry().leaves[number];
            // Bytes of no type may be padding, or pointers.
            if leaf.content == Content::Bytes && leaf.element != 1 {
                continue;
            }
            let mut before = self.call.value(leaf);
            if let (Content::Text, Some(last)) = (leaf.content, before.last_mut()) {
                *last = 0;
            }
            let (start, size) = (part.offset as usize, leaf.size as usize);
            let Some(now) = after.bytes.get(start..start + size) else {
                continue;
            };
            if now != before && after.repeats(start..start + size) {
                text.push_str(&check(base, part, leaf, &before, now));
            }
        }
    }
}

/// How a variable or object is named in statements.
struct Base {
    /// Its address, as bytes.
    bytes: String,
    /// Its name; none if its members cannot be named.
    name: Option<String>,
}

impl Base {
    fn variable(name: &str) -> Self {
        Base {
            bytes: format!("(char *)&{name}"),
            name: Some(name.to_owned()),
        }
    }

    /// The variable with what a double answers.
    fn answers(variable: &Variable) -> Self {
        Base {
            bytes: format!("(char *){}", variable.name),
            name: (!variable.c_type.is_empty()).then(|| variable.name.clone()),
        }
    }

    /// How C names a part; none if it has no name.
    fn member(&self, part: &Part) -> Option<String> {
        let unnamed = part.raw || part.path.is_empty() && part.offset > 0;
        let name = self.name.as_ref().filter(|_| !unnamed)?;
        let behind = name
            .strip_prefix("(*")
            .and_then(|name| name.strip_suffix(')'));
        Some(match (behind, part.path.strip_prefix('.')) {
            (Some(pointer), Some(member)) => format!("{pointer}->{member}"),
            _ => format!("{name}{}", part.path),
        })
    }
}

/// Whether the bytes of a pointer are those of a null pointer.
fn is_null(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == 0)
}

fn pointer(part: &Part) -> Option<&Pointer> {
    match &part.made {
        Made::Pointer(pointer) => Some(pointer),
        Made::Leaf(_) => None,
    }
}

/// All objects behind parts, with names of the pointers to them.
fn collect<'a>(parts: &'a [Part], name: &str, all: &mut BTreeMap<usize, (&'a Object, String)>) {
    for part in parts {
        if let Some(object) = pointer(part).and_then(|pointer| pointer.object.as_ref()) {
            let name = format!("{name}{}", part.path);
            collect(&object.parts, &name, all);
            all.insert(object.number, (object, name));
        }
    }
}

/// Whether an object is one array of numbers, which its declaration initializes.
fn is_initialized(object: &Object) -> bool {
    let one = matches!(
        object.parts.as_slice(),
        [Part {
            made: Made::Leaf(_),
            offset: 0,
            raw: false,
            ..
        }]
    );
    one && !object.c_type.is_empty()
        && object.parts[0].path.is_empty()
        && !object.c_type.starts_with("struct ")
        && !object.c_type.starts_with("union ")
        && object.count > 1
}

/// Zeros for all members. `{0}` is no initializer of a first member that is an atomic structure.
fn zeros(parts: &[Part]) -> &'static str {
    match parts.first() {
        Some(first) if first.raw => "{}",
        _ => "{0}",
    }
}

/// A declaration of a name, or of stars and a name.
fn spaced(c_type: &str, name: &str) -> String {
    match c_type.ends_with('*') {
        true => format!("{c_type}{name}"),
        false => format!("{c_type} {name}"),
    }
}

/// The elements of an array in braces, without zeros at its end.
fn elements(leaf: &Leaf, value: &[u8]) -> Result<String, String> {
    let one = leaf.element.max(1) as usize;
    let content = match leaf.content {
        Content::Bytes if one == 1 => Content::Unsigned,
        content => content,
    };
    let mut chunks: Vec<&[u8]> = value.chunks(one).collect();
    while chunks.len() > 1 && chunks[chunks.len() - 1].iter().all(|byte| *byte == 0) {
        chunks.pop();
    }
    let words = chunks.iter().map(|chunk| literal(content, chunk));
    let words: Option<Vec<String>> = words.collect();
    let words = words.ok_or_else(|| format!("a value of {} has no literal", leaf.name))?;
    Ok(format!("{{{}}}", words.join(", ")))
}

/// A statement that sets a part.
fn assign(base: &Base, part: &Part, leaf: &Leaf, value: &[u8], all: bool) -> String {
    let single = leaf.element == leaf.size;
    if let Some(place) = base.member(part) {
        if let Some(text) = literal(leaf.content, value).filter(|_| single) {
            return format!("  {place} = {text};\n");
        }
        let one = leaf.element.max(1) as usize;
        let chunks: Vec<&[u8]> = value.chunks(one).collect();
        let words: Option<Vec<String>> = chunks
            .iter()
            .map(|chunk| literal(leaf.content, chunk))
            .collect();
        let text = matches!(
            leaf.content,
            Content::Text | Content::Characters | Content::Bytes
        );
        if let Some(words) = words.filter(|_| !single && !text) {
            let set = words.iter().zip(&chunks).enumerate();
            let set = set.filter(|(_, (_, chunk))| all || chunk.iter().any(|byte| *byte != 0));
            let lines = set.map(|(index, (word, _))| format!("  {place}[{index}] = {word};\n"));
            return lines.collect();
        }
    }
    let end = match all {
        true => value.len(),
        false => value
            .iter()
            .rposition(|byte| *byte != 0)
            .map_or(0, |end| end + 1),
    };
    let place = format!("{} + {}", base.bytes, part.offset);
    let zero = value.iter().all(|byte| *byte == 0);
    match zero {
        true => format!("  memset({place}, 0, {end});\n"),
        false => format!("  memcpy({place}, {}, {end});\n", padded(&value[..end])),
    }
}

/// A string literal of all these bytes.
fn padded(bytes: &[u8]) -> String {
    let mut text = string(bytes);
    let shown = bytes
        .iter()
        .rposition(|byte| *byte != 0)
        .map_or(0, |end| end + 1);
    text.pop();
    // The zero at the end of the literal is one of the bytes.
    for _ in shown..bytes.len().saturating_sub(1) {
        text.push_str("\\000");
    }
    text.push('"');
    text
}

/// Checks of what a call left in a part.
fn check(base: &Base, part: &Part, leaf: &Leaf, before: &[u8], now: &[u8]) -> String {
    let one = leaf.element.max(1) as usize;
    let single = leaf.element == leaf.size;
    if let Some(place) = base.member(part) {
        if let Some(text) = literal(leaf.content, now).filter(|_| single) {
            return format!("  CHECK({place} == {text});\n");
        }
        if leaf.content == Content::Text && now.contains(&0) {
            let end = now.iter().position(|byte| *byte == 0).unwrap_or(now.len());
            let same = now[end..] == before[end..] || now[end + 1..] == before[end + 1..];
            if same {
                return format!("  CHECK(strcmp({place}, {}) == 0);\n", string(&now[..end]));
            }
        }
        let chunks: Vec<&[u8]> = now.chunks(one).collect();
        let words: Option<Vec<String>> = chunks
            .iter()
            .map(|chunk| literal(leaf.content, chunk))
            .collect();
        let text = matches!(
            leaf.content,
            Content::Text | Content::Characters | Content::Bytes
        );
        if let Some(words) = words.filter(|_| !single && !text) {
            let changed = words.iter().enumerate().filter(|(index, _)| {
                let at = index * one;
                now[at..at + one] != before[at..at + one]
            });
            let lines =
                changed.map(|(index, word)| format!("  CHECK({place}[{index}] == {word});\n"));
            return lines.collect();
        }
    }
    let place = format!("{} + {}", base.bytes, part.offset);
    format!(
        "  CHECK(memcmp({place}, {}, {}) == 0);\n",
        padded(now),
        now.len()
    )
}
