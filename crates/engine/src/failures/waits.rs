//! Loops that wait for what is outside of the program.
//!
//! A volatile object may be the register of a device, or what the handler of an interrupt writes. In a
//! run nobody changes it, so a loop that ends when somebody does has no end there. That is no failure
//! of the program.
//!
//! A run waits if a way out of a loop around its place depends on what the loop reads from a volatile
//! object, by itself or by a function that it calls. The innermost function of the stack with a loop
//! around the place decides: what is around that may wait for something else.

use labrys_executor::Frame;
use labrys_program::graph::{Digraph, Dominators};
use labrys_program::{
    Access, Block, Callee, Function, FunctionId, Opaque, Operand, Operation, Program, Terminator,
    ValueId,
};
use rustc_hash::FxHashSet;

/// The calls around the loop in which a run with this stack, innermost first, waits; `None` if it does
/// not wait.
pub(super) fn waiting<'f>(program: &Program, stack: &'f [Frame]) -> Option<&'f [Frame]> {
    let mut around = stack.iter().enumerate().filter_map(|(index, frame)| {
        let function = program.function(program.function_named(&frame.function)?)?;
        let loops = loops_around(function, frame.line);
        (!loops.is_empty()).then_some((index, function, loops))
    });
    let (index, function, loops) = around.next()?;
    let mut loops = loops.into_iter();
    let waits = loops.any(|body| Waiting::new(program, function, &body).has_way_out_from_outside());
    waits.then(|| &stack[index..])
}

/// The blocks of each natural loop that has code of a line; of line 0, which code has that the compiler
/// added, each loop.
fn loops_around(function: &Function, line: u32) -> Vec<FxHashSet<u32>> {
    let graph = Digraph::of_function(function);
    let dominators = Dominators::new(&graph, 0);
    let stands = |block: &u32| line == 0 || has_line(&function.blocks[*block as usize], line);
    let mut headers: Vec<u32> = graph.edges().map(|(_, to)| to).collect();
    headers.sort_unstable();
    headers.dedup();
    let bodies = headers.into_iter().map(|header| {
        let latches = graph.predecessors(header).iter().copied();
        let mut open: Vec<u32> = latches
            .filter(|latch| dominators.dominates(header, *latch))
            .collect();
        let mut body = FxHashSet::default();
        body.extend((!open.is_empty()).then_some(header));
        while let Some(block) = open.pop() {
            if body.insert(block) {
                open.extend(graph.predecessors(block));
            }
        }
        body
    });
    bodies.filter(|body| body.iter().any(stands)).collect()
}

/// A loop, and what of its values was looked at.
struct Waiting<'p> {
    program: &'p Program,
    function: &'p Function,
    body: &'p FxHashSet<u32>,
    seen: FxHashSet<ValueId>,
    open: Vec<Operand>,
}

impl<'p> Waiting<'p> {
    fn new(program: &'p Program, function: &'p Function, body: &'p FxHashSet<u32>) -> Self {
        Waiting {
            program,
            function,
            body,
            seen: FxHashSet::default(),
            open: Vec::new(),
        }
    }

    fn blocks(&self) -> impl Iterator<Item = &'p Block> + use<'p> {
        let (function, body) = (self.function, self.body);
        let blocks = function.blocks();
        let own = blocks.filter(move |(id, _)| body.contains(&id.0));
        own.map(|(_, block)| block)
    }

    /// Whether a way out depends on a volatile object.
    fn has_way_out_from_outside(mut self) -> bool {
        let leaves = |end: &Terminator| {
            let mut to = end.successors().into_iter();
            to.any(|block| !self.body.contains(&block.0))
        };
        let ends = self.blocks().map(|block| &block.terminator);
        for end in ends.filter(|end| leaves(end)).collect::<Vec<_>>() {
            end.visit_operands(&mut |operand| self.open.push(operand));
        }
        while let Some(operand) = self.open.pop() {
            if let Operand::Value(value) = operand
                && self.seen.insert(value)
                && self.is_from_outside(value)
            {
                return true;
            }
        }
        false
    }

    /// Whether a value of the loop is read from a volatile object; else what it depends on is open.
    fn is_from_outside(&mut self, value: ValueId) -> bool {
        for block in self.blocks() {
            if let Some(phi) = block.phis.iter().find(|phi| phi.result == value) {
                for (from, operand) in &phi.incoming {
                    self.open.push(*operand);
                    if let Some(from) = self
                        .function
                        .block(*from)
                        .filter(|_| self.body.contains(&from.0))
                    {
                        let open = &mut self.open;
                        from.terminator
                            .visit_operands(&mut |operand| open.push(operand));
                    }
                }
            }
            let mut own = block.instructions.iter();
            if let Some(instruction) = own.find(|one| one.result == Some(value)) {
                return self.reads(&instruction.operation);
            }
        }
        false
    }

    fn reads(&mut self, operation: &Operation) -> bool {
        match operation {
            operation if is_volatile(self.function, operation) => true,
            Operation::Load { address, .. } => self.open_stored(*address),
            Operation::Call {
                callee: Callee::Direct(callee),
                ..
            } if reads_volatile(self.program, *callee) => true,
            _ => {
                operation.visit_operands(&mut |operand| self.open.push(operand));
                false
            }
        }
    }

    /// Opens what the loop stores at an address; whether a call that has it reads a volatile object.
    fn open_stored(&mut self, at: Operand) -> bool {
        let instructions = self.blocks().flat_map(|block| &block.instructions);
        for instruction in instructions {
            match &instruction.operation {
                Operation::Store { address, value, .. } if *address == at => self.open.push(*value),
                Operation::Call {
                    callee: Callee::Direct(callee),
                    arguments,
                    ..
                } if arguments.contains(&at) && reads_volatile(self.program, *callee) => {
                    return true;
                }
                _ => {}
            }
        }
        false
    }
}

/// Whether code of a line is in a block.
fn has_line(block: &Block, line: u32) -> bool {
    let places = block.instructions.iter().map(|one| one.location);
    let mut places = places.chain([block.location]).flatten();
    places.any(|place| place.line == line)
}

/// Whether an operation reads a volatile object that others know. In parts of programs it is opaque.
fn is_volatile(function: &Function, operation: &Operation) -> bool {
    match operation {
        Operation::Load {
            address,
            access: Access::Volatile,
            ..
        } => !is_local(function, *address),
        Operation::Opaque {
            reason: Opaque::Volatile,
            ..
        } => true,
        _ => false,
    }
}

/// Whether an address is that of a variable of the call, which nothing outside knows.
fn is_local(function: &Function, address: Operand) -> bool {
    let mut instructions = function.blocks.iter().flat_map(|block| &block.instructions);
    let Operand::Value(address) = address else {
        return false;
    };
    let made = instructions.find(|one| one.result == Some(address));
    made.is_some_and(|made| matches!(made.operation, Operation::Allocate { .. }))
}

/// Whether a function, or one that it calls, uses what it reads from a volatile object.
fn reads_volatile(program: &Program, first: FunctionId) -> bool {
    let (mut seen, mut open) = (FxHashSet::default(), vec![first]);
    while let Some(id) = open.pop() {
        let Some(function) = program.function(id).filter(|_| seen.insert(id)) else {
            continue;
        };
        let (mut used, mut read) = (FxHashSet::default(), Vec::new());
        let mut note = |operand| {
            used.insert(operand);
        };
        for block in &function.blocks {
            block.terminator.visit_operands(&mut note);
            let incoming = block.phis.iter().flat_map(|phi| &phi.incoming);
            incoming.for_each(|(_, operand)| note(*operand));
            for instruction in &block.instructions {
                instruction.operation.visit_operands(&mut note);
                match &instruction.operation {
                    operation if is_volatile(function, operation) => {
                        read.extend(instruction.result);
                    }
                    Operation::Call {
                        callee: Callee::Direct(callee),
                        ..
                    } => open.push(*callee),
                    _ => {}
                }
            }
        }
        // A read that nobody uses may have been made volatile to be kept.
        if read
            .into_iter()
            .any(|value| used.contains(&Operand::Value(value)))
        {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A function `f` with a loop at line 3, and one that it calls.
    fn waits_in(body: &str) -> bool {
        let text = format!(
            "file \"/a.c\"\nglobal @register external 4 align 4\n\
             define i32 @status() external {{\nb0:\n\
             v0: i32 = load volatile 4, @register\nret v0\n}}\n\
             define void @f(ptr v0, i32 v1) external !0:1:1 {{\n{body}}}\n"
        );
        let program: Program = text.parse().expect("a program");
        let frame = |function: &str, line| Frame {
            function: function.to_owned(),
            file: Some("/a.c".to_owned()),
            line,
            column: 1,
        };
        let called = |line| [frame("unknown", 9), frame("f", line)];
        assert_eq!(waiting(&program, &called(7)), None, "there is no loop");
        let (unknown, stack) = (called(0), called(3));
        let is_known = waiting(&program, &unknown).is_some();
        assert_eq!(is_known, waiting(&program, &stack).is_some());
        let waits = waiting(&program, &stack);
        assert!(waits.is_none_or(|calls| calls == &stack[1..]));
        waits.is_some()
    }

    #[test]
    fn a_loop_waits_if_a_volatile_object_ends_it() {
        let busy = |kind: &str, address: &str| {
            waits_in(&format!(
                "b0:\nv2: ptr = alloca 4, i32 1, align 4\njump b1\n\
                 b1:\nv3: i32 = load {kind}4, {address} !0:3:1\n\
                 v4: i1 = icmp eq v3, v1 !0:3:2\nbr v4, b1, b2 !0:3:3\nb2:\nret !0:7:1\n"
            ))
        };
        assert!(busy("volatile ", "v0") && busy("volatile ", "@register"));
        assert!(waits_in(
            "b0:\njump b1\nb1:\nv2: i32 = opaque volatile (v0) !0:3:1\n\
             v3: i1 = icmp eq v2, v1 !0:3:2\nbr v3, b1, b2 !0:3:3\nb2:\nret !0:7:1\n"
        ));
        assert!(!busy("", "v0"));
        assert!(!busy("volatile ", "v2"), "nobody else knows the variable");
    }

    #[test]
    fn what_it_calls_may_read_the_object() {
        assert!(waits_in(
            "b0:\njump b1\nb1:\nv2: i32 = call @status() !0:3:1\n\
             v3: i1 = icmp eq v2, i32 0 !0:3:2\nbr v3, b1, b2 !0:3:3\nb2:\nret !0:7:1\n"
        ));
    }

    #[test]
    fn a_loop_that_only_looks_at_the_object_has_no_end() {
        assert!(!waits_in(
            "b0:\njump b1\nb1:\nv2: i32 = load volatile 4, @register !0:3:1\n\
             store volatile 4, @register, v2 !0:3:1\n\
             v3: i1 = icmp eq v1, i32 0 !0:3:2\nbr v3, b1, b2 !0:3:3\nb2:\nret !0:7:1\n"
        ));
    }
}
