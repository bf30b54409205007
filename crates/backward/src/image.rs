//! What backward execution asks of the static picture again and again.
//!
//! Laws: the value of an operation without effects, where its definition dominates, is the
//! operation on the operands' values at the same place (no definition can be passed in between
//! without passing the value's own); so only phis, loads, calls and the like need a symbol.

use labrys_program::graph::{Call, CallGraph, Digraph, Dominators};
use labrys_program::{
    BlockId, Callee, Function, FunctionId, Global, Instruction, Operand, Operation, Program,
    ValueId,
};
use labrys_semantics::{CharacterTable, character_table};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::cells::Cells;
use crate::effects::Effects;
use crate::escape;
use crate::numbers::Picture;
use crate::outside::Outside;
use crate::pointed::Sources;

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Definition {
    Parameter,
    Phi(BlockId),
    Instruction(BlockId, usize),
}

/// A natural loop.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    /// Its blocks, the header included.
    pub(crate) blocks: FxHashSet<BlockId>,
    /// The blocks from which control goes back to the header.
    pub(crate) latches: Vec<BlockId>,
}

/// A function with its analyses.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) definitions: Vec<Definition>,
    /// Each block once per predecessor.
    pub(crate) predecessors: Vec<Vec<BlockId>>,
    pub(crate) successors: Vec<Vec<BlockId>>,
    pub(crate) dominators: Dominators,
    /// Natural loops by header.
    pub(crate) loops: FxHashMap<BlockId, Loop>,
    /// Whether a cycle has more than one entry, so that some cycle is no natural loop.
    pub(crate) irreducible: bool,
    /// Blocks from the entry, at least.
    pub(crate) rank: Vec<u32>,
    /// Stack objects whose address stays in the function, made once per frame.
    pub(crate) private: FxHashSet<ValueId>,
    /// Stack objects made in the entry block.
    pub(crate) fixed: FxHashSet<ValueId>,
}

/// The program with the analyses of its functions.
#[derive(Debug)]
pub struct Image<'p> {
    pub(crate) program: &'p Program,
    /// None for functions that are not defined here.
    bodies: Vec<Option<Body>>,
    /// Where values come from.
    sources: Vec<Sources<'p>>,
    pub(crate) calls: CallGraph,
    pub(crate) effects: Vec<Effects>,
    /// What code does that is not in the picture.
    pub(crate) outside: Effects,
    /// What may happen between any two instructions, because of a signal.
    pub(crate) interference: Effects,
    /// By function: whether that code may call it.
    pub(crate) called_from_outside: Vec<bool>,
    /// Globals whose address the program keeps or passes on.
    pub(crate) shared: Vec<bool>,
    /// Globals that hold few numbers.
    pub(crate) cells: Cells,
    /// By function: calls from the entry, at least; the maximum where none lead there.
    pub(crate) depths: Vec<u32>,
    /// Why a proof cannot be given for this program, whatever the search finds.
    pub(crate) obstacles: Vec<String>,
    /// Whether something runs before `main`, so that variables do not begin as written.
    pub(crate) constructors: bool,
    /// Whether characters may be classed otherwise than in the C locale.
    pub(crate) sets_locale: bool,
}

impl<'p> Image<'p> {
    /// Analyses a program.
    #[must_use]
    pub fn new(program: &'p Program, entry: FunctionId) -> Self {
        let bodies = program
            .functions
            .iter()
            .map(|function| {
                let defined = !function.blocks.is_empty();
                defined.then(|| Body::new(program, function))
            })
            .collect();
        let calls = CallGraph::new(program);
        let code_outside = Outside::of(program);
        let sources: Vec<Sources<'p>> = program
            .functions
            .iter()
            .map(|function| Sources::of(program, function))
            .collect();
        let (effects, outside) = Effects::of(program, &sources, &calls, &code_outside.calls);
        let depths = depths(program, &calls, entry, &code_outside.calls);
        let named = |name: &str| program.functions.iter().any(|one| one.name == name);
        let mut obstacles = Vec::new();
        if named("_setjmp") || named("setjmp") || named("__sigsetjmp") || named("sigsetjmp") {
            obstacles.push("the program calls setjmp".to_owned());
        }
        if named("pthread_create") || named("thrd_create") || named("fork") || named("vfork") {
            obstacles.push("the program starts threads or processes".to_owned());
        }
        if named("fopencookie") {
            obstacles.push("the program has streams of its own".to_owned());
        }
        if program.globals.iter().any(holds_counting_format) {
            obstacles.push("a format of the program has %n".to_owned());
        }
        if program.globals.iter().any(is_bound_of_section) {
            obstacles.push("the program walks over its sections".to_owned());
        }
        if ROUNDING.iter().any(|name| named(name)) {
            obstacles.push("the program changes how floats are rounded".to_owned());
        }
        if named("dlsym") {
            obstacles.push("the program looks functions up by name".to_owned());
        }
        let interference = code_outside.interference(program, &effects);
        if interference.inputs {
            obstacles.push("a signal handler asks for input".to_owned());
        }
        let constructors = program.global_named("llvm.global_ctors").is_some();
        if constructors {
            obstacles.push("code runs before main".to_owned());
        }
        let cells = Cells::of(&Picture {
            program,
            calls: &calls,
            open: &code_outside.calls,
        });
        Image {
            program,
            bodies,
            cells,
            sources,
            calls,
            effects,
            outside,
            called_from_outside: code_outside.calls,
            interference,
            depths,
            shared: escape::shared_globals(program),
            obstacles,
            constructors,
            sets_locale: named("setlocale") || named("uselocale"),
        }
    }

    /// The table of characters that a function gives the address of the address of.
    pub(crate) fn characters(&self, function: &str) -> Option<&'static CharacterTable> {
        character_table(function).filter(|_| !self.sets_locale)
    }

    /// The analyses of a function that is defined.
    pub(crate) fn body(&self, id: FunctionId) -> &Body {
        let body = self.bodies[id.index()].as_ref();
        body.expect("a path goes through defined functions only")
    }

    pub(crate) fn function(&self, id: FunctionId) -> &'p Function {
        &self.program.functions[id.index()]
    }

    pub(crate) fn sources(&self, id: FunctionId) -> &Sources<'p> {
        &self.sources[id.index()]
    }

    pub(crate) fn effects(&self, id: FunctionId) -> &Effects {
        &self.effects[id.index()]
    }

    /// Whether a call may run code that is not in the picture, of which nothing is known.
    pub(crate) fn leaves_picture(&self, call: &Call) -> bool {
        let instruction = call.instruction as usize;
        let block = &self.function(call.function).blocks[call.block.index()];
        let operation = &block.instructions[instruction].operation;
        // What library functions do is known by their names.
        let direct = matches!(
            operation,
            Operation::Call {
                callee: Callee::Direct(_),
                ..
            }
        );
        call.open && !direct
    }

    /// The call at a place of a function.
    pub(crate) fn call_at(&self, caller: FunctionId, place: (BlockId, usize)) -> Option<&Call> {
        let mut calls = self.calls.calls_in(caller).iter();
        calls.find(|call| (call.block, call.instruction as usize) == place)
    }

    /// The effects of a call of a library function: its own, and those of what it is given to
    /// call, before and after any one of these.
    pub(crate) fn effects_of_call(
        &self,
        caller: FunctionId,
        place: (BlockId, usize),
        callee: FunctionId,
    ) -> Effects {
        let mut effects = self.effects(callee).unplaced();
        let call = self.call_at(caller, place);
        for id in call.map_or(&[][..], |call| self.calls.callees(call)) {
            if *id != callee {
                effects.absorb(&self.effects(*id).unplaced(), false);
            }
        }
        effects
    }

    /// The instruction that defines a value.
    pub(crate) fn defining(&self, id: FunctionId, value: ValueId) -> Option<&'p Instruction> {
        let Definition::Instruction(block, index) = self.body(id).definitions[value.index()] else {
            return None;
        };
        self.function(id).block(block)?.instructions.get(index)
    }
}

impl Body {
    fn new(program: &Program, function: &Function) -> Self {
        let graph = Digraph::of_function(function);
        let mut successors = Vec::new();
        let mut predecessors = vec![Vec::new(); function.blocks.len()];
        for (id, block) in function.blocks() {
            let mut next = block.terminator.successors();
            next.sort();
            next.dedup();
            for to in &next {
                predecessors[to.index()].push(id);
            }
            successors.push(next);
        }
        let dominators = Dominators::new(&graph, 0);
        for (index, from) in predecessors.iter_mut().enumerate() {
            from.retain(|block| dominators.reachable(block.0));
            debug_assert!(index < function.blocks.len());
        }
        let (loops, irreducible) = natural_loops(&graph, &dominators, &predecessors);
        let fixed = fixed_objects(function);
        Body {
            definitions: definitions(function),
            rank: ranks(&successors),
            private: escape::private_objects(program, function, &fixed),
            predecessors,
            successors,
            dominators,
            loops,
            irreducible,
            fixed,
        }
    }
}

fn definitions(function: &Function) -> Vec<Definition> {
    let mut definitions = vec![Definition::Parameter; function.values.len()];
    for (id, block) in function.blocks() {
        for phi in &block.phis {
            definitions[phi.result.index()] = Definition::Phi(id);
        }
        for (index, instruction) in block.instructions.iter().enumerate() {
            if let Some(result) = instruction.result {
                definitions[result.index()] = Definition::Instruction(id, index);
            }
        }
    }
    definitions
}

/// Stack objects of the entry block: each frame has one, of a size that is known.
fn fixed_objects(function: &Function) -> FxHashSet<ValueId> {
    let entry = function.blocks.first();
    let instructions = entry.iter().flat_map(|block| &block.instructions);
    let objects = instructions.filter(|instruction| {
        matches!(
            instruction.operation,
            Operation::Allocate {
                count: Operand::Constant(_),
                ..
            }
        )
    });
    objects
        .filter_map(|instruction| instruction.result)
        .collect()
}

fn natural_loops(
    graph: &Digraph,
    dominators: &Dominators,
    predecessors: &[Vec<BlockId>],
) -> (FxHashMap<BlockId, Loop>, bool) {
    let mut loops: FxHashMap<BlockId, Loop> = FxHashMap::default();
    let order = graph.reverse_postorder(0);
    let mut position = vec![usize::MAX; graph.len()];
    for (index, node) in order.iter().enumerate() {
        position[*node as usize] = index;
    }
    let mut irreducible = false;
    for (from, to) in graph.edges() {
        if position[from as usize] == usize::MAX {
            continue;
        }
        if dominators.dominates(to, from) {
            let entry = loops.entry(BlockId(to)).or_insert_with(|| Loop {
                blocks: FxHashSet::from_iter([BlockId(to)]),
                latches: Vec::new(),
            });
            if !entry.latches.contains(&BlockId(from)) {
                entry.latches.push(BlockId(from));
            }
            let mut stack = vec![BlockId(from)];
            while let Some(block) = stack.pop() {
                if entry.blocks.insert(block) {
                    stack.extend(&predecessors[block.index()]);
                }
            }
        } else if position[to as usize] <= position[from as usize] {
            irreducible = true;
        }
    }
    (loops, irreducible)
}

/// Whether a constant holds text with a conversion that writes memory.
fn holds_counting_format(global: &Global) -> bool {
    let text = global.initializer.as_ref().filter(|_| global.constant);
    let bytes = text.map_or(&[][..], |text| &text.bytes);
    let conversion = |start: usize| {
        let rest = bytes[start + 1..].iter();
        let mut rest = rest.skip_while(|byte| b"0123456789$-+ #'.*hlLqjzt".contains(byte));
        rest.next() == Some(&b'n')
    };
    let mut starts = (0..bytes.len()).filter(|at| bytes[*at] == b'%');
    starts.any(conversion)
}

/// Whether the linker defines a global, as where a section begins or ends: the memory there belongs
/// to other globals.
fn is_bound_of_section(global: &Global) -> bool {
    let bounds = [
        "__bss_start",
        "__data_start",
        "__executable_start",
        "_edata",
        "_end",
        "data_start",
        "edata",
        "end",
    ];
    let name = &global.name[..];
    let section = name.starts_with("__start_") || name.starts_with("__stop_");
    global.initializer.is_none() && (section || bounds.contains(&name))
}

/// What changes how the arithmetic of floats rounds, or whether it knows numbers next to zero.
const ROUNDING: &[&str] = &[
    "fesetenv",
    "fesetmode",
    "fesetround",
    "feupdateenv",
    "llvm.reset.fpenv",
    "llvm.reset.fpmode",
    "llvm.set.fpenv",
    "llvm.set.fpmode",
    "llvm.set.rounding",
    "llvm.x86.sse.ldmxcsr",
];

/// The depth of a function that is called through its address.
const FAR: u32 = 1 << 20;

fn depths(
    program: &Program,
    calls: &CallGraph,
    entry: FunctionId,
    called_from_outside: &[bool],
) -> Vec<u32> {
    let mut depth = vec![u32::MAX; program.functions.len()];
    depth[entry.index()] = 0;
    let mut queue = std::collections::VecDeque::from([entry]);
    // Whoever has the address of a function, or sees its name, may call it.
    for (index, called) in called_from_outside.iter().enumerate() {
        if *called && depth[index] == u32::MAX {
            depth[index] = FAR;
            queue.push_back(FunctionId::new(index));
        }
    }
    while let Some(id) = queue.pop_front() {
        for call in calls.calls_in(id) {
            for callee in calls.callees(call) {
                if depth[callee.index()] == u32::MAX {
                    depth[callee.index()] = depth[id.index()] + 1;
                    queue.push_back(*callee);
                }
            }
        }
    }
    depth
}

fn ranks(successors: &[Vec<BlockId>]) -> Vec<u32> {
    let mut rank = vec![u32::MAX; successors.len()];
    let mut queue = std::collections::VecDeque::new();
    if let Some(first) = rank.first_mut() {
        *first = 0;
        queue.push_back(BlockId(0));
    }
    while let Some(block) = queue.pop_front() {
        for next in &successors[block.index()] {
            if rank[next.index()] == u32::MAX {
                rank[next.index()] = rank[block.index()] + 1;
                queue.push_back(*next);
            }
        }
    }
    rank
}
