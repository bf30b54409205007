//! Numbers of which the code makes addresses: `*(volatile uint32_t *)(base + 4)`, where `base` is a
//! parameter, a member of a structure or a variable.
//!
//! From each place where a number becomes a pointer the trace goes back: through sums and conversions to what
//! the function gets or loads, and to what its callers pass. Of `base + offset` the base is what is not
//! scaled, masked or made wider.
//!
//! Only what memory is accessed through counts: a number that is only kept as a pointer (`void *context`)
//! is a number.

use std::collections::{BTreeMap, BTreeSet};

use labrys_llvm::{LLVMOpcode, LLVMTypeKind, LLVMValueKind, Module, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::extents::{Extent, most, product};
use crate::flow::{given, structure_behind};
use crate::locals::Locals;
use crate::numbers::{Constants, Number, Numbers, forward};

/// Values that are followed from one address.
const MOST_VALUES: usize = 256;
/// Numbers that are stored, and loaded again to be stored, at most.
const MOST_STORED: usize = 3;
/// Conversions in front of a product, at most.
const MOST_STEPS: usize = 8;
/// Bytes of a block whose places the code names, at least, and where it computes some.
const NEAR: u64 = 64;
const FAR: u64 = 1024;
/// Bytes of a block at most, and places in it that are inputs.
const LARGEST: u64 = 1 << 20;
const MOST_PLACES: usize = 64;
/// Bytes of a block that are inputs, at most, if the code computes places.
const MOST_FILLED: u64 = 256;
/// So many things that lie one behind the other, each with its places, if the code does not say how many.
const SEVERAL: u64 = 4;
/// Bytes of the last number of a block, at most.
const LAST: u64 = 8;

/// What the code comes to from a number that it takes for an address.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reach {
    /// Bytes up to the last place that it names.
    bytes: u64,
    /// Whether it computes places, and the largest constant by which it multiplies for that.
    varies: bool,
    stride: u64,
    /// The bytes of each access; none if nothing is known.
    width: Option<u64>,
    /// The places that it names.
    places: BTreeSet<u64>,
    /// The structures that are there, empty for numbers.
    structures: BTreeSet<String>,
    /// What else it does with the number.
    pub(crate) other: Other,
}

/// What code does with an address besides making pointers of it, the most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Other {
    /// Nothing.
    #[default]
    Nothing,
    /// It asks whether it is zero.
    Zero,
    /// It compares it with others, or computes with it.
    Any,
}

impl Reach {
    /// The block of numbers that is there.
    pub(crate) fn block(&self) -> Block {
        let width = self.width.unwrap_or(1);
        let several = self.stride.saturating_mul(SEVERAL);
        let least = match self.varies {
            true => several.clamp(FAR, LARGEST),
            false => NEAR,
        };
        let bytes = self.bytes.min(LARGEST).max(least);
        let size = bytes.next_multiple_of(width);
        let mut places: BTreeSet<u64> = BTreeSet::new();
        if size > FAR || !self.varies || self.stride > width {
            for at in (0..SEVERAL).flat_map(|index| self.at(index)) {
                let is_inside = at + width <= size && places.len() < MOST_PLACES;
                places.extend(is_inside.then_some(at / width));
            }
        }
        Block {
            width,
            size,
            filled: self
                .bytes
                .clamp(NEAR, MOST_FILLED)
                .next_multiple_of(width)
                .min(size),
            places: places.into_iter().collect(),
        }
    }

    /// The places that the code names, of one of several things that lie one behind the other.
    fn at(&self, index: u64) -> impl Iterator<Item = u64> {
        let more = index.saturating_mul(self.stride);
        let known = index == 0 || self.stride > 0;
        let places = self.places.iter().filter(move |_| known);
        places.map(move |at| at.saturating_add(more))
    }

    /// Whether the code only comes to the number at the address itself.
    pub(crate) fn is_single(&self) -> bool {
        !self.varies && self.places.iter().all(|at| *at == 0)
    }

    fn add(&mut self, found: &Found<'_>, target: &Target) {
        let at = u64::try_from(found.at).unwrap_or(0);
        let places = target.places.iter().map(|place| at.saturating_add(*place));
        self.places.extend(places);
        let end = at.saturating_add(found.more).saturating_add(target.bytes);
        self.bytes = self.bytes.max(end);
        self.varies |= found.varies || target.varies;
        self.stride = self.stride.max(found.stride);
        let width = match &target.widths[..] {
            [width] => *width,
            _ => 1,
        };
        self.width = match self.width {
            Some(known) if known != width => Some(1),
            _ => Some(width),
        };
        // One in a larger block is not the block.
        let is_whole = at == 0 && !found.varies;
        let whole = target.structure.clone().filter(|_| is_whole);
        self.structures.insert(whole.unwrap_or_default());
    }

    /// Adds what the code comes to from a number that is made of this one.
    fn add_all(&mut self, made: &Reach, found: &Found<'_>) {
        let at = u64::try_from(found.at).unwrap_or(0);
        let end = at.saturating_add(found.more).saturating_add(made.bytes);
        self.bytes = self.bytes.max(end);
        self.varies |= found.varies || made.varies;
        self.stride = self.stride.max(found.stride).max(made.stride);
        self.width = match (self.width, made.width) {
            (Some(one), Some(other)) if one != other => Some(1),
            (one, other) => one.or(other),
        };
        let places = made.places.iter().map(|place| at.saturating_add(*place));
        self.places.extend(places);
        self.other = self.other.max(made.other);
        match at == 0 && !found.varies {
            true => self.structures.extend(made.structures.iter().cloned()),
            false => drop(self.structures.insert(String::new())),
        }
    }

    /// The structure that is there, if the code takes all for one.
    pub(crate) fn structure(&self) -> Option<String> {
        let mut all = self.structures.iter();
        let first = all.next().filter(|name| !name.is_empty())?;
        all.next().is_none().then(|| first.clone())
    }
}

/// Numbers behind an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// Bytes of one.
    pub(crate) width: u64,
    /// Bytes.
    pub(crate) size: u64,
    /// The numbers that are inputs; none if the first bytes are.
    pub(crate) places: Vec<u64>,
    /// Bytes from its beginning that are inputs then.
    pub(crate) filled: u64,
}

/// What the code comes to through a pointer that it makes of a number.
struct Target {
    bytes: u64,
    places: BTreeSet<u64>,
    varies: bool,
    widths: Vec<u64>,
    structure: Option<String>,
}

/// Where a number comes from that becomes an address.
#[derive(Clone, Copy, Debug)]
struct Found<'m> {
    value: Value<'m>,
    /// What is added to it.
    at: i64,
    /// Whether more is added, which the code computes, and by which constant that is a multiple.
    varies: bool,
    stride: u64,
    /// The most that is added then, as far as the code tells.
    more: u64,
    /// What else the code does with it on the way.
    other: Other,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Addresses<'m> {
    numbers: FxHashMap<Number<'m>, Reach>,
    /// Parameters that are added to addresses, times a constant.
    offsets: FxHashMap<Value<'m>, (Number<'m>, u64)>,
    /// Pointers that are made of constants, or of what is computed from them.
    pub(crate) fixed: Vec<Fixed<'m>>,
}

/// A pointer that is made of constants, or of what is computed from them.
#[derive(Debug)]
pub(crate) struct Fixed<'m> {
    pub(crate) pointer: Value<'m>,
    pub(crate) constants: BTreeSet<u64>,
    /// Whether it may be made of something else, too.
    pub(crate) is_other: bool,
}

impl<'m> Addresses<'m> {
    pub(crate) fn of(module: &'m Module, locals: &Locals<'m>) -> Self {
        let mut addresses = Addresses::default();
        let (trace, numbers) = (Trace::of(module), Numbers::of(module, locals));
        let constants = Constants::of(module, &numbers);
        for pointer in trace.pointers.iter().copied() {
            let Some(target) = target(module, pointer) else {
                continue;
            };
            let (found, offsets) = trace.origins(pointer.operand(0));
            let mut fixed = Fixed {
                pointer,
                constants: BTreeSet::new(),
                is_other: false,
            };
            for one in found {
                let constants = constants.of_value(&numbers, one.value);
                let number = numbers.number(one.value);
                fixed.is_other |= constants.is_empty() || number.is_some();
                fixed.constants.extend(&constants);
                let constants = constants.into_iter().map(Number::Constant);
                for number in constants.chain(number) {
                    addresses.add(&number, (&one, &target), &offsets);
                }
            }
            if !fixed.constants.is_empty() {
                addresses.fixed.push(fixed);
            }
        }
        addresses.add_others(&trace, &numbers);
        for _ in 0..MOST_STORED {
            let known = addresses.numbers.len();
            addresses.add_stored(&trace, &numbers);
            if addresses.numbers.len() == known {
                break;
            }
        }
        addresses.add_others(&trace, &numbers);
        addresses
    }

    /// Adds what the code does with the values of members and variables that are addresses.
    fn add_others(&mut self, trace: &Trace<'m>, numbers: &Numbers<'m>) {
        for value in &trace.loads {
            let number = numbers.number(*value);
            let reach = number.and_then(|number| self.numbers.get_mut(&number));
            if let Some(reach) = reach {
                reach.other = reach.other.max(other(*value));
            }
        }
    }

    /// Adds the numbers of which those are made that the code stores where it has addresses.
    fn add_stored(&mut self, trace: &Trace<'m>, numbers: &Numbers<'m>) {
        for store in &trace.stores {
            let (value, address) = (store.operand(0), store.operand(1));
            let stored = numbers.at(address).and_then(|at| self.numbers.get(&at));
            let Some(stored) = stored.cloned() else {
                continue;
            };
            let (found, _) = trace.origins(value);
            for one in found {
                if let Some(number) = numbers.number(one.value) {
                    let reach = self.numbers.entry(number).or_default();
                    reach.add_all(&stored, &one);
                    reach.other = reach.other.max(other(one.value)).max(one.other);
                }
            }
        }
    }

    fn add(
        &mut self,
        number: &Number<'m>,
        (found, target): (&Found<'m>, &Target),
        offsets: &[(Value<'m>, u64)],
    ) {
        let reach = self.numbers.entry(number.clone()).or_default();
        reach.add(found, target);
        reach.other = reach.other.max(other(found.value)).max(found.other);
        for (offset, scale) in offsets {
            let known = self.offsets.entry(*offset);
            known.or_insert_with(|| (number.clone(), *scale));
        }
    }

    /// What the code comes to from a number, if that is an address.
    pub(crate) fn reach(&self, number: &Number<'m>) -> Option<&Reach> {
        self.numbers.get(number)
    }

    /// The constants, with what the code comes to from each.
    pub(crate) fn constants(&self) -> BTreeMap<u64, &Reach> {
        let all = self
            .numbers
            .iter()
            .filter_map(|(number, reach)| match number {
                Number::Constant(address) => Some((*address, reach)),
                _ => None,
            });
        all.collect()
    }

    /// If a parameter is added to an address: the most with which that stays in its block.
    pub(crate) fn most(&self, parameter: Value<'m>) -> Option<u64> {
        let (number, scale) = self.offsets.get(&parameter)?;
        let reach = self.numbers.get(number)?;
        let last = reach.block().size.checked_sub(LAST)?;
        Some(last / scale.max(&1))
    }
}

/// Follows numbers back.
struct Trace<'m> {
    /// Where numbers become pointers.
    pointers: Vec<Value<'m>>,
    /// Numbers that are loaded.
    loads: Vec<Value<'m>>,
    /// Where numbers are stored.
    stores: Vec<Value<'m>>,
    /// What functions return.
    returned: FxHashMap<Value<'m>, Vec<Value<'m>>>,
    /// What calls pass for each parameter.
    passed: FxHashMap<Value<'m>, Vec<Value<'m>>>,
}

impl<'m> Trace<'m> {
    fn of(module: &'m Module) -> Self {
        let mut trace = Trace {
            pointers: Vec::new(),
            loads: Vec::new(),
            stores: Vec::new(),
            returned: FxHashMap::default(),
            passed: FxHashMap::default(),
        };
        let functions = module.functions().into_iter();
        let blocks = functions.flat_map(Value::blocks);
        for instruction in blocks.flat_map(labrys_llvm::Block::instructions) {
            match instruction.opcode() {
                LLVMOpcode::LLVMIntToPtr => trace.pointers.push(instruction),
                LLVMOpcode::LLVMLoad => trace.loads.push(instruction),
                LLVMOpcode::LLVMStore => trace.stores.push(instruction),
                LLVMOpcode::LLVMRet => {
                    let function = instruction.parent().function();
                    let returned = trace.returned.entry(function).or_default();
                    returned.extend(instruction.operands());
                }
                LLVMOpcode::LLVMCall if instruction.called().is_function() => {
                    let arguments = instruction.arguments().into_iter();
                    for (argument, parameter) in arguments.zip(instruction.called().params()) {
                        if argument.ty().kind() == LLVMTypeKind::LLVMIntegerTypeKind {
                            trace.passed.entry(parameter).or_default().push(argument);
                        }
                    }
                }
                _ => {}
            }
        }
        trace
    }

    /// The numbers of which a number consists as an address, and the parameters that are added to them,
    /// times a constant.
    fn origins(&self, number: Value<'m>) -> (Vec<Found<'m>>, Vec<(Value<'m>, u64)>) {
        let mut found = Vec::new();
        let mut offsets = Vec::new();
        let mut seen: FxHashSet<Value<'m>> = FxHashSet::default();
        let mut open = vec![Found {
            value: number,
            at: 0,
            varies: false,
            stride: 0,
            more: 0,
            other: Other::Nothing,
        }];
        while let Some(one) = open.pop() {
            if seen.len() >= MOST_VALUES || !seen.insert(one.value) {
                continue;
            }
            let further = |value| Found { value, ..one };
            if let Some(arguments) = self.passed.get(&one.value) {
                open.extend(arguments.iter().map(|value| further(*value)));
            }
            let is_call = one.value.is_instruction() && one.value.opcode() == LLVMOpcode::LLVMCall;
            let called = is_call.then(|| one.value.called());
            if let Some(returned) = called.and_then(|called| self.returned.get(&called)) {
                let other = one.other.max(other(one.value));
                let returned = returned.iter().map(|value| further(*value));
                open.extend(returned.map(|found| Found { other, ..found }));
                continue;
            }
            let steps = steps(one);
            if let Some(offset) = steps.offset {
                self.add_offset(offset, &mut offsets);
            }
            match steps.to.is_empty() {
                true => found.push(one),
                false => open.extend(steps.to),
            }
        }
        (found, offsets)
    }

    /// Adds the parameters of which an offset is a multiple.
    fn add_offset(&self, offset: Value<'m>, offsets: &mut Vec<(Value<'m>, u64)>) {
        let mut seen: FxHashSet<Value<'m>> = FxHashSet::default();
        let mut open = vec![(offset, 1_u64)];
        while let Some((value, scale)) = open.pop() {
            if seen.len() >= MOST_VALUES || !seen.insert(value) {
                continue;
            }
            if value.kind() == LLVMValueKind::LLVMArgumentValueKind {
                offsets.push((value, scale));
                let passed = self.passed.get(&value).into_iter().flatten();
                open.extend(passed.map(|one| (*one, scale)));
            }
            if !value.is_instruction() {
                continue;
            }
            match value.opcode() {
                LLVMOpcode::LLVMZExt
                | LLVMOpcode::LLVMSExt
                | LLVMOpcode::LLVMTrunc
                | LLVMOpcode::LLVMAdd => open.push((value.operand(0), scale)),
                LLVMOpcode::LLVMMul | LLVMOpcode::LLVMShl => {
                    let factors = product(value);
                    open.extend(factors.map(|(one, by)| (one, scale.saturating_mul(by))));
                }
                _ => {}
            }
        }
    }
}

/// The constant of which an offset is a multiple; 0 if none is known.
fn stride(offset: Value<'_>) -> u64 {
    let mut value = offset;
    for _ in 0..MOST_STEPS {
        if !value.is_instruction() {
            break;
        }
        value = match value.opcode() {
            LLVMOpcode::LLVMZExt | LLVMOpcode::LLVMSExt | LLVMOpcode::LLVMTrunc => value.operand(0),
            _ => return product(value).map_or(0, |(_, by)| by),
        };
    }
    0
}

/// The numbers of which a number is made as an address; none if it is one that the function gets.
#[derive(Default)]
struct Steps<'m> {
    to: Vec<Found<'m>>,
    /// What is added and is no constant.
    offset: Option<Value<'m>>,
}

fn steps(one: Found<'_>) -> Steps<'_> {
    let value = one.value;
    if !value.is_instruction() {
        return Steps::default();
    }
    let at = |value, more: i64| Found {
        value,
        at: one.at.saturating_add(more),
        ..one
    };
    let all = |to| Steps { to, offset: None };
    let only = |found| all(vec![found]);
    match value.opcode() {
        LLVMOpcode::LLVMZExt | LLVMOpcode::LLVMSExt | LLVMOpcode::LLVMTrunc => {
            only(at(value.operand(0), 0))
        }
        LLVMOpcode::LLVMAdd | LLVMOpcode::LLVMOr => {
            let (left, right) = (value.operand(0), value.operand(1));
            match (left.const_int_signed(), right.const_int_signed()) {
                (_, Some(more)) if is_near(more) => only(at(left, more)),
                (Some(more), _) if is_near(more) => only(at(right, more)),
                _ => {
                    let (base, offset) = base(left, right);
                    let more = one.more.saturating_add(most(offset));
                    Steps {
                        to: vec![Found {
                            value: base,
                            at: one.at,
                            more,
                            varies: true,
                            stride: one.stride.max(stride(offset)),
                            other: one.other,
                        }],
                        offset: Some(offset),
                    }
                }
            }
        }
        LLVMOpcode::LLVMSub => {
            let less = value.operand(1).const_int_signed();
            less.map_or_else(Steps::default, |less| only(at(value.operand(0), -less)))
        }
        LLVMOpcode::LLVMAnd => match value.operand(1).const_int_signed() {
            Some(mask) if mask < 0 => only(at(value.operand(0), 0)),
            _ => Steps::default(),
        },
        LLVMOpcode::LLVMPHI => {
            let values = value.operands().into_iter();
            all(values.map(|value| at(value, 0)).collect())
        }
        LLVMOpcode::LLVMSelect => all(vec![at(value.operand(1), 0), at(value.operand(2), 0)]),
        _ => Steps::default(),
    }
}

/// Whether a constant is rather an offset than an address.
fn is_near(constant: i64) -> bool {
    constant.unsigned_abs() < LARGEST
}

/// Which of two that are added is the address.
fn base<'m>(left: Value<'m>, right: Value<'m>) -> (Value<'m>, Value<'m>) {
    let rank = |value: Value<'_>| {
        if value.const_int_value().is_some() {
            return 0;
        }
        if !value.is_instruction() {
            return 1;
        }
        match value.opcode() {
            LLVMOpcode::LLVMMul
            | LLVMOpcode::LLVMShl
            | LLVMOpcode::LLVMAnd
            | LLVMOpcode::LLVMLShr
            | LLVMOpcode::LLVMURem => 3,
            LLVMOpcode::LLVMZExt | LLVMOpcode::LLVMSExt => 2,
            _ => 1,
        }
    };
    match rank(right) < rank(left) {
        true => (right, left),
        false => (left, right),
    }
}

/// What the code comes to through a pointer; none if it accesses nothing.
fn target(module: &Module, pointer: Value<'_>) -> Option<Target> {
    let mut target = Target {
        bytes: Extent::of_array(pointer).bytes,
        places: BTreeSet::new(),
        varies: false,
        widths: Vec::new(),
        structure: structure_behind(pointer),
    };
    let mut is_accessed = false;
    let mut seen: FxHashSet<Value<'_>> = FxHashSet::default();
    let mut open = vec![(pointer, 0_u64)];
    while let Some((value, at)) = open.pop() {
        if seen.len() >= MOST_VALUES || !seen.insert(value) {
            continue;
        }
        for user in value.users().into_iter().filter(|one| one.is_instruction()) {
            let ty = match user.opcode() {
                LLVMOpcode::LLVMLoad => user.ty(),
                LLVMOpcode::LLVMStore if user.operand(1) == value => user.operand(0).ty(),
                LLVMOpcode::LLVMAtomicRMW => user.operand(1).ty(),
                LLVMOpcode::LLVMGetElementPtr if user.operand(0) == value => {
                    let further = forward(module, user);
                    target.varies |= further.is_none();
                    open.push((user, at.saturating_add(further.unwrap_or(0))));
                    continue;
                }
                LLVMOpcode::LLVMPHI | LLVMOpcode::LLVMSelect => {
                    open.push((user, at));
                    continue;
                }
                LLVMOpcode::LLVMCall => {
                    is_accessed |= is_copied(user);
                    target.varies |= is_copied(user);
                    open.extend(given(user, value).into_iter().map(|one| (one, at)));
                    continue;
                }
                _ => continue,
            };
            is_accessed = true;
            let width = module.size_of(ty);
            target.places.insert(at);
            target.bytes = target.bytes.max(at.saturating_add(width));
            if !target.widths.contains(&width) {
                target.widths.push(width);
            }
        }
    }
    target.widths.retain(|width| matches!(width, 1 | 2 | 4 | 8));
    is_accessed.then_some(target)
}

/// Whether a call copies memory from or to its arguments.
fn is_copied(call: Value<'_>) -> bool {
    call.called().is_function() && call.called().name().starts_with("llvm.mem")
}

/// What the code does with a number besides making pointers of it.
fn other(number: Value<'_>) -> Other {
    let mut most = Other::Nothing;
    let mut computed: FxHashSet<Value<'_>> = FxHashSet::default();
    let mut seen: FxHashSet<Value<'_>> = FxHashSet::default();
    let mut open = vec![number];
    while let Some(value) = open.pop() {
        if seen.len() >= MOST_VALUES || !seen.insert(value) {
            continue;
        }
        for user in value.users().into_iter().filter(|one| one.is_instruction()) {
            let is_own = value == number;
            match user.opcode() {
                LLVMOpcode::LLVMICmp => {
                    let mut operands = user.operands().into_iter();
                    let is_zero = operands.any(|one| one.const_int_value() == Some(0));
                    most = most.max(match is_zero && !computed.contains(&value) {
                        true => Other::Zero,
                        false => Other::Any,
                    });
                }
                LLVMOpcode::LLVMAdd | LLVMOpcode::LLVMSub | LLVMOpcode::LLVMOr => {
                    computed.insert(user);
                    open.push(user);
                }
                LLVMOpcode::LLVMSwitch => most = Other::Any,
                LLVMOpcode::LLVMZExt
                | LLVMOpcode::LLVMSExt
                | LLVMOpcode::LLVMTrunc
                | LLVMOpcode::LLVMPHI
                | LLVMOpcode::LLVMSelect => {
                    if computed.contains(&value) {
                        computed.insert(user);
                    }
                    open.push(user);
                }
                LLVMOpcode::LLVMCall => open.extend(given(user, value)),
                LLVMOpcode::LLVMRet => {
                    let calls = calls_of(user.parent().function());
                    if computed.contains(&value) {
                        computed.extend(&calls);
                    }
                    open.extend(calls);
                }
                LLVMOpcode::LLVMAnd | LLVMOpcode::LLVMLShr | LLVMOpcode::LLVMURem if is_own => {
                    most = Other::Any;
                }
                _ => {}
            }
        }
    }
    most
}

/// The calls of a function by its name.
fn calls_of(function: Value<'_>) -> Vec<Value<'_>> {
    let users = function.users().into_iter();
    let is_call = |user: &Value<'_>| {
        user.is_instruction() && user.opcode() == LLVMOpcode::LLVMCall && user.called() == function
    };
    users.filter(is_call).collect()
}
