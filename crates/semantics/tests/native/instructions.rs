//! Instructions drawn at random, in the text form.

use std::fmt::Write as _;

use labrys_program::{BinaryOperator, Comparison, FloatComparison, FloatOperator};

use super::Random;

/// Widths of the integers.
const INTEGERS: [u32; 10] = [1, 8, 8, 16, 24, 32, 32, 33, 64, 128];
/// Name, result and parameters.
pub(super) const FUNCTIONS: [(&str, &str, &[&str]); 4] = [
    ("f0", "i32", &["i32", "i64", "double"]),
    ("f1", "i64", &["i64", "i8"]),
    ("f2", "double", &["double", "i32", "i128"]),
    ("f3", "void", &["i1"]),
];

/// A value.
#[derive(Clone, PartialEq)]
pub(super) struct DefinedValue {
    pub(super) ty: String,
    pub(super) name: String,
}

/// A function under construction.
pub(super) struct Function<'r> {
    pub(super) random: &'r mut Random,
    pub(super) text: String,
    pub(super) next: usize,
    /// Values that each block defines.
    pub(super) defined: Vec<Vec<DefinedValue>>,
    /// What may be used in the block under construction.
    pub(super) usable: Vec<DefinedValue>,
    pub(super) block: usize,
}

pub(super) fn constant(random: &mut Random, ty: &str) -> String {
    match ty {
        "ptr" => random
            .pick(&["@g0", "@g1", "null", "@text", "offset(@g0, 8)", "@f1"])
            .to_owned(),
        "double" => {
            let numbers = [0.0, -0.0, 1.5, -2.25, 1e300, 7.0, f64::NAN, f64::INFINITY];
            format!("double 0x{:016x}", random.pick(&numbers).to_bits())
        }
        "float" => {
            let numbers = [0.0, 1.5, -2.25, 1e30, f32::NAN];
            format!("float 0x{:08x}", random.pick(&numbers).to_bits())
        }
        "a0" | "a1" => format!("zero {ty}"),
        "i1" => format!("i1 {}", random.below(2)),
        _ if random.one_in(30) => format!("undef {ty}"),
        _ => {
            let width: u32 = ty[1..].parse().expect("an integer type");
            let edge = 1i128 << (width - 2);
            let small = random.below(40) as i128 - 8;
            let number = random.pick(&[small, small, small, edge, -edge, 0, 1, -1]);
            let number = number.clamp(-edge, edge);
            format!("{ty} {number}")
        }
    }
}

impl Function<'_> {
    pub(super) fn operand(&mut self, ty: &str) -> String {
        let usable = self.usable.iter().filter(|known| known.ty == ty);
        let usable: Vec<String> = usable.map(|known| known.name.clone()).collect();
        if usable.is_empty() || self.random.one_in(4) {
            return constant(self.random, ty);
        }
        // What was made last is likely to be looked at.
        let last = usable.len() - 1;
        let near = last - self.random.below(usable.len().min(4));
        let any = self.random.below(usable.len());
        usable[self.random.pick(&[near, any])].clone()
    }

    pub(super) fn define(&mut self, ty: &str, operation: &str) -> String {
        let name = format!("v{}", self.next);
        self.next += 1;
        let _ = writeln!(self.text, "  {name}: {ty} = {operation}");
        let known = DefinedValue {
            ty: ty.to_owned(),
            name: name.clone(),
        };
        self.defined[self.block].push(known.clone());
        self.usable.push(known);
        name
    }

    fn integer(&mut self) -> String {
        let integers = self.usable.iter().filter(|known| known.ty.starts_with('i'));
        let types: Vec<String> = integers.map(|known| known.ty.clone()).collect();
        if types.is_empty() || self.random.one_in(5) {
            return format!("i{}", self.random.pick(&INTEGERS));
        }
        types[self.random.below(types.len())].clone()
    }

    pub(super) fn any_type(&mut self) -> String {
        match self.random.below(8) {
            0 => "double".to_owned(),
            1 => "float".to_owned(),
            2 => "ptr".to_owned(),
            _ => self.integer(),
        }
    }

    fn pair(&mut self, ty: &str) -> String {
        let (left, right) = (self.operand(ty), self.operand(ty));
        format!("{left}, {right}")
    }

    fn place(&mut self) -> String {
        if self.random.one_in(12) {
            return self.operand("ptr");
        }
        let index = self.operand("i32");
        let index = match self.random.below(8) {
            0 => index,
            _ => self.define("i32", &format!("and {index}, i32 7")),
        };
        let base = self.random.pick(&["@g0", "@g0", "@g1", "@text"]);
        let scale = self.random.pick(&[1, 4, 8]);
        self.define("ptr", &format!("address {base}, 0, {index} * {scale}"))
    }

    pub(super) fn instruction(&mut self) {
        match self.random.below(30) {
            0..=7 => {
                let ty = self.integer();
                let operator = self.random.pick(BinaryOperator::ALL).name();
                let pair = self.pair(&ty);
                self.define(&ty, &format!("{operator} {pair}"));
            }
            8..=10 => {
                let ty = self.integer();
                let comparison = self.random.pick(Comparison::ALL).name();
                let pair = self.pair(&ty);
                self.define("i1", &format!("icmp {comparison} {pair}"));
            }
            11 | 12 => {
                let ty = self.random.pick(&["double", "float"]);
                let operator = self.random.pick(FloatOperator::ALL).name();
                let pair = self.pair(ty);
                self.define(ty, &format!("{operator} {pair}"));
            }
            13 => {
                let ty = self.random.pick(&["double", "float"]);
                let comparison = self.random.pick(FloatComparison::ALL).name();
                let pair = self.pair(ty);
                self.define("i1", &format!("fcmp {comparison} {pair}"));
            }
            14..=16 => self.cast(),
            17 => {
                let ty = self.any_type();
                let condition = self.operand("i1");
                let pair = self.pair(&ty);
                self.define(&ty, &format!("select {condition}, {pair}"));
            }
            18..=20 => {
                let ty = self.any_type();
                let place = self.place();
                let size = size(&ty);
                self.define(&ty, &format!("load {size}, {place}"));
            }
            21..=23 => {
                let ty = self.any_type();
                let (place, value) = (self.place(), self.operand(&ty));
                let size = size(&ty);
                let _ = writeln!(self.text, "  store {size}, {place}, {value}");
            }
            24 | 25 => self.intrinsic(),
            26 => {
                let count = self.random.below(5);
                self.define("ptr", &format!("alloca 8, i32 {count}, align 8"));
            }
            27 => self.library(),
            _ => self.call(),
        }
    }

    fn cast(&mut self) {
        let from = self.integer();
        let to = self.integer();
        let value = self.operand(&from);
        let (a, b): (u32, u32) = (number(&from), number(&to));
        match self.random.below(5) {
            0 if a < b => self.define(&to, &format!("zext {value}")),
            1 if a < b => self.define(&to, &format!("sext {value}")),
            _ if a > b => self.define(&to, &format!("trunc {value}")),
            2 => {
                let cast = self.random.pick(&["sitofp", "uitofp"]);
                let float = self.random.pick(&["double", "float"]);
                self.define(float, &format!("{cast} {value}"))
            }
            3 => {
                let cast = self.random.pick(&["fptosi", "fptoui"]);
                let ty = self.random.pick(&["double", "float"]);
                let float = self.operand(ty);
                self.define(&to, &format!("{cast} {float}"))
            }
            _ => {
                let value = self.operand("double");
                self.define("i64", &format!("bitcast {value}"))
            }
        };
    }

    fn intrinsic(&mut self) {
        let ty = self.random.pick(&["i8", "i32", "i64"]);
        let pair = self.pair(ty);
        let one = self.operand(ty);
        match self.random.below(9) {
            0 => {
                let name = self.random.pick(&["sadd", "usub", "smul", "umul"]);
                let pair = self.pair("i32");
                let of = format!("intrinsic {name}.with.overflow({pair})");
                let whole = self.define("a0", &of);
                self.define("i32", &format!("extract {whole} [0]"));
                self.define("i1", &format!("extract {whole} [1]"));
            }
            1 => {
                let pair = self.pair("i64");
                let of = format!("intrinsic smul.with.overflow({pair})");
                let whole = self.define("a1", &of);
                self.define("i64", &format!("extract {whole} [0]"));
            }
            2 => {
                let name = self.random.pick(&["ctlz", "cttz", "abs"]);
                self.define(ty, &format!("intrinsic {name}({one}, i1 0)"));
            }
            3 => {
                self.define(ty, &format!("intrinsic ctpop({one})"));
            }
            4 => {
                let name = self.random.pick(&["fshl", "fshr"]);
                self.define(ty, &format!("intrinsic {name}({pair}, {one})"));
            }
            5 => {
                let name = self.random.pick(&["smin", "umax", "uadd.sat", "ssub.sat"]);
                self.define(ty, &format!("intrinsic {name}({pair})"));
            }
            6 => {
                let name = self.random.pick(&["floor", "sqrt", "round", "fabs", "sin"]);
                let value = self.operand("double");
                self.define("double", &format!("intrinsic {name}({value})"));
            }
            7 => {
                let whole = self.operand("a0");
                let value = self.operand("i32");
                self.define("a0", &format!("insert {whole}, {value} [0]"));
            }
            _ => {
                let (to, byte) = (self.place(), self.operand("i8"));
                let line = format!("  intrinsic memset({to}, {byte}, i64 5, i1 0)");
                let _ = writeln!(self.text, "{line}");
            }
        }
    }

    fn library(&mut self) {
        match self.random.below(7) {
            0 | 1 => {
                let place = self.place();
                let line = format!("  call @labrys_symbolic({place}, i64 4, @text)");
                let _ = writeln!(self.text, "{line}");
            }
            2 => {
                let truth = self.operand("i1");
                let number = self.define("i32", &format!("zext {truth}"));
                let _ = writeln!(self.text, "  call @labrys_assume({number})");
            }
            3 => {
                self.define("i64", "call @strlen(@text)");
            }
            4 => {
                self.define("ptr", "call @malloc(i64 16)");
            }
            5 => {
                let _ = self.define("i32", "call variadic @printf(@text)");
                // Its value is used by chance alone, and rarely.
                if !self.random.one_in(4) {
                    self.usable.pop();
                    self.defined[self.block].pop();
                }
            }
            _ => {
                let value = self.operand("double");
                self.define("double", &format!("call @sin({value})"));
            }
        }
    }

    fn call(&mut self) {
        let (name, result, parameters) = self.random.pick(&FUNCTIONS);
        let arguments: Vec<String> = parameters.iter().map(|ty| self.operand(ty)).collect();
        let mut callee = format!("@{name}");
        if self.random.one_in(4) {
            callee = format!(
                "*{}",
                self.random
                    .pick(&["@f1", "@f0", "@printf", callee.as_str()])
            );
        }
        let call = format!("call {callee}({})", arguments.join(", "));
        match result {
            "void" => {
                let _ = writeln!(self.text, "  {call}");
            }
            _ => {
                self.define(result, &call);
            }
        }
    }
}

fn number(ty: &str) -> u32 {
    ty[1..].parse().unwrap_or(0)
}

fn size(ty: &str) -> u32 {
    match ty {
        "double" | "ptr" => 8,
        "float" => 4,
        _ => number(ty).div_ceil(8),
    }
}
