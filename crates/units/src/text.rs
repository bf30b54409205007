//! Drivers as C text.

use std::fmt::Write as _;

use super::shape::{Kind, Pointee, Signature, Target, pointee};
use super::{Bounds, Content, Slot};
use labrys_llvm::DebugNode;

/// What drivers call the functions and variables of the program, followed by a number.
pub(crate) const ENTRY: &str = "labrys_entry_";
pub(crate) const VARIABLE: &str = "labrys_variable_";

/// Objects behind pointers of one call, at most; further pointers are null.
const MAX_OBJECTS: u32 = 32;
/// Bytes of one input object.
const MAX_INPUT: u64 = 4096;

const PROLOGUE: &str = "\
/* Calls functions of a program with inputs for their parameters. */
extern void *__labrys_new(unsigned long size);
extern void __labrys_object(void *object, unsigned long size, const char *name, int type);
";

/// Writes drivers.
#[derive(Debug)]
pub(super) struct Writer {
    bounds: Bounds,
    text: String,
    /// The body of the function at work.
    body: String,
    slots: Vec<Slot>,
    /// What the variables of the program hold, as statements.
    variables: String,
    objects: u32,
    /// Numbers of local variables.
    next: u32,
}

impl Writer {
    pub(super) fn new(bounds: Bounds) -> Self {
        Writer {
            bounds,
            text: PROLOGUE.to_owned(),
            body: String::new(),
            slots: Vec::new(),
            variables: String::new(),
            objects: 0,
            next: 0,
        }
    }

    /// Fills a global variable; what it is filled with is an input.
    pub(super) fn variable(&mut self, number: usize, name: &str, size: u64) -> Slot {
        let variable = format!("{VARIABLE}{number}");
        let _ = writeln!(
            self.text,
            "extern unsigned char {variable}[{size}]; /* {name} */"
        );
        self.input(&variable, size, name, Content::Bytes);
        self.variables.push_str(&std::mem::take(&mut self.body));
        self.slots.pop().unwrap_or(Slot {
            name: name.to_owned(),
            size,
            content: Content::Bytes,
        })
    }

    /// Calls a function; its input objects.
    pub(super) fn entry(
        &mut self,
        number: usize,
        name: &str,
        signature: &Signature<'_>,
    ) -> Vec<Slot> {
        (self.objects, self.next) = (0, 0);
        let mut types = Vec::new();
        let mut passed = Vec::new();
        for (index, parameter) in signature.parameters.iter().enumerate() {
            let (ty, value) = self.parameter(number, index, &parameter.name, &parameter.kind);
            types.push(ty);
            passed.push(value);
        }
        let types = if types.is_empty() {
            "void".to_owned()
        } else {
            types.join(", ")
        };
        let result = &signature.result;
        let body = std::mem::take(&mut self.body);
        let _ = write!(
            self.text,
            "\n/* {name} */\nextern {result} {ENTRY}{number}({types});\n\
             static void call_{number}(void) {{\n{body}  {ENTRY}{number}({});\n}}\n",
            passed.join(", ")
        );
        std::mem::take(&mut self.slots)
    }

    /// The text of all drivers.
    pub(super) fn finish(mut self, entries: usize) -> String {
        self.text.push_str("\nint main(void) {\n");
        if entries > 1 {
            self.text.push_str("  unsigned short entry;\n");
            self.input("&entry", 2, "entry", Content::Unsigned);
            self.text.push_str(&std::mem::take(&mut self.body));
        }
        self.text.push_str(&self.variables);
        match entries {
            0 => {}
            1 => self.text.push_str("  call_0();\n"),
            _ => {
                self.text.push_str("  switch (entry) {\n");
                for number in 0..entries {
                    let _ = writeln!(self.text, "  case {number}: call_{number}(); break;");
                }
                self.text.push_str("  }\n");
            }
        }
        self.text.push_str("  return 0;\n}\n");
        self.text
    }

    /// The C type of a parameter and the value that is passed for it.
    fn parameter(
        &mut self,
        entry: usize,
        index: usize,
        name: &str,
        kind: &Kind<'_>,
    ) -> (String, String) {
        match kind {
            Kind::Number { c, size, content } => {
                let variable = self.local("a");
                let _ = writeln!(self.body, "  {c} {variable};");
                if c == "_Bool" {
                    // Only 0 and 1 are values.
                    let byte = self.local("b");
                    let _ = writeln!(self.body, "  unsigned char {byte};");
                    self.input(&format!("&{byte}"), *size, name, *content);
                    let _ = writeln!(self.body, "  {variable} = {byte} & 1;");
                } else {
                    self.input(&format!("&{variable}"), *size, name, *content);
                }
                (c.clone(), variable)
            }
            Kind::Pointer(to) => {
                let value = self.pointer(name, *to, self.bounds.depth);
                ("void *".to_owned(), value)
            }
            Kind::Structure(size) => {
                let ty = format!("struct by_value_{entry}_{index}");
                let words = size.div_ceil(8);
                let _ = writeln!(self.text, "{ty} {{ unsigned long words[{words}]; }};");
                let variable = self.local("a");
                let _ = writeln!(self.body, "  {ty} {variable};");
                self.input(&format!("&{variable}"), *size, name, Content::Bytes);
                (ty, variable)
            }
            Kind::Result(size) => {
                let variable = self.local("a");
                let _ = writeln!(self.body, "  void *{variable} = __labrys_new({size});");
                ("void *".to_owned(), variable)
            }
        }
    }

    /// A pointer: null, or an object of its own.
    fn pointer(&mut self, name: &str, to: Option<DebugNode<'_>>, depth: u32) -> String {
        let shape = pointee(to);
        if depth == 0 || self.objects >= MAX_OBJECTS || shape == Pointee::Null {
            return "(void *)0".to_owned();
        }
        self.objects += 1;
        let null = self.local("n");
        let _ = writeln!(self.body, "  unsigned char {null};");
        self.input(&format!("&{null}"), 1, name, Content::Null);
        let object = self.local("o");
        match shape {
            Pointee::Null => {}
            Pointee::Array { element, text } => {
                let size = element.saturating_mul(self.bounds.elements).max(1);
                self.object(&object, size, name, text);
                if text {
                    let _ = writeln!(self.body, "  {object}[{}] = 0;", size - 1);
                }
            }
            Pointee::Structure(size, fields) => {
                self.object(&object, size, name, false);
                for field in fields {
                    let value = match field.to {
                        Target::Null => "(void *)0".to_owned(),
                        Target::Type(to) => {
                            self.pointer(&format!("{name}{}", field.name), to, depth - 1)
                        }
                    };
                    let offset = field.offset;
                    let _ = writeln!(self.body, "  *(void **)({object} + {offset}) = {value};");
                }
            }
        }
        let pointer = self.local("p");
        let _ = writeln!(
            self.body,
            "  void *{pointer} = {null} & 1 ? (void *)0 : (void *){object};"
        );
        pointer
    }

    /// A new object filled with input.
    fn object(&mut self, object: &str, size: u64, name: &str, text: bool) {
        let _ = writeln!(
            self.body,
            "  unsigned char *{object} = __labrys_new({size});"
        );
        let content = if text { Content::Text } else { Content::Bytes };
        for start in (0..size).step_by(MAX_INPUT as usize) {
            let place = match start {
                0 => object.to_owned(),
                _ => format!("{object} + {start}"),
            };
            self.input(&place, MAX_INPUT.min(size - start), name, content);
        }
    }

    /// Makes bytes input.
    fn input(&mut self, place: &str, size: u64, name: &str, content: Content) {
        let said = match content {
            Content::Null => format!("{name} is null"),
            _ => name.to_owned(),
        };
        let _ = writeln!(
            self.body,
            "  __labrys_object({place}, {size}, \"{}\", {});",
            said.replace(['"', '\\'], "?"),
            content.number()
        );
        self.slots.push(Slot {
            name: name.to_owned(),
            size,
            content,
        });
    }

    fn local(&mut self, stem: &str) -> String {
        self.next += 1;
        format!("{stem}{}", self.next)
    }
}
