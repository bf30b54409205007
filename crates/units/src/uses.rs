//! Types that the code tells where the source does not: what stands behind a `void *`, and the
//! members of a structure that is only declared.
//!
//! A pointer without a type is taken for one to the structure whose members the program accesses
//! through it: a parameter by its uses, a member of a structure by what is loaded from it and stored
//! to it anywhere.
//!
//! Besides, which members the code of a function can come to: pointers in others need no object.

use std::collections::BTreeSet;

use labrys_llvm::{Block, DebugNode, LLVMOpcode, Module, Value, tag};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::addresses::Addresses;
use crate::containers::{Around, around, names};
use crate::ends::Ends;
use crate::extents::{Extent, last_of_several};
use crate::flow::{bytes_before, is_pointer, structure_behind, variables_beside};
use crate::indices::Indices;
use crate::locals::Locals;
use crate::members::{first_member, first_members, member, members};
use crate::types::{Member, structure_name, unwrapped};

/// Variables to which a member may point, at most.
const MOST_VARIABLES: usize = 4;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Uses<'m> {
    /// Complete structures and unions by compilation and name.
    own: FxHashMap<(DebugNode<'m>, String), DebugNode<'m>>,
    /// The same of all compilations.
    any: FxHashMap<String, DebugNode<'m>>,
    /// What members without a type point to.
    members: FxHashMap<Member, String>,
    /// How many bytes before the place where it points are accessed through a member.
    before: FxHashMap<Member, u64>,
    /// Members whose lists end at an address instead of null, or that the program makes point to their
    /// own structure.
    rings: FxHashSet<Member>,
    /// Members that point to the first of several pointers or structures, with the last one that is named.
    arrays: FxHashMap<Member, u64>,
    /// Variables to which members point, or with whose addresses the program compares what they hold.
    beside: FxHashMap<Member, Vec<Value<'m>>>,
    /// Members of a structure that the program compares with, or subtracts from, each other: pointers
    /// into one array.
    regions: Vec<FxHashSet<Member>>,
    /// The members that the code of each function names.
    named: FxHashMap<Value<'m>, FxHashSet<Member>>,
    /// The structures as which the code of each function uses what members point to.
    behind: FxHashMap<Value<'m>, FxHashMap<Member, String>>,
    /// The structures around what members point to, by the code of each function.
    around: FxHashMap<Value<'m>, FxHashSet<(Member, Around)>>,
    /// What the code of each function names of the arrays behind members.
    extents: FxHashMap<Value<'m>, FxHashMap<Member, Extent>>,
    /// The numbers that are addresses.
    pub(crate) addresses: Addresses<'m>,
    /// What local variables tell.
    locals: Locals<'m>,
    /// The members that are places in arrays.
    pub(crate) indices: Indices,
    /// The members that begin anew at others.
    pub(crate) ends: Ends,
}

/// The members that some functions name, and the structures that these are of.
#[derive(Debug, Default)]
pub(crate) struct Named {
    members: FxHashSet<Member>,
    structures: FxHashSet<String>,
    behind: FxHashMap<Member, String>,
    around: BTreeSet<(Member, Around)>,
    extents: FxHashMap<Member, Extent>,
}

impl Named {
    /// Whether the code may come to a member. The address of the first one is that of the structure,
    /// and the code may know the structure as another one.
    pub(crate) fn comes_to(&self, member: &Member) -> bool {
        let (structure, offset) = member;
        *offset == 0 || !self.structures.contains(structure) || self.members.contains(member)
    }

    /// The structure as which the code uses what a member points to.
    pub(crate) fn behind(&self, member: &Member) -> Option<String> {
        self.behind.get(member).cloned()
    }

    /// What the code takes what a member points to for.
    pub(crate) fn around(&self, member: &Member) -> Vec<Around> {
        let all = self.around.iter().filter(|(of, _)| of == member);
        all.map(|(_, one)| one.clone()).collect()
    }

    /// What the code names of the array behind a member.
    pub(crate) fn extent(&self, member: &Member) -> Extent {
        self.extents.get(member).copied().unwrap_or_default()
    }

    /// Notes that the code comes to members without naming them.
    pub(crate) fn add(&mut self, members: Vec<Member>) {
        self.members.extend(members);
    }
}

impl<'m> Uses<'m> {
    pub(crate) fn of(module: &'m Module, addresses: Addresses<'m>, locals: Locals<'m>) -> Self {
        let mut uses = Uses {
            addresses,
            locals,
            ..Uses::default()
        };
        let mut seen = FxHashSet::default();
        for function in module.functions() {
            if let Some(described) = DebugNode::of_function(module, function)
                && let Some(unit) = described.unit()
            {
                let parameters = described.parameters().into_iter().flatten();
                let types = parameters.chain(described.result());
                let types = types.chain(described.variable_types());
                let types = types.chain(unit.retained_types());
                uses.add_types(unit, types.collect(), &mut seen);
            }
            let mut bases = FxHashSet::default();
            let blocks = function.blocks().into_iter();
            for instruction in blocks.flat_map(Block::instructions) {
                if let Some(mut members) = members(module, instruction) {
                    let named = uses.named.entry(function).or_default();
                    named.extend(members.iter().flatten().cloned());
                    if let Some(member) = members.pop().flatten() {
                        let base = instruction.operand(0);
                        uses.add_member((module, function), member, (instruction, base));
                    }
                }
                if let Some((first, base)) = first_member(module, instruction)
                    && bases.insert(base)
                {
                    uses.add_member((module, function), first, (base, base));
                }
                if let Some(mates) = mates(module, instruction) {
                    uses.add_region(mates);
                }
                uses.indices.add(module, instruction);
                uses.ends.add(module, instruction);
            }
            uses.add_first_of_locals((module, function), &bases);
            uses.indices.add_unchecked(module, function);
            uses.add_first_members((module, function), &bases);
        }
        uses
    }

    /// Notes what first members are used as, of structures behind parameters: the code may come to them without
    /// computing an address, from which others have been noted.
    fn add_first_members(
        &mut self,
        (module, function): (&'m Module, Value<'m>),
        known: &FxHashSet<Value<'m>>,
    ) {
        for (value, first) in first_members(module, function) {
            if !is_accessed(value) {
                continue;
            }
            let named = self.named.entry(function).or_default();
            named.insert(first.clone());
            if !known.contains(&value) {
                self.add_member((module, function), first, (value, value));
            }
        }
    }

    /// The same of structures to which local variables point.
    fn add_first_of_locals(
        &mut self,
        (module, function): (&'m Module, Value<'m>),
        known: &FxHashSet<Value<'m>>,
    ) {
        let blocks = function.blocks().into_iter();
        let values = blocks
            .flat_map(Block::instructions)
            .chain(function.params());
        for value in values.filter(|value| !known.contains(value)) {
            if let Some(first) = self.locals.first_member(value)
                && is_accessed(value)
            {
                self.add_member((module, function), first, (value, value));
            }
        }
    }

    /// Notes the structures of a compilation that types lead to.
    fn add_types(
        &mut self,
        unit: DebugNode<'m>,
        types: Vec<DebugNode<'m>>,
        seen: &mut FxHashSet<DebugNode<'m>>,
    ) {
        let mut open = types;
        while let Some(node) = open.pop() {
            if !seen.insert(node) {
                continue;
            }
            let inner = unwrapped(node);
            let name = structure_name(node);
            let complete = matches!(inner.tag(), tag::STRUCTURE | tag::UNION) && inner.size() > 0;
            if complete && !name.is_empty() {
                self.any.entry(name.clone()).or_insert(node);
                self.own.entry((unit, name)).or_insert(node);
            }
            open.extend(node.base());
            match node.tag() {
                tag::STRUCTURE | tag::UNION => open.extend(node.members()),
                tag::SUBROUTINE => {
                    open.extend(node.parameters().into_iter().flatten());
                    open.extend(node.result());
                }
                _ => {}
            }
        }
    }

    /// Notes what the value of a member is used as, by its address and that of the structure.
    fn add_member(
        &mut self,
        (module, function): (&'m Module, Value<'m>),
        member: Member,
        (address, structure): (Value<'m>, Value<'m>),
    ) {
        let users = address.users().into_iter();
        let values = users.filter_map(|user| match user.opcode() {
            LLVMOpcode::LLVMLoad if is_pointer(user) => Some(user),
            LLVMOpcode::LLVMStore if user.operand(1) == address => {
                Some(user.operand(0)).filter(|value| is_pointer(*value))
            }
            _ => None,
        });
        // Null is one value in the whole module: its other uses tell nothing of the member.
        let values: Vec<_> = values.filter(|value| !value.is_null()).collect();
        if values
            .iter()
            .any(|value| is_ring(module, *value, structure))
        {
            self.rings.insert(member.clone());
        }
        let before = values.iter().map(|value| bytes_before(module, *value));
        let before = before.max();
        if let Some(before @ 1..) = before {
            let most = self.before.entry(member.clone()).or_default();
            *most = before.max(*most);
        }
        for value in &values {
            self.add_value(function, &member, *value);
        }
        let mut names = values.into_iter().filter_map(|value| self.structure(value));
        let name = names.next();
        let behind = self.behind.entry(function).or_default();
        if !behind.contains_key(&member)
            && let Some(name) = name
        {
            behind.insert(member.clone(), name.clone());
            self.members.entry(member).or_insert(name);
        }
    }

    /// Notes what the code does with a value of a member. Those of constants have uses that tell nothing of
    /// the member.
    fn add_value(&mut self, function: Value<'m>, member: &Member, value: Value<'m>) {
        let beside = match value.is_constant() {
            true => Vec::from_iter(Some(value).filter(|value| value.is_variable())),
            false => variables_beside(value),
        };
        for variable in beside {
            let known = self.beside.entry(member.clone()).or_default();
            if !known.contains(&variable) && known.len() < MOST_VARIABLES {
                known.push(variable);
            }
        }
        if value.is_constant() {
            return;
        }
        if let Some(last) = last_of_several(value) {
            let known = self.arrays.entry(member.clone()).or_default();
            *known = last.max(*known);
        }
        let extent = Extent::of_array(value);
        if extent != Extent::default() {
            let own = self.extents.entry(function).or_default();
            let known = own.entry(member.clone()).or_default();
            *known = known.or(extent);
        }
        let containers = around(value).into_iter();
        let containers = containers.map(|one| (member.clone(), one));
        self.around.entry(function).or_default().extend(containers);
    }

    /// Notes that members point into one array.
    fn add_region(&mut self, mates: [Member; 2]) {
        let touches = |region: &FxHashSet<Member>| mates.iter().any(|one| region.contains(one));
        let (joined, others): (Vec<_>, Vec<_>) = self.regions.drain(..).partition(touches);
        self.regions = others;
        self.regions
            .push(joined.into_iter().flatten().chain(mates).collect());
    }

    /// The array that a member points into together with others, as a number.
    pub(crate) fn region(&self, member: &Member) -> Option<usize> {
        self.regions
            .iter()
            .position(|region| region.contains(member))
    }

    /// How many bytes before the place where a member points are accessed.
    pub(crate) fn before_member(&self, member: &Member) -> u64 {
        self.before.get(member).copied().unwrap_or(0)
    }

    /// Whether a member may point to its own structure, as in a list that is a ring.
    pub(crate) fn is_ring(&self, member: &Member) -> bool {
        self.rings.contains(member)
    }

    /// If a member points to the first of several pointers or structures: the last one that is named.
    pub(crate) fn last_of_several(&self, member: &Member) -> Option<u64> {
        self.arrays.get(member).copied()
    }

    /// The variables to which a member points, or with whose addresses the program compares it.
    pub(crate) fn beside(&self, member: &Member) -> Vec<Value<'m>> {
        self.beside.get(member).cloned().unwrap_or_default()
    }

    /// The members that functions name.
    pub(crate) fn named_by(&self, functions: &FxHashSet<Value<'m>>) -> Named {
        let sets = functions.iter().filter_map(|one| self.named.get(one));
        let members: FxHashSet<Member> = sets.flatten().cloned().collect();
        let behind = functions.iter().filter_map(|one| self.behind.get(one));
        let mut behind: Vec<_> = behind.flatten().collect();
        let around = functions.iter().filter_map(|one| self.around.get(one));
        let mut extents: FxHashMap<Member, Extent> = FxHashMap::default();
        let all = functions.iter().filter_map(|one| self.extents.get(one));
        for (member, extent) in all.flatten() {
            let known = extents.entry(member.clone()).or_default();
            *known = known.or(*extent);
        }
        // In descending order, so that the first name stays, whatever the order of the functions.
        behind.sort_by(|one, other| other.cmp(one));
        Named {
            structures: members.iter().map(|(name, _)| name.clone()).collect(),
            members,
            behind: behind
                .into_iter()
                .map(|(member, name)| (member.clone(), name.clone()))
                .collect(),
            around: around.flatten().cloned().collect(),
            extents,
        }
    }

    /// Whether the sources of a compilation only declare a structure.
    pub(crate) fn is_open(&self, unit: Option<DebugNode<'m>>, node: DebugNode<'m>) -> bool {
        let structure = matches!(node.tag(), tag::STRUCTURE | tag::UNION) && node.size() == 0;
        structure && !self.named(unit, &node.name()).is_some_and(|(_, own)| own)
    }

    /// The complete structures of a compilation that types of functions lead to.
    pub(crate) fn structures(&self, unit: Option<DebugNode<'m>>) -> Vec<DebugNode<'m>> {
        let own = self.own.iter().filter(|((of, _), _)| Some(*of) == unit);
        let mut own: Vec<_> = own.map(|((_, name), node)| (name, *node)).collect();
        own.sort_by_key(|(name, _)| *name);
        own.into_iter().map(|(_, node)| node).collect()
    }

    /// The structure that a parameter without a type points to.
    pub(crate) fn of_parameter(&self, parameter: Value<'m>) -> Option<String> {
        self.structure(parameter)
    }

    /// The structure that a pointer points to: by the members that the code takes, or the variables that hold
    /// it.
    pub(crate) fn structure(&self, pointer: Value<'m>) -> Option<String> {
        structure_behind(pointer).or_else(|| self.locals.structure(pointer))
    }

    /// The structure that a member without a type points to.
    pub(crate) fn of_member(&self, member: &Member) -> Option<String> {
        self.members.get(member).cloned()
    }

    /// A structure by its name, and whether the sources of this compilation know it.
    pub(crate) fn named(
        &self,
        unit: Option<DebugNode<'m>>,
        name: &str,
    ) -> Option<(DebugNode<'m>, bool)> {
        let own = unit.and_then(|unit| self.own.get(&(unit, name.to_owned())));
        match own {
            Some(node) => Some((*node, true)),
            None => self.any.get(name).map(|node| (*node, false)),
        }
    }
}

/// Whether the code loads from an address, or stores there.
fn is_accessed(address: Value<'_>) -> bool {
    let users = address.users().into_iter();
    let mut users = users.filter(|user| user.is_instruction());
    users.any(|user| match user.opcode() {
        LLVMOpcode::LLVMLoad => true,
        LLVMOpcode::LLVMStore => user.operand(1) == address,
        _ => false,
    })
}

/// Where a value was loaded from, or the number of a pointer that was.
fn loaded_from(value: Value<'_>) -> Option<Value<'_>> {
    if !value.is_instruction() {
        return None;
    }
    match value.opcode() {
        LLVMOpcode::LLVMLoad if is_pointer(value) => Some(value.operand(0)),
        LLVMOpcode::LLVMPtrToInt => loaded_from(value.operand(0)),
        _ => None,
    }
}

/// The members of one structure whose values an instruction compares or subtracts. The address of the
/// first member is that of the structure.
fn mates(module: &Module, instruction: Value<'_>) -> Option<[Member; 2]> {
    let opcode = instruction.opcode();
    if !matches!(opcode, LLVMOpcode::LLVMICmp | LLVMOpcode::LLVMSub) {
        return None;
    }
    let [left, right] = [0, 1].map(|side| loaded_from(instruction.operand(side)));
    let (left, right) = (left?, right?);
    let within = |inner: Value<'_>, outer: Value<'_>| {
        let (structure, offset) = member(module, inner)?;
        let first = (structure.clone(), 0);
        (inner.operand(0) == outer).then_some([first, (structure, offset)])
    };
    let both = || Some([member(module, left)?, member(module, right)?]);
    let same = |pair: &[Member; 2]| pair[0].0 == pair[1].0 && pair[0] != pair[1];
    within(left, right)
        .or_else(|| within(right, left))
        .or_else(|| both().filter(same))
}

/// Whether the value of a member is the address of the structure that the member is of, or is compared
/// with another address and never with null: a list whose walk looks for null ends there.
fn is_ring<'m>(module: &'m Module, value: Value<'m>, structure: Value<'m>) -> bool {
    if value == structure {
        return true;
    }
    let is = |user: &Value<'_>, opcode| user.is_instruction() && user.opcode() == opcode;
    let users = names(module, value).into_iter().flat_map(Value::users);
    let comparisons = users.filter(|user| is(user, LLVMOpcode::LLVMICmp));
    let with_address = |one: Value<'_>| one.operands().into_iter().all(|one| !one.is_constant());
    let (addresses, nulls): (Vec<_>, Vec<_>) = comparisons.partition(|one| with_address(*one));
    nulls.is_empty() && !addresses.is_empty()
}
