//! A program with its analyses.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use labrys_library::Mark;
use labrys_program::graph::{Call, CallGraph};
use labrys_program::{
    BlockId, Callee, Function, FunctionId, GlobalId, Instruction, Operation, Program, ValueId,
};
use labrys_semantics::environment::InputPart;
use labrys_semantics::{CharacterTable, character_table};

use crate::body::{Body, Definition};
use crate::calls::{self, Place};
use crate::effects::{BlockEffects, EffectSummaries, Effects};
use crate::elsewhere;
use crate::escape;
use crate::external_calls::ExternalCalls;
use crate::formats::Formats;
use crate::fresh;
use crate::global_values::{GlobalPart, GlobalValues};
use crate::names::names_any;
use crate::obstacles::{self, Obstacles};
use crate::points_to::PointsTo;
use crate::second_returns::SecondReturns;
use crate::values::{self, Impossible, NumberSet};

/// Who calls whom, with what follows from it.
struct Calling {
    calls: CallGraph,
    formats: Formats,
    effects: EffectSummaries,
}

impl Calling {
    fn new(
        program: &Program,
        points_to: &[PointsTo<'_>],
        external: &ExternalCalls,
        second_returns: &SecondReturns,
        calls: CallGraph,
    ) -> Self {
        let formats = Formats::of(program, &calls);
        Calling {
            effects: EffectSummaries::of(
                program,
                points_to,
                &calls,
                external,
                second_returns,
                &formats,
            ),
            formats,
            calls,
        }
    }
}

/// The program with its analyses.
#[derive(Debug)]
pub struct ProgramAnalysis<'p> {
    program: &'p Program,
    /// `None` for functions that are not defined here.
    bodies: Vec<Option<Body>>,
    points_to: Vec<PointsTo<'p>>,
    calls: CallGraph,
    /// Whether these are fewer than any pointer could make.
    follows_pointers: bool,
    effects: EffectSummaries,
    /// By function and block, computed when they are first required.
    block_effects: Vec<OnceLock<Vec<BlockEffects>>>,
    external: ExternalCalls,
    shared: Vec<bool>,
    /// By function: whether each call gives a new object.
    fresh: Vec<bool>,
    /// By global: what it holds of the input of a program that is closed with its surroundings.
    inputs: Vec<Option<InputPart>>,
    global_values: GlobalValues,
    depths: Vec<Option<u32>>,
    obstacles: Obstacles,
    second_returns: SecondReturns,
    has_constructors: bool,
    sets_locale: bool,
    changed_by_other_names: BTreeSet<GlobalId>,
    impossible: OnceLock<Impossible>,
}

impl<'p> ProgramAnalysis<'p> {
    /// Analyses a program whose runs begin in `entry`.
    #[must_use]
    pub fn new(program: &'p Program, entry: FunctionId) -> Self {
        let external = ExternalCalls::of(program);
        let points_to = program.functions.iter();
        let points_to: Vec<PointsTo<'p>> = points_to
            .map(|function| PointsTo::of(program, function))
            .collect();
        let all_calls = CallGraph::of_any_type(program);
        let second_returns = SecondReturns::of(program);
        let global_values = GlobalValues::of(program, &all_calls, &external, &second_returns);
        let known = all_calls.narrowed(program, |call| global_values.called(call));
        let mut calling = Calling::new(program, &points_to, &external, &second_returns, known);
        let obstacles = Obstacles::of(
            program,
            &calling.calls,
            &second_returns,
            external.handlers(),
            calling.effects.interference().makes_inputs(),
        );
        let follows_pointers = obstacles.all.is_empty() && global_values.knows_pointers();
        if !obstacles.all.is_empty() {
            // Pointers may be others than those that the program stores.
            calling = Calling::new(program, &points_to, &external, &second_returns, all_calls);
        }
        let bodies = program.functions.iter().map(|function| {
            (!function.blocks.is_empty()).then(|| Body::new(program, &calling.formats, function))
        });
        ProgramAnalysis {
            program,
            bodies: bodies.collect(),
            depths: calls::depths(program, &calling.calls, entry, &external),
            global_values,
            shared: escape::shared_globals(program, &calling.formats),
            fresh: fresh::give_new_objects(program),
            inputs: {
                let globals = program.globals.iter();
                globals
                    .map(|global| InputPart::of_global(&global.name))
                    .collect()
            },
            obstacles,
            second_returns,
            has_constructors: obstacles::has_constructors(program),
            sets_locale: obstacles::sets_locale(program),
            changed_by_other_names: elsewhere::changed_by_other_names(program),
            block_effects: program.functions.iter().map(|_| OnceLock::new()).collect(),
            impossible: OnceLock::new(),
            points_to,
            calls: calling.calls,
            follows_pointers,
            effects: calling.effects,
            external,
        }
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// A function.
    #[must_use]
    pub fn function(&self, id: FunctionId) -> &'p Function {
        &self.program.functions[id.index()]
    }

    /// The analyses of a function.
    ///
    /// # Panics
    /// If the function is not defined in the program.
    #[must_use]
    pub fn body(&self, id: FunctionId) -> &Body {
        let body = self.bodies[id.index()].as_ref();
        body.expect("a path goes through defined functions only")
    }

    /// Where the addresses of a function point.
    #[must_use]
    pub fn points_to(&self, id: FunctionId) -> &PointsTo<'p> {
        &self.points_to[id.index()]
    }

    /// The instruction that defines a value.
    #[must_use]
    pub fn defining(&self, id: FunctionId, value: ValueId) -> Option<&'p Instruction> {
        let Definition::Instruction(block, index) = self.body(id).definition(value) else {
            return None;
        };
        self.function(id).block(block)?.instructions.get(index)
    }

    /// Who calls whom, through pointers too.
    #[must_use]
    pub fn calls(&self) -> &CallGraph {
        &self.calls
    }

    /// Whether calls are left out because the program stores no pointers for them: then who calls
    /// whom rests on accesses that stay inside their objects.
    #[must_use]
    pub fn follows_pointers(&self) -> bool {
        self.follows_pointers
    }

    /// The call at a place of a function.
    #[must_use]
    pub fn call_at(&self, caller: FunctionId, place: Place) -> Option<&Call> {
        let mut calls = self.calls.calls_in(caller).iter();
        calls.find(|call| (call.block, call.instruction as usize) == place)
    }

    /// Whether a call may run code outside of the program, of which nothing is known.
    #[must_use]
    pub fn may_leave_program(&self, call: &Call) -> bool {
        let instruction = call.instruction as usize;
        let block = &self.function(call.function).blocks[call.block.index()];
        let operation = &block.instructions[instruction].operation;
        // Effects of library functions are known by their names.
        let direct = matches!(
            operation,
            Operation::Call {
                callee: Callee::Direct(_),
                ..
            }
        );
        call.open && !direct
    }

    /// Calls between the entry and a function, at least; `None` where no calls lead there.
    #[must_use]
    pub fn depth(&self, id: FunctionId) -> Option<u32> {
        self.depths[id.index()]
    }

    /// Whether code outside of the program may call a function.
    #[must_use]
    pub fn is_called_from_outside(&self, id: FunctionId) -> bool {
        self.external.may_call(id)
    }

    /// The effects of a function and of all that it may call.
    #[must_use]
    pub fn effects(&self, id: FunctionId) -> &Effects {
        self.effects.of_function(id)
    }

    /// The effects of code outside of the program, with those of the functions that it calls back.
    #[must_use]
    pub fn outside_effects(&self) -> &Effects {
        self.effects.outside()
    }

    /// What may happen between any two instructions, because of a signal.
    #[must_use]
    pub fn interference(&self) -> &Effects {
        self.effects.interference()
    }

    /// The effects of a call of a library function: its own, and those of the functions that it is
    /// given to call, before and after any one of these.
    #[must_use]
    pub fn effects_of_library_call(
        &self,
        caller: FunctionId,
        place: Place,
        callee: FunctionId,
    ) -> Effects {
        let mut effects = self.effects(callee).at_unknown_arguments();
        let call = self.call_at(caller, place);
        for id in call.map_or(&[][..], |call| self.calls.callees(call)) {
            if *id != callee {
                effects.absorb(&self.effects(*id).at_unknown_arguments());
            }
        }
        effects
    }

    /// The effects of a call through a pointer, and whether it may leave the program.
    #[must_use]
    pub fn effects_of_indirect_call(&self, caller: FunctionId, place: Place) -> (Effects, bool) {
        let call = self.call_at(caller, place);
        let mut effects = Effects::default();
        for id in call.map_or(&[][..], |call| self.calls.callees(call)) {
            effects.absorb(&self.effects(*id).at_unknown_arguments());
        }
        let leaves = call.is_none_or(|call| self.may_leave_program(call));
        if leaves {
            effects.absorb(self.outside_effects());
        }
        (effects, leaves)
    }

    /// The effects of a call that is not followed, up to wherever control leaves it.
    #[must_use]
    pub fn effects_of_call(&self, caller: FunctionId, place: Place, callee: Callee) -> Effects {
        match callee {
            Callee::Direct(id) if self.function(id).defined => self.effects(id).clone(),
            Callee::Direct(id) => self.effects_of_library_call(caller, place, id),
            Callee::Indirect(_) => self.effects_of_indirect_call(caller, place).0,
        }
    }

    /// The effects of a block with the calls in it.
    #[must_use]
    pub fn effects_of_block(&self, id: FunctionId, block: BlockId) -> &BlockEffects {
        let all = self.block_effects[id.index()].get_or_init(|| {
            let blocks = self.function(id).blocks().map(|(block, _)| block);
            blocks
                .map(|block| self.compute_block_effects(id, block))
                .collect()
        });
        &all[block.index()]
    }

    fn compute_block_effects(&self, id: FunctionId, block: BlockId) -> BlockEffects {
        let function = self.function(id);
        let points_to = self.points_to(id);
        let mut effects = BlockEffects::default();
        for (index, instruction) in function.blocks[block.index()]
            .instructions
            .iter()
            .enumerate()
        {
            effects.add(points_to, &instruction.operation);
            if !matches!(instruction.operation, Operation::Call { .. }) {
                continue;
            }
            let call = self.call_at(id, (block, index));
            if call.is_none_or(|call| self.may_leave_program(call)) {
                effects.add_call(points_to, self.outside_effects(), None);
            }
            let Some(call) = call else { continue };
            for callee in self.calls.callees(call) {
                let arguments = calls::passed_arguments(function, call, *callee);
                effects.add_call(points_to, self.effects(*callee), arguments);
            }
        }
        effects.close(self.body(id));
        effects
    }

    /// Whether the program keeps the address of a global or passes it on.
    #[must_use]
    pub fn is_shared(&self, global: GlobalId) -> bool {
        self.shared[global.index()]
    }

    /// Whether a function of the program gives a new object, or null, each time that it returns.
    #[must_use]
    pub fn gives_new_object(&self, id: FunctionId) -> bool {
        self.fresh[id.index()]
    }

    /// Whether two globals may be one, under two names of a library.
    #[must_use]
    pub fn may_be_one_global(&self, a: GlobalId, b: GlobalId) -> bool {
        elsewhere::may_be_one_global(self.program, a, b)
    }

    /// Whether two functions may be one, under two names of a library.
    #[must_use]
    pub fn may_be_one_function(&self, a: FunctionId, b: FunctionId) -> bool {
        elsewhere::may_be_one_function(self.program, a, b)
    }

    /// Whether the program may change a global by another name: each read of it gives anything.
    #[must_use]
    pub fn is_changed_by_other_names(&self, global: GlobalId) -> bool {
        self.changed_by_other_names.contains(&global)
    }

    /// What a global holds of the program's input.
    #[must_use]
    pub fn input_part(&self, global: GlobalId) -> Option<InputPart> {
        self.inputs[global.index()]
    }

    /// All numbers that a part of a global may hold whenever it is read; `None` if they are not
    /// known.
    #[must_use]
    pub fn global_values(&self, global: GlobalId, part: GlobalPart) -> Option<Vec<u128>> {
        self.global_values.values(self.program, global, part)
    }

    /// Branches that no run takes, because of the numbers that values may be, as long as the program
    /// accesses memory inside its objects; none where an [obstacle](Self::local_obstacles) stands
    /// against it.
    #[must_use]
    pub fn impossible_branches(&self) -> &Impossible {
        self.impossible
            .get_or_init(|| match self.local_obstacles() {
                [] => values::impossible(self, self.global_values.accesses()),
                _ => Impossible::default(),
            })
    }

    /// The numbers that a phi at the header of a loop may be, whenever control comes there; as for
    /// [`ProgramAnalysis::impossible_branches`]. `None` if they are any.
    #[must_use]
    pub fn counter(&self, function: FunctionId, phi: ValueId) -> Option<&NumberSet> {
        self.impossible_branches().counter(function, phi)
    }

    /// Why nothing can be proved of this program by the paths that its runs take, in words for the user.
    #[must_use]
    pub fn obstacles(&self) -> &[String] {
        &self.obstacles.all
    }

    /// Those of the obstacles that stand against proofs by functions by themselves and by numbers too.
    #[must_use]
    pub fn local_obstacles(&self) -> &[String] {
        &self.obstacles.local
    }

    /// Whether a function has a call that may return twice, so that its instructions do not say what its
    /// values are. What is not seen of such calls is an [obstacle](Self::local_obstacles).
    #[must_use]
    pub fn has_second_returns(&self, id: FunctionId) -> bool {
        self.second_returns.are_in(id)
    }

    /// Whether something runs before `main`, so that variables do not begin as written.
    #[must_use]
    pub fn has_constructors(&self) -> bool {
        self.has_constructors
    }

    /// Whether the program may choose the place in a file where it writes.
    #[must_use]
    pub fn chooses_places_in_files(&self) -> bool {
        names_any(self.program, Mark::Seeks)
    }

    /// Whether characters may be classed otherwise than in the C locale.
    #[must_use]
    pub fn sets_locale(&self) -> bool {
        self.sets_locale
    }

    /// The table of characters to which a library function gives a pointer.
    #[must_use]
    pub fn character_table(&self, function: &str) -> Option<&'static CharacterTable> {
        character_table(function).filter(|_| !self.sets_locale)
    }
}
