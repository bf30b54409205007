//! Tables in which equal entries have one index.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::{
    Aggregate, AggregateId, Constant, ConstantId, FileId, ForeignId, ForeignType, Program,
};

/// Fills the interned tables of a program: asking twice for an entry gives one id.
///
/// Entries are numbered in the order of the first request; the program's text form relies on
/// requests in the order of the text (see [`Program::constants`]).
#[derive(Debug, Default)]
pub struct Tables {
    files: Table<String>,
    aggregates: Table<Aggregate>,
    foreign_types: Table<ForeignType>,
    constants: Table<Constant>,
}

impl Tables {
    /// Empty tables.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The id of a source file.
    pub fn file(&mut self, path: &str) -> FileId {
        FileId::new(self.files.intern(path.to_owned()))
    }

    /// The id of an aggregate type.
    pub fn aggregate(&mut self, aggregate: Aggregate) -> AggregateId {
        AggregateId::new(self.aggregates.intern(aggregate))
    }

    /// The id of a type without a model.
    pub fn foreign_type(&mut self, foreign: ForeignType) -> ForeignId {
        ForeignId::new(self.foreign_types.intern(foreign))
    }

    /// The id of a constant.
    pub fn constant(&mut self, constant: Constant) -> ConstantId {
        ConstantId::new(self.constants.intern(constant))
    }

    /// The constant with an id that these tables gave.
    #[must_use]
    pub fn constant_at(&self, id: ConstantId) -> Option<&Constant> {
        self.constants.entries.get(id.index())
    }

    /// The aggregate with an id that these tables gave.
    #[must_use]
    pub fn aggregate_at(&self, id: AggregateId) -> Option<&Aggregate> {
        self.aggregates.entries.get(id.index())
    }

    /// The foreign type with an id that these tables gave.
    #[must_use]
    pub fn foreign_type_at(&self, id: ForeignId) -> Option<&ForeignType> {
        self.foreign_types.entries.get(id.index())
    }

    /// Moves the tables into a program, replacing its own.
    pub fn finish(self, program: &mut Program) {
        program.files = self.files.entries;
        program.aggregates = self.aggregates.entries;
        program.foreign_types = self.foreign_types.entries;
        program.constants = self.constants.entries;
    }
}

/// Entries with a map from entry to index.
#[derive(Debug)]
struct Table<T> {
    entries: Vec<T>,
    index: FxHashMap<T, usize>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            index: FxHashMap::default(),
        }
    }
}

impl<T: Clone + Eq + Hash> Table<T> {
    fn intern(&mut self, entry: T) -> usize {
        if let Some(&index) = self.index.get(&entry) {
            return index;
        }
        let index = self.entries.len();
        self.entries.push(entry.clone());
        self.index.insert(entry, index);
        index
    }
}
