//! Synthetic C programs of a wanted size, in the manner of the subjects tp300 to tp10k of CarFast
//! (Park et al., FSE 2012): functions of nested decisions, loops and calls over a few integers
//! that are input. The same size and seed give the same program.

use std::fmt::Write as _;

/// Integers of input.
const INPUTS: u64 = 12;
/// Lines of one function, about.
const FUNCTION: usize = 40;
/// Decisions inside each other.
const NESTING: usize = 4;

/// A program of about so many lines.
pub(crate) fn program(lines: usize, seed: u64) -> String {
    let mut writer = Writer {
        text: String::from("#include <labrys.h>\n\nstatic int in[12];\n\n"),
        random: seed.wrapping_mul(2).wrapping_add(1),
        functions: 0,
        limit: 0,
    };
    while writer.lines() + 10 < lines {
        writer.function();
    }
    writer.main();
    writer.text
}

struct Writer {
    text: String,
    random: u64,
    functions: u64,
    /// The line where the function that is being written is to end.
    limit: usize,
}

impl Writer {
    fn lines(&self) -> usize {
        self.text.bytes().filter(|byte| *byte == b'\n').count()
    }

    /// A number below `n` (Marsaglia's xorshift).
    fn below(&mut self, n: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 11) % n
    }

    fn function(&mut self) {
        let _ = writeln!(
            self.text,
            "static int f{}(int a, int b) {{\n  int r = 0;",
            self.functions
        );
        self.limit = self.lines() + FUNCTION;
        while self.lines() < self.limit {
            self.statement(1);
        }
        self.text.push_str("  return r;\n}\n\n");
        self.functions += 1;
    }

    fn indent(&mut self, depth: usize) {
        self.text.extend(std::iter::repeat_n("  ", depth));
    }

    fn statement(&mut self, depth: usize) {
        let kind = if depth > NESTING { 0 } else { self.below(8) };
        self.indent(depth);
        match kind {
            0..=2 => self.assignment(),
            3 if self.functions > 0 => {
                let (callee, input) = (self.below(self.functions), self.below(INPUTS));
                let _ = writeln!(self.text, "r += f{callee}(b, in[{input}]) & 7;");
            }
            4 => {
                let (bound, index) = (2 + self.below(6), depth);
                let _ = writeln!(
                    self.text,
                    "for (int i{index} = 0; i{index} < (a & {bound}); i{index}++) {{"
                );
                self.block(depth);
            }
            _ => {
                let condition = self.condition();
                let _ = writeln!(self.text, "if ({condition}) {{");
                self.block(depth);
                if self.below(2) == 0 {
                    self.indent(depth);
                    self.text.push_str("else {\n");
                    self.block(depth);
                }
            }
        }
    }

    fn block(&mut self, depth: usize) {
        for _ in 0..1 + self.below(3) {
            self.statement(depth + 1);
        }
        self.indent(depth);
        self.text.push_str("}\n");
    }

    fn assignment(&mut self) {
        let value = self.value();
        let target = ["r", "a", "b"][self.below(3) as usize];
        let _ = writeln!(self.text, "{target} = {value};");
    }

    fn value(&mut self) -> String {
        let (input, number) = (self.below(INPUTS), self.below(1000));
        match self.below(5) {
            0 => format!("a + in[{input}]"),
            1 => format!("b - {number}"),
            2 => format!("in[{input}] ^ a"),
            3 => format!("r * 3 + {number}"),
            _ => format!("in[{input}] & {number}"),
        }
    }

    fn condition(&mut self) -> String {
        let (value, number) = (self.value(), self.below(2000));
        let relation = ["<", ">", "==", "!=", "<=", ">="][self.below(6) as usize];
        format!("({value}) {relation} {number}")
    }

    fn main(&mut self) {
        self.text.push_str("int main(void) {\n  int r = 0;\n");
        self.text
            .push_str("  labrys_symbolic(in, sizeof in, \"in\");\n");
        for function in 0..self.functions {
            let input = self.below(INPUTS);
            let _ = writeln!(
                self.text,
                "  if (in[{input}] & 1) r += f{function}(in[{input}], r);"
            );
        }
        self.text.push_str("  return r & 1;\n}\n");
    }
}

#[cfg(test)]
mod tests {
    use super::program;

    #[test]
    fn size_and_seed_decide() {
        for lines in [300, 3000] {
            let text = program(lines, 7);
            let written = text.lines().count();
            assert!(
                written >= lines - 60 && written <= lines + lines / 5,
                "{written}"
            );
            assert_eq!(text, program(lines, 7));
            assert_ne!(text, program(lines, 8));
            assert_eq!(text.matches('{').count(), text.matches('}').count());
        }
    }
}
