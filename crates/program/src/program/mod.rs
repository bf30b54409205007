//! The program model as a whole: tables, look-ups and the serialized form.
//!
//! Invariant: whoever builds a program adds sites by [`Program::push_site`], which keeps the
//! branch numbering dense; [`Program::from_bytes`] refuses bytes that break it.

mod derived;
mod site_table;
mod verify;

use serde::{Deserialize, Serialize};

use crate::{
    Aggregate, BlockId, BranchId, Caveat, Constant, ConstantId, FileId, ForeignType, Function,
    FunctionId, Global, GlobalId, Location, Operand, POINTER_SIZE, Relocation, Site, SiteId,
    SiteKind, Terminator, Type,
};

pub use derived::Derived;
pub use verify::{MAX_CONSTANT_DEPTH, Violation};

/// First bytes of a serialized program: a magic number and the version of the format.
const HEADER: &[u8; 8] = b"LBPROG\x00\x02";

/// The static model of one program, made from its frozen bitcode.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// Name of the program, for people.
    pub name: String,
    /// SHA-256 of the frozen bitcode.
    pub bitcode_hash: [u8; 32],
    /// Absolute paths of the source files.
    pub files: Vec<String>,
    /// Struct and array types that occur as types of values.
    pub aggregates: Vec<Aggregate>,
    /// Types without a model that occur.
    pub foreign_types: Vec<ForeignType>,
    /// Constants that occur as operands, each once, in the order of their first use.
    pub constants: Vec<Constant>,
    /// All global variables in the order of the bitcode, external ones included.
    pub globals: Vec<Global>,
    /// All functions in the order of the bitcode, external ones included.
    pub functions: Vec<Function>,
    /// All sites in the order (function, block, instruction).
    pub sites: Vec<Site>,
    /// What the model does not show, in order.
    pub caveats: Vec<Caveat>,
    /// What was found of all this, for as long as it stays as it is ([`Derived::fact`]).
    #[serde(skip)]
    pub derived: Derived,
}

/// Why serialized bytes are no program.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// The bytes do not begin like a program model of this version.
    #[error("not a program model of this version of Labrys")]
    Header,
    /// The bytes are cut off or damaged.
    #[error("damaged program model: {0}")]
    Damaged(#[from] postcard::Error),
    /// The branch numbering is not dense at this site.
    #[error("damaged program model: branches of site {0} are not numbered densely")]
    Branches(SiteId),
}

impl Program {
    /// The number of branches of all sites.
    #[must_use]
    pub fn branch_count(&self) -> usize {
        self.sites.last().map_or(0, |site| {
            (site.first_branch.0 + site.kind.directions()) as usize
        })
    }

    /// Parts of the initializers of all globals that are no plain bytes.
    pub fn relocations(&self) -> impl Iterator<Item = &Relocation> {
        let initializers = self.globals.iter().flat_map(|global| &global.initializer);
        initializers.flat_map(|initializer| &initializer.relocations)
    }

    /// The site with this id; `None` for sites of library models and of the runtime.
    #[must_use]
    pub fn site(&self, id: SiteId) -> Option<&Site> {
        self.sites.get(id.index())
    }

    /// The branch of a site in a direction; `None` if there is no such site or direction.
    #[must_use]
    pub fn branch(&self, site: SiteId, direction: u32) -> Option<BranchId> {
        let site = self.site(site)?;
        (direction < site.kind.directions()).then(|| BranchId(site.first_branch.0 + direction))
    }

    /// The site and direction of a branch; the inverse of [`Program::branch`].
    #[must_use]
    pub fn branch_site(&self, branch: BranchId) -> Option<(SiteId, u32)> {
        let after = self
            .sites
            .partition_point(|site| site.first_branch <= branch);
        let id = SiteId::new(after.checked_sub(1)?);
        Some((id, self.site(id)?.direction(branch)?))
    }

    /// The name of a branch for people: the place of its decision, the site, the direction. `None`
    /// if there is no such branch.
    #[must_use]
    pub fn branch_name(&self, branch: BranchId) -> Option<String> {
        let (id, direction) = self.branch_site(branch)?;
        let site = self.site(id)?;
        let place = site.location.and_then(|at| {
            let file = self.file(at.file)?;
            Some(format!("{file}:{}:{}", at.line, at.column))
        });
        let place = match place {
            Some(place) => place,
            None => format!("{} {}", self.function(site.function)?.name, site.block),
        };
        // A macro makes many decisions at one place.
        Some(format!("{place} {id} direction {direction}"))
    }

    /// The sides of oracle sites that do not trap.
    pub fn passing_sides(&self) -> impl Iterator<Item = BranchId> {
        let checks = self.sites.iter().filter(|site| site.oracle);
        checks.flat_map(|site| {
            let function = self.function(site.function);
            let ends = function.and_then(|function| match function.block(site.block)?.terminator {
                Terminator::Branch {
                    if_true, if_false, ..
                } => Some((function, [if_false, if_true])),
                _ => None,
            });
            let ends = ends.into_iter().flat_map(|(function, ends)| {
                let sides = site.branches().zip(ends);
                sides.filter(|(_, to)| !function.traps_at(*to))
            });
            ends.map(|(branch, _)| branch)
        })
    }

    /// Appends a site, numbering its branches after those of the sites before it.
    pub fn push_site(
        &mut self,
        kind: SiteKind,
        function: FunctionId,
        block: BlockId,
        location: Option<Location>,
        oracle: bool,
    ) -> SiteId {
        let id = SiteId::new(self.sites.len());
        let first_branch = BranchId::new(self.branch_count());
        self.sites.push(Site {
            kind,
            function,
            block,
            location,
            first_branch,
            oracle,
        });
        id
    }

    /// The function with this id.
    #[must_use]
    pub fn function(&self, id: FunctionId) -> Option<&Function> {
        self.functions.get(id.index())
    }

    /// The function with this symbol name.
    #[must_use]
    pub fn function_named(&self, name: &str) -> Option<FunctionId> {
        self.functions
            .iter()
            .position(|function| function.name == name)
            .map(FunctionId::new)
    }

    /// The global with this id.
    #[must_use]
    pub fn global(&self, id: GlobalId) -> Option<&Global> {
        self.globals.get(id.index())
    }

    /// The global with this symbol name.
    #[must_use]
    pub fn global_named(&self, name: &str) -> Option<GlobalId> {
        self.globals
            .iter()
            .position(|global| global.name == name)
            .map(GlobalId::new)
    }

    /// The constant with this id.
    #[must_use]
    pub fn constant(&self, id: ConstantId) -> Option<&Constant> {
        self.constants.get(id.index())
    }

    /// The type of a constant; `None` if it refers outside the tables.
    #[must_use]
    pub fn constant_type(&self, id: ConstantId) -> Option<Type> {
        Some(match self.constant(id)? {
            Constant::Int { width, .. } => Type::Int(*width),
            Constant::Float(_) => Type::Float,
            Constant::Double(_) => Type::Double,
            Constant::Null
            | Constant::Global(_)
            | Constant::Function(_)
            | Constant::Offset { .. } => Type::Pointer,
            Constant::Cast { to, .. } => *to,
            Constant::Binary { left, .. } if *left < id => self.constant_type(*left)?,
            Constant::Binary { .. } => return None,
            Constant::Aggregate { aggregate, .. } => Type::Aggregate(*aggregate),
            Constant::Zero(ty) | Constant::Undefined(ty) | Constant::Poison(ty) => *ty,
            Constant::Opaque { ty, .. } => *ty,
        })
    }

    /// The type of an operand in a function; `None` if it refers outside the tables.
    #[must_use]
    pub fn operand_type(&self, function: &Function, operand: Operand) -> Option<Type> {
        match operand {
            Operand::Value(value) => function.value_type(value),
            Operand::Constant(constant) => self.constant_type(constant),
        }
    }

    /// Whether a function gets, as the parameter of this number, the argument of the same number
    /// of a call: it may be called by another type than its own, and then registers tell which
    /// argument is which parameter.
    #[must_use]
    pub fn argument_fits(
        &self,
        caller: &Function,
        arguments: &[Operand],
        callee: &Function,
        index: usize,
    ) -> bool {
        (0..=index).all(|place| {
            let parameter = callee.parameters.get(place).map(|parameter| parameter.ty);
            let argument = arguments.get(place);
            let argument = argument.and_then(|one| self.operand_type(caller, *one));
            let words = |ty: Option<Type>| ty.is_some_and(|ty| ty.is_int() || ty == Type::Pointer);
            parameter == argument || place < index && words(parameter) && words(argument)
        })
    }

    /// Bytes that a load or store of this type accesses: no padding at the end of an integer,
    /// all of an aggregate. `None` if it refers outside the tables.
    #[must_use]
    pub fn store_size(&self, ty: Type) -> Option<u64> {
        Some(match ty {
            Type::Void => 0,
            Type::Int(width) => u64::from(width.div_ceil(8)),
            Type::Float => 4,
            Type::Double => 8,
            Type::Pointer => POINTER_SIZE,
            Type::Aggregate(id) => self.aggregates.get(id.index())?.size,
            Type::Foreign(id) => self.foreign_types.get(id.index())?.size,
        })
    }

    /// The path of a source file.
    #[must_use]
    pub fn file(&self, id: FileId) -> Option<&str> {
        self.files.get(id.index()).map(String::as_str)
    }

    /// The serialized form, the same bytes for equal programs.
    ///
    /// # Panics
    /// Never: serialization to memory of these types cannot fail.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_extend(self, HEADER.to_vec()).expect("program tables serialize to memory")
    }

    /// Reads the serialized form.
    ///
    /// # Errors
    /// If the bytes are not a program model of this version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        let body = bytes.strip_prefix(HEADER).ok_or(DecodeError::Header)?;
        let program: Program = postcard::from_bytes(body)?;
        program.check_branches()?;
        Ok(program)
    }

    /// Checks that branches are numbered densely.
    fn check_branches(&self) -> Result<(), DecodeError> {
        let mut next = 0u32;
        for (index, site) in self.sites.iter().enumerate() {
            if site.first_branch != BranchId(next) {
                return Err(DecodeError::Branches(SiteId::new(index)));
            }
            let after = next.checked_add(site.kind.directions());
            next = after.ok_or(DecodeError::Branches(SiteId::new(index)))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Program {
        let mut program = Program {
            name: "sample".into(),
            files: vec!["/src/a.c".into()],
            functions: vec![Function {
                name: "main".into(),
                defined: true,
                ..Function::default()
            }],
            ..Program::default()
        };
        let place = Some(Location {
            file: FileId(0),
            line: 3,
            column: 7,
        });
        program.push_site(SiteKind::Branch, FunctionId(0), BlockId(0), place, false);
        let kind = SiteKind::Switch {
            width: 32,
            cases: vec![1, 5, u128::from(u32::MAX)],
        };
        program.push_site(kind, FunctionId(0), BlockId(1), None, false);
        program.push_site(SiteKind::Select, FunctionId(0), BlockId(2), None, true);
        program
    }

    #[test]
    fn branches_are_dense() {
        let program = sample();
        assert_eq!(program.branch_count(), 8);
        let mut seen = Vec::new();
        for (index, site) in program.sites.iter().enumerate() {
            for (direction, branch) in (0..).zip(site.branches()) {
                let id = SiteId::new(index);
                assert_eq!(program.branch(id, direction), Some(branch));
                assert_eq!(program.branch_site(branch), Some((id, direction)));
                seen.push(branch.index());
            }
        }
        assert_eq!(seen, (0..8).collect::<Vec<_>>());
        assert_eq!(program.branch(SiteId(0), 2), None);
        assert_eq!(program.branch(SiteId(3), 0), None);
        assert_eq!(program.branch_site(BranchId(8)), None);
    }

    #[test]
    fn bytes_round_trip_and_refuse_damage() {
        let program = sample();
        let bytes = program.to_bytes();
        assert_eq!(Program::from_bytes(&bytes).expect("own bytes"), program);
        assert!(matches!(
            Program::from_bytes(b"ELF"),
            Err(DecodeError::Header)
        ));
        for cut in HEADER.len()..bytes.len() {
            assert!(Program::from_bytes(&bytes[..cut]).is_err());
        }
        let mut wrong = program;
        wrong.sites[1].first_branch = BranchId(3);
        let damaged = Program::from_bytes(&wrong.to_bytes());
        assert!(matches!(damaged, Err(DecodeError::Branches(SiteId(1)))));
    }
}
