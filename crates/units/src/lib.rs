//! Units: functions as entries, each called by a driver with inputs made for its parameters.
//!
//! A driver is a small C program. It makes an input of each number that the function takes, and for
//! each pointer an object, filled with input, and a null pointer as the other possibility; pointers
//! inside the object likewise, down to a bound. The types of the bitcode say what the parameters
//! are, and the debug information what pointers point to.
//!
//! One description, [`labrys_suite::unit`], has the *leaves* of a call: the driver fills them, a
//! *binder* finds them at a real call of the function, tests name them. *Stubs* stand for the
//! functions outside the unit, so that a unit is any set of functions (Kim, Hong and Kim, FSE 2019,
//! section 3.3).
//!
//! Invariant: each value that the driver can pass is one that C code could pass;
//! [`Bounds::assumptions`] names what it cannot pass.

mod addresses;
mod allocations;
mod binder;
mod candidates;
mod connect;
mod containers;
mod double;
mod driver;
mod ends;
mod extents;
mod fingerprint;
mod flow;
mod indices;
mod keys;
mod lengths;
mod locals;
mod members;
mod numbers;
mod pairs;
mod prototype;
mod registers;
mod select;
mod shape;
mod spelling;
mod stub;
mod types;
mod uses;
mod walk;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fmt::Write as _;

use labrys_llvm::{DebugNode, LLVMLinkage, Module, Value};
use labrys_suite::unit::{CALL, Choice, Entry, Leaf, Made, Missing, Part, Unit};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use addresses::Addresses;
use allocations::Allocations;
use candidates::Candidates;
pub use connect::connect;
use fingerprint::Fingerprints;
pub use fingerprint::hash;
pub use keys::{Key, Keys, Ran};
use locals::Locals;
use prototype::Prototype;
use registers::Register;
use shape::Builder;
use uses::Uses;

/// What the texts call functions and variables of the program, followed by a number: entries,
/// variables, functions that pointers may point to.
pub(crate) const ENTRY: &str = "labrys_entry_";
pub(crate) const VARIABLE: &str = "labrys_variable_";
pub(crate) const FUNCTION: &str = "labrys_function_";
/// How the source names the error number, which is a variable of each thread.
pub(crate) const ERROR_NUMBER: &str = "errno";
/// What they define: binders and stubs.
pub(crate) const BINDER: &str = "labrys_binder_";
pub(crate) const STUB: &str = "labrys_stub_";
/// A function that makes what stubs return.
const RESULT: &str = "labrys_result_";
/// How pointers are returned in C.
const POINTER: &str = "void *";
/// A function that calls a stub or what it stands for, and what it stands for.
pub(crate) const SWITCH: &str = "labrys_switch_";
pub(crate) const REAL: &str = "labrys_real_";
/// Whether a stub, and a binder, is at work.
pub(crate) const STUBBED: &str = "labrys_stubbed_";
pub(crate) const IS_BOUND: &str = "labrys_bound_";

/// One of two pointers, in drivers for tests: no function in the end, but a value whose label tells
/// of the choice.
pub(crate) const PICK: &str = "labrys_pick";

/// What the program's main function is called beside that of the drivers.
pub(crate) const MAIN_OF_PROGRAM: &str = "labrys_main_of_program";

const PROLOGUE: &str = "\
/* Calls functions of a program with inputs for their parameters. */
extern void *__labrys_new(unsigned long size);
extern void *__labrys_place(unsigned long size), *__labrys_low(unsigned long size);
extern void __labrys_object(void *object, unsigned long size, const char *name, int type);
extern void *tmpfile(void), *fopen(const char *, const char *);
extern int fputc(int, void *);
extern void labrys_assume(int condition);
extern void __labrys_observe(int place, const void *address, unsigned long size);
extern void __labrys_leaks(void), __labrys_unwritten(void);
extern void *labrys_pick(_Bool first, void *one, void *other);
extern void __labrys_bind_call(unsigned binder);
extern void __labrys_bind(unsigned long offset, const void *address, unsigned long size);
extern void *__labrys_bind_pointer(const void *address);
typedef float labrys_floats __attribute__((vector_size(8)));
";

/// The bounds of what a driver makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    /// Elements of an array behind a pointer to numbers or characters.
    pub elements: u64,
    /// Pointers that follow one another; those beyond are null.
    pub depth: u32,
    /// What global variables hold at the call.
    pub globals: Globals,
    /// Whether a pointer may be that of an earlier object of its type.
    pub aliases: bool,
    /// Whether numbers that look like lengths are at most the elements of their arrays.
    pub lengths: bool,
    /// Whether pointers to functions that the program has none for point to functions that return
    /// anything.
    pub doubles: bool,
    /// Whether allocations may fail; for tests only.
    pub allocations: bool,
}

/// What global variables hold at a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Globals {
    /// What they hold when the program begins.
    #[default]
    Initial,
    /// Anything, if they may change, the source of the function that is called names them outside
    /// functions, and there are no pointers in them but null pointers.
    File,
    /// Anything, if they may change and there are no pointers in them but null pointers.
    Any,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds {
            elements: 8,
            depth: 3,
            globals: Globals::Initial,
            aliases: false,
            lengths: false,
            doubles: false,
            allocations: false,
        }
    }
}

impl Bounds {
    /// The assumptions of a proof that is made with such drivers, or with those for tests.
    #[must_use]
    pub fn assumptions(&self, for_tests: bool) -> Vec<String> {
        let pointers = match self.aliases {
            true => {
                "a pointer is null, that of an earlier object of its type that is not around it, or \
                 points to an object of its own"
            }
            false => "a pointer is null, or points to an object of its own",
        };
        let told = |is: bool, text: &'static str| if is { text } else { "" };
        let mut lines = vec![
            format!(
                "{pointers}: one structure, {0} numbers, or a string of less than {0} characters",
                self.elements
            ),
            "`void *` points to the structure that the code uses it as, if it is one; of arrays of \
             more than 1024 bytes in structures the first 256 hold anything, the rest zeros; one \
             without a length has as many elements as one behind a pointer"
                .to_owned(),
            format!(
                "pointers are null behind {} others{}, and where they point to streams or types \
                 that are not known; pointers to functions are null or functions of their type \
                 whose address the program takes{}",
                self.depth,
                told(for_tests, ", or fewer where objects are many"),
                told(self.doubles, ", or functions that return anything"),
            ),
            self.globals.assumption().to_owned(),
        ];
        let more = [
            (
                for_tests,
                "pointers in members that the code does not name are null; those that it compares \
                 with, or subtracts from, each other point into one array; one from which it goes \
                 back to a structure points into that; behind one to several structures or pointers \
                 without a length the last is zeros; a number of which it makes an address, and which it \
                 compares with nothing, is the address of an object",
            ),
            (
                self.allocations,
                "at most one allocation of each source fails",
            ),
            (
                self.lengths,
                "a number beside a pointer that looks like its length, or is a place in its array, \
                 is at most the elements there, or the bytes where the code compares it with more; \
                 one that begins anew at another one is less, or zero",
            ),
        ];
        let more = more.iter().filter(|(is, _)| *is);
        lines.extend(more.map(|(_, text)| (*text).to_owned()));
        lines
    }
}

impl Globals {
    fn assumption(self) -> &'static str {
        match self {
            Globals::Any => {
                "global variables that may change hold anything, those with pointers that are not \
                 null what they hold when the program begins"
            }
            Globals::File => {
                "global variables that the file names and that may change hold anything, those with \
                 pointers that are not null and all others what they hold when the program begins"
            }
            Globals::Initial => "global variables hold what they hold when the program begins",
        }
    }
}

/// What is to be generated for a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The functions that are called.
    pub entries: Vec<String>,
    /// What is around each entry, if they are units of their own: the first argument of the program
    /// names the one that is called, and stubs and binders are at work only where it has them.
    pub around: Vec<Around>,
    /// Functions that stubs stand for, wherever the program uses them.
    pub stubs: Vec<String>,
    /// With `around`, the functions that run as they are for some entry: of other functions with stubs
    /// nothing but the stubs is left.
    pub members: BTreeSet<String>,
    /// Functions whose calls are bound: see [`Drivers::binders`].
    pub binders: Vec<Bound>,
    /// What drivers make.
    pub bounds: Bounds,
    /// The drivers are for tests: they report what a call leaves behind, and of several functions
    /// the first argument of the program names the one that is called, not an input.
    pub for_tests: bool,
    /// Whether the entries are parts of other programs, too: no proof rests on what is in volatile
    /// memory, or on the definition of what is weak.
    pub part: bool,
    /// Whether functions and variables that the entries cannot come to are left out.
    pub trimmed: bool,
    /// Whether the program is compiled in linear time, for few runs: its code is slow.
    pub linear: bool,
    /// Whether it is for paths only, not for failures: without the checked executable.
    pub unchecked: bool,
}

/// The surroundings of an entry that is one of several units in a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Around {
    /// Which of the request's functions with stubs are stubs here.
    pub stubs: Vec<String>,
    /// Which of the request's bound functions are bound here.
    pub bound: Vec<String>,
}

impl Request {
    /// The statements that put the stubs and binders of an entry to work.
    fn switches(&self, drivers: &Drivers, entry: &str) -> String {
        let number = self.entries.iter().position(|name| name == entry);
        let Some(around) = number.and_then(|number| self.around.get(number)) else {
            return String::new();
        };
        let mut text = String::new();
        for (number, stub) in drivers.stubs.iter().enumerate() {
            if stub.switched && around.stubs.contains(&stub.function) {
                let _ = writeln!(text, "    {STUBBED}{number} = 1;");
            }
        }
        for (number, binder) in drivers.binders.iter().enumerate() {
            if around.bound.contains(&binder.function) {
                let _ = writeln!(text, "    {IS_BOUND}{number} = 1;");
            }
        }
        text
    }
}

/// A function whose calls are bound.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bound {
    /// Its name in the static program model.
    pub function: String,
    /// The stubs of the function's own unit: leaves are bound as the driver of that unit makes them.
    pub stubs: Vec<String>,
}

/// Drivers of some functions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drivers {
    /// What is called, and with which inputs.
    pub unit: Unit,
    /// With drivers for tests a number of each entry for all that it can come to, hexadecimal: the
    /// same number is the same work.
    pub fingerprints: Vec<String>,
    /// Functions that have no driver, binder or stub, and why.
    pub left_out: Vec<(String, Refusal)>,
    /// The functions whose calls are bound. At the beginning of such a function the program calls
    /// `__labrys_bind_call` with the index of its entry here, then `__labrys_bind` with the
    /// [offset](Leaf::offset) of each leaf that the call has, its address and its size.
    pub binders: Vec<Entry>,
    /// The functions that stubs stand for, with the inputs of one call.
    pub stubs: Vec<Stub>,
    /// Whether stubs and binders are at work for some entries only.
    switched: bool,
    /// All in C.
    pub text: String,
    /// The variables and functions of the program that the text names by numbers.
    globals: Vec<String>,
    functions: Vec<String>,
}

/// A function that a stub stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stub {
    /// Its name in the static program model.
    pub function: String,
    /// The inputs of a call in order; what a null pointer would point to is no input.
    pub leaves: Vec<Leaf>,
    /// Whether it is at work for some entries only.
    switched: bool,
}

/// Why a function has no driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is no such function.
    Unknown,
    /// There is only its declaration.
    Declared,
    /// Values of a type cannot be passed by a driver.
    Type(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Unknown => f.write_str(
                "the program does not define it; `labrys sites` lists the functions with decisions",
            ),
            Refusal::Declared => f.write_str(
                "the program does not define it, there is only a declaration; add the source or \
                 the library that defines it",
            ),
            Refusal::Type(ty) => write!(f, "a driver cannot pass or take values of type {ty}"),
        }
    }
}

/// Writes drivers, binders and stubs for functions of frozen bitcode; of functions and variables
/// that are `missing` there are declarations only, in the program and all that it is linked with.
pub fn describe(module: &Module, request: &Request, missing: &BTreeSet<String>) -> Drivers {
    let locals = Locals::of(module);
    let addresses = Addresses::of(module, &locals);
    let registers = match request.part {
        true => registers::place(module, &addresses),
        false => Vec::new(),
    };
    let (candidates, uses) = (Candidates::of(module), Uses::of(module, addresses, locals));
    let allocations = match request.for_tests && request.bounds.allocations {
        true => Allocations::of(module),
        false => Allocations::default(),
    };
    let mut writer = Writer {
        module,
        request,
        candidates: &candidates,
        uses: &uses,
        allocations: &allocations,
        registers: &registers,
        drivers: Drivers {
            unit: Unit {
                entries: Vec::new(),
                missing: missing.iter().map(|name| absent(module, name)).collect(),
            },
            switched: !request.around.is_empty(),
            ..Drivers::default()
        },
        text: String::new(),
        results: BTreeMap::new(),
    };
    for name in &request.stubs {
        writer.stub(name);
    }
    for (number, name) in request.entries.iter().enumerate() {
        let around = request.around.get(number);
        writer.entry(name, around.map_or(&request.stubs, |around| &around.stubs));
    }
    for bound in &request.binders {
        writer.binder(bound);
    }
    if request.for_tests {
        let numbers = Fingerprints::of(module);
        let entries = writer.drivers.unit.entries.iter();
        let all = entries.map(|entry| numbers.number(&entry.function, &[]));
        writer.drivers.fingerprints = all.collect();
    }
    writer.finish()
}

/// What is missing under this name.
fn absent(module: &Module, name: &str) -> Missing {
    let variable = module.global(name).map(Value::global_type);
    let size = variable.map(|ty| if ty.is_sized() { module.size_of(ty) } else { 1 });
    Missing {
        name: name.to_owned(),
        size,
    }
}

struct Writer<'m, 'a> {
    module: &'m Module,
    request: &'a Request,
    candidates: &'a Candidates<'m>,
    uses: &'a Uses<'m>,
    allocations: &'a Allocations<'m>,
    registers: &'a [Register],
    drivers: Drivers,
    text: String,
    /// The functions that make what stubs return, with their numbers.
    results: BTreeMap<String, usize>,
}

impl<'m> Writer<'m, '_> {
    fn prototype(&self, name: &str) -> Result<(Value<'m>, Prototype<'m>), Refusal> {
        let function = self.module.function(name).ok_or(Refusal::Unknown)?;
        if function.is_declaration() {
            return Err(Refusal::Declared);
        }
        let prototype = prototype::prototype(self.module, function).map_err(Refusal::Type)?;
        Ok((function, prototype))
    }

    fn is_missing(&self, name: &str) -> bool {
        let mut missing = self.drivers.unit.missing.iter();
        missing.any(|one| one.name == name)
    }

    /// Whether tests need a double of a function of a library.
    fn is_outside(&self, name: &str) -> bool {
        let outside = labrys_library::named(name, labrys_library::Mark::Outside);
        outside && self.request.for_tests && self.request.bounds.doubles
    }

    fn refuse(&mut self, name: &str, refusal: Refusal) {
        self.drivers.left_out.push((name.to_owned(), refusal));
    }

    /// The shape of a call, with the variables that it can read.
    fn shape(&mut self, name: &str, stubs: &[String]) -> Option<(Entry, Prototype<'m>)> {
        let (function, prototype) = match self.prototype(name) {
            Ok(found) => found,
            Err(refusal) => {
                self.refuse(name, refusal);
                return None;
            }
        };
        let bounds = self.request.bounds;
        let mut builder = Builder::new(bounds, (self.candidates, self.uses), name);
        builder.source(self.module, function);
        builder.for_tests = self.request.for_tests;
        let named = select::named(function, stubs);
        builder.frees(select::frees(&named));
        if self.request.for_tests {
            let all = self.candidates.called_too(&named);
            builder.comes_to(self.uses.named_by(&all));
        }
        self.variables(function, &named, &mut builder);
        builder.parameters(&prototype);
        builder.result(&prototype);
        // Pointers may lead to functions of the program, which have missing ones of their own.
        let mut reached = named.clone();
        let behind = builder.functions_behind().into_iter();
        for function in behind.filter_map(|name| self.module.function(&name)) {
            reached.extend(select::named(function, stubs));
        }
        let all = self.module.functions().into_iter();
        for one in all.filter(|one| one.is_declaration() && reached.contains(one)) {
            let outside = self.is_outside(&one.name());
            if (outside || self.is_missing(&one.name()))
                && let Ok(prototype) = prototype::prototype(self.module, one)
            {
                builder.missing(one, prototype, (outside, &reached));
            }
        }
        builder.doubles(&reached);
        let functions = builder.functions_behind();
        let (own, others) = self.allocations.among(&named, builder.unit());
        let given = self.allocations.are_given(&functions);
        builder.failing(own || given, others, self.allocations.allocators());
        let mut entry = builder.finish();
        entry.frees |= functions.iter().any(|name| select::gives_back(name));
        self.name(&entry);
        Some((entry, prototype))
    }

    /// Fills the variables that a function can read: of the program, of devices, the error number.
    fn variables(
        &self,
        function: Value<'m>,
        named: &FxHashSet<Value<'m>>,
        builder: &mut Builder<'m, '_>,
    ) {
        let globals = self.request.bounds.globals;
        let registers = self.registers.iter();
        let registers: Vec<(Value<'m>, &Register)> = registers
            .filter_map(|one| Some((self.module.global(&one.name)?, one)))
            .filter(|(variable, one)| {
                let is_used = one.is_named || registers::have_one(named, &one.constants);
                named.contains(variable) && is_used
            })
            .collect();
        for variable in select::variables(self.module, function, named, globals) {
            if registers.iter().all(|(register, _)| *register != variable) {
                builder.global(self.module, variable);
            }
        }
        for (_, register) in registers {
            shape::registers::fill(builder, register);
        }
        if self.request.for_tests
            && globals != Globals::Initial
            && select::reads_error_number(function)
        {
            builder.error_number();
        }
    }

    /// Gives numbers to the variables and functions that a shape names.
    fn name(&mut self, entry: &Entry) {
        let all = entry.globals.iter().chain(&entry.parameters);
        let mut globals: Vec<String> = entry.globals.iter().map(|one| one.name.clone()).collect();
        for variable in all {
            name_functions(&variable.parts, &mut self.drivers.functions);
            for_choices(&variable.parts, &mut |choice| {
                if let Choice::Variable { name, .. } = choice {
                    globals.push(name.clone());
                }
            });
        }
        for name in globals {
            if !self.drivers.globals.contains(&name) {
                self.drivers.globals.push(name);
            }
        }
    }

    fn entry(&mut self, name: &str, stubs: &[String]) {
        let Some((entry, prototype)) = self.shape(name, stubs) else {
            return;
        };
        let (globals, functions) = (&self.drivers.globals, &self.drivers.functions);
        for double in &entry.doubles {
            let entries = self.drivers.unit.entries.iter();
            let mut known = entries.flat_map(|entry| &entry.doubles);
            if !known.any(|one| one.name == double.name) {
                let _ = write!(self.text, "\n{}", double.defined(""));
            }
        }
        let number = self.drivers.unit.entries.len();
        let is_first = self.drivers.unit.entries.iter().all(|one| !one.can_fail());
        if entry.can_fail() && is_first {
            self.text.push_str(&self.allocations.text());
        }
        let described = self.module.function(name);
        let described = described.and_then(|one| DebugNode::of_function(self.module, one));
        let begins = self.allocations.begins(described.and_then(DebugNode::unit));
        let text = driver::driver(
            number,
            &entry,
            &prototype,
            (globals, functions),
            &begins,
            self.request.for_tests,
        );
        self.text.push_str(&text);
        self.drivers.unit.entries.push(entry);
    }

    fn binder(&mut self, bound: &Bound) {
        let Some((entry, prototype)) = self.shape(&bound.function, &bound.stubs) else {
            return;
        };
        let (globals, functions) = (&self.drivers.globals, &self.drivers.functions);
        let number = self.drivers.binders.len();
        let switched = self.drivers.switched;
        let text = binder::binder(number, &entry, &prototype, (globals, functions), switched);
        self.text.push_str(&text);
        self.drivers.binders.push(entry);
    }

    fn stub(&mut self, name: &str) {
        let (function, prototype) = match self.prototype(name) {
            Ok(found) => found,
            Err(refusal) => return self.refuse(name, refusal),
        };
        let switched = self.drivers.switched && self.request.members.contains(name);
        if switched && prototype.variadic {
            let text = "... that a switch would hand on".to_owned();
            return self.refuse(name, Refusal::Type(text));
        }
        let bounds = Bounds {
            doubles: false,
            ..self.request.bounds
        };
        let builder = || {
            let mut builder = Builder::new(bounds, (self.candidates, self.uses), name);
            builder.source(self.module, function);
            builder
        };
        let (mut builder, mut returned) = (builder(), builder());
        let parameters = prototype.parameters.iter().enumerate();
        let outputs: Vec<_> = parameters
            .map(|(index, parameter)| match parameter.passed {
                prototype::Passed::Pointer => builder.output(index, parameter),
                _ => Vec::new(),
            })
            .collect();
        let mut parts = Vec::new();
        returned.stub(&prototype, &mut parts);
        let (entry, returned) = (builder.finish(), returned.finish());
        name_functions(&parts, &mut self.drivers.functions);
        let number = self.drivers.stubs.len();
        let functions = &self.drivers.functions;
        let result = stub::result(number, &returned, &prototype, &parts, functions);
        let result = self.shared(&prototype, result);
        let functions = &self.drivers.functions;
        let text = stub::stub(number, &entry, &prototype, &outputs, &result, functions);
        self.text.push_str(&text);
        if switched {
            self.text.push_str(&stub::switch(number, &prototype));
        }
        self.drivers.stubs.push(Stub {
            function: name.to_owned(),
            leaves: entry.leaves.into_iter().chain(returned.leaves).collect(),
            switched,
        });
    }

    /// The statements that make what a stub returns: those of a pointer, which may be long, are a
    /// function, one for all stubs that return the same.
    fn shared(&mut self, prototype: &Prototype<'m>, body: String) -> String {
        if prototype.result != POINTER {
            return body;
        }
        let next = self.results.len();
        let number = *self.results.entry(body).or_insert_with_key(|body| {
            let head = format!("static {POINTER} {RESULT}{next}(void)");
            let _ = write!(
                self.text,
                "\n/* What stubs return. */\n{head} {{\n{body}}}\n"
            );
            next
        });
        format!("  return {RESULT}{number}();\n")
    }

    /// Puts all together.
    fn finish(self) -> Drivers {
        let mut drivers = self.drivers;
        let mut text = PROLOGUE.to_owned();
        declare_variables(self.module, &drivers.globals, &mut text);
        for (number, name) in drivers.functions.iter().enumerate() {
            let _ = writeln!(text, "extern void {FUNCTION}{number}(void); /* {name} */");
        }
        text.push_str(&self.text);
        if drivers.unit.entries.is_empty() {
            drivers.text = text;
            return drivers;
        }
        text.push_str("\nint main(void) {\n");
        let named = self.request.for_tests && drivers.unit.entries.len() > 1;
        match drivers.unit.entries.len() {
            0 => {}
            _ if named || drivers.switched => {
                text = text.replace("int main(void)", "int main(int argc, char **argv)");
                for (number, entry) in drivers.unit.entries.iter().enumerate() {
                    let name = &entry.function;
                    let switches = self.request.switches(&drivers, name);
                    let _ = writeln!(
                        text,
                        "  if (argc > 1 && !__builtin_strcmp(argv[1], \"{name}\")) {{\n{switches}    \
                         {CALL}{number}();\n  }}"
                    );
                }
            }
            1 => text.push_str("  labrys_call_0();\n"),
            entries => {
                text.push_str(
                    "  unsigned short entry;\n  __labrys_object(&entry, 2, \"entry\", 1);\n  \
                     switch (entry) {\n",
                );
                for number in 0..entries {
                    let _ = writeln!(text, "  case {number}: {CALL}{number}(); break;");
                }
                text.push_str("  }\n");
            }
        }
        text.push_str("  return 0;\n}\n");
        drivers.text = text;
        drivers
    }
}

/// Declares the variables of the program that the text names by numbers.
fn declare_variables(module: &Module, names: &[String], text: &mut String) {
    for (number, name) in names.iter().enumerate() {
        if name == ERROR_NUMBER {
            let _ = writeln!(
                text,
                "extern int *__errno_location(void);\n\
                 #define {VARIABLE}{number} ((unsigned char *)__errno_location())"
            );
            continue;
        }
        let variable = module.global(name);
        let size = variable.map_or(1, |one| module.size_of(one.global_type()));
        let word = match variable.is_some_and(Value::is_thread_local) {
            true => "extern _Thread_local",
            false => "extern",
        };
        let _ = writeln!(
            text,
            "{word} unsigned char {VARIABLE}{number}[{size}]; /* {name} */"
        );
    }
}

/// Adds the functions that pointers may point to.
fn name_functions(parts: &[Part], functions: &mut Vec<String>) {
    for_choices(parts, &mut |choice| {
        if let Choice::Function(name) = choice
            && !functions.contains(name)
        {
            functions.push(name.clone());
        }
    });
}

/// Looks at all choices of pointers in parts.
fn for_choices(parts: &[Part], look: &mut dyn FnMut(&Choice)) {
    for part in parts {
        let Made::Pointer(pointer) = &part.made else {
            continue;
        };
        pointer.choices.iter().for_each(&mut *look);
        if let Some(object) = &pointer.object {
            for_choices(&object.parts, look);
        }
    }
}

/// Whether a function of a unit, by its name in the static program model, is one of the drivers.
#[must_use]
pub fn is_driver(function: &str) -> bool {
    let number = function.strip_prefix(CALL);
    function == "main"
        || function == allocations::FAILS
        || function.starts_with(registers::TRANSLATION)
        || number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The drivers of a unit with entries.
#[must_use]
pub fn drivers(module: &Module) -> Vec<Value<'_>> {
    let functions = module.functions().into_iter();
    functions
        .filter(|function| is_driver(&function.name()))
        .collect()
}

/// Gives the program's main function another name, so that the driver's is the only one.
pub fn rename_main(module: &Module) {
    if let Some(main) = module.function("main") {
        main.rename(MAIN_OF_PROGRAM);
        main.set_linkage(LLVMLinkage::LLVMInternalLinkage);
    }
}
