//! Units: functions as entries, each called by a driver with inputs made for its parameters.
//!
//! A driver is a small C program. It makes an input of each number that the function takes, and
//! for each pointer an object, filled with input, and a null pointer as the other possibility;
//! pointers inside the object likewise, down to a bound. The types of the bitcode say what the
//! parameters are, and the debug information what pointers point to.
//!
//! There is no decision in a driver but those between null and an object: all objects are made
//! first, in one order, so each input has the same place in every run.
//!
//! Invariant: each value that the driver can pass is one that C code could pass;
//! [`Bounds::assumptions`] names what it cannot pass.

mod shape;
mod text;

use std::fmt;

use labrys_llvm::{LLVMLinkage, Module, Value};

use text::{ENTRY, VARIABLE};

/// The bounds of what a driver makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Elements of an array behind a pointer to numbers or characters.
    pub elements: u64,
    /// Pointers that follow one another; those beyond are null.
    pub depth: u32,
    /// Whether global variables without pointers hold anything at the call, instead of what they
    /// hold when the program begins.
    pub any_globals: bool,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds {
            elements: 8,
            depth: 3,
            any_globals: false,
        }
    }
}

impl Bounds {
    /// The assumptions of a proof that is made with such drivers.
    #[must_use]
    pub fn assumptions(&self) -> Vec<String> {
        vec![
            format!(
                "a pointer is null, or points to an object of its own: one structure, {0} \
                 numbers, or a string of less than {0} characters",
                self.elements
            ),
            format!(
                "pointers are null behind {} others, in unions, and where they point to functions, \
                 streams or types that are not known",
                self.depth
            ),
            match self.any_globals {
                true => "global variables hold anything, those with pointers what they hold when \
                         the program begins"
                    .to_owned(),
                false => "global variables hold what they hold when the program begins".to_owned(),
            },
        ]
    }
}

/// What an input object stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Bytes of no known type.
    Bytes,
    /// A number without sign.
    Unsigned,
    /// A number with a sign.
    Signed,
    /// A floating number.
    Float,
    /// A string with its final zero.
    Text,
    /// If its lowest bit is set, the pointer of the object before the next one is null.
    Null,
}

impl Content {
    /// The number of the type in records of a run (`labrys_abi::Event::aux`).
    fn number(self) -> u32 {
        match self {
            Content::Bytes | Content::Text => 0,
            Content::Unsigned | Content::Null => 1,
            Content::Signed => 2,
            Content::Float => 3,
        }
    }
}

/// An input object of a driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The parameter, member or variable that it fills.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// What they stand for.
    pub content: Content,
}

/// A function with a driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name in the static program model.
    pub function: String,
    /// The inputs in order.
    pub slots: Vec<Slot>,
}

/// Drivers of some functions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unit {
    /// The functions; with more than one, an input of two bytes before all others is the number
    /// of the one that is called.
    pub entries: Vec<Entry>,
    /// Variables that are filled before the call.
    pub variables: Vec<Slot>,
    /// Functions that have no driver, and why.
    pub left_out: Vec<(String, Refusal)>,
    /// The drivers in C.
    pub text: String,
}

/// Why a function has no driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is no such function, or only its declaration.
    Undefined,
    /// Values of a type cannot be passed by a driver.
    Type(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Undefined => f.write_str("the program does not define it"),
            Refusal::Type(ty) => write!(f, "a driver cannot pass or take values of type {ty}"),
        }
    }
}

/// Writes drivers for functions of frozen bitcode; `globals` names variables that hold anything.
pub fn describe(module: &Module, functions: &[String], globals: &[String], bounds: Bounds) -> Unit {
    let mut unit = Unit::default();
    let mut writer = text::Writer::new(bounds);
    let variables = globals.iter().filter_map(|name| module.global(name));
    for (number, variable) in variables.enumerate() {
        let size = module.size_of(variable.global_type());
        let slot = writer.variable(number, &variable.name(), size);
        unit.variables.push(slot);
    }
    for name in functions {
        let function = module.function(name).filter(|f| !f.is_declaration());
        let signature = match function {
            Some(function) => shape::signature(module, function).map_err(Refusal::Type),
            None => Err(Refusal::Undefined),
        };
        match signature {
            Ok(signature) => {
                let slots = writer.entry(unit.entries.len(), name, &signature);
                unit.entries.push(Entry {
                    function: name.clone(),
                    slots,
                });
            }
            Err(refusal) => unit.left_out.push((name.clone(), refusal)),
        }
    }
    unit.text = writer.finish(unit.entries.len());
    unit
}

/// Makes the drivers' declarations of functions and variables the program's own, after linking.
pub fn connect(module: &Module, entries: &[Entry], globals: &[String]) {
    for (number, entry) in entries.iter().enumerate() {
        let declared = module.function(&format!("{ENTRY}{number}"));
        let (Some(declared), Some(function)) = (declared, module.function(&entry.function)) else {
            continue;
        };
        declared.replace_uses(function);
        declared.delete_function();
    }
    for (number, name) in globals.iter().enumerate() {
        let declared = module.global(&format!("{VARIABLE}{number}"));
        let (Some(declared), Some(variable)) = (declared, module.global(name)) else {
            continue;
        };
        declared.replace_uses(variable);
        declared.delete_global();
    }
}

/// Gives the program's main function another name, so that the driver's is the only one.
pub fn rename_main(module: &Module) {
    if let Some(main) = module.function("main") {
        main.rename("labrys_main_of_program");
        main.set_linkage(LLVMLinkage::LLVMInternalLinkage);
    }
}

/// The variables that drivers may fill: written by the program, of a size that is not large,
/// without pointers.
pub fn fillable(module: &Module) -> Vec<String> {
    /// Bytes of a variable that is worth an input.
    const LARGEST: u64 = 256;
    let plain = |variable: &Value<'_>| {
        let ty = variable.global_type();
        let own = !variable.is_declaration() && !variable.is_constant_global();
        own && ty.is_sized()
            && (1..=LARGEST).contains(&module.size_of(ty))
            && shape::is_plain(ty)
            && !variable.name().is_empty()
            && !variable.is_thread_local()
    };
    let variables = module.globals().into_iter().filter(plain);
    variables.map(Value::name).collect()
}
