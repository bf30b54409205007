//! Types of the bitcode to types of the static program model, with their layout.

use std::collections::HashMap;

use labrys_program::{Aggregate, Field, ForeignType, Shape, Tables, Type};

use labrys_llvm::{LLVMTypeKind, Module, Type as LlvmType};

/// Types lowered so far, and the tables of the model, which hold types beside constants and files.
pub(super) struct Types<'m> {
    module: &'m Module,
    tables: Tables,
    known: HashMap<LlvmType<'m>, Type>,
}

impl<'m> Types<'m> {
    pub(super) fn of_module(module: &'m Module) -> Self {
        Types {
            module,
            tables: Tables::new(),
            known: HashMap::new(),
        }
    }

    pub(super) fn module(&self) -> &'m Module {
        self.module
    }

    pub(super) fn tables(&mut self) -> &mut Tables {
        &mut self.tables
    }

    /// The tables, when nothing more is lowered.
    pub(super) fn into_tables(self) -> Tables {
        self.tables
    }

    /// The type of the model; one without a counterpart is foreign.
    pub(super) fn of(&mut self, ty: LlvmType<'m>) -> Type {
        if let Some(known) = self.known.get(&ty) {
            return *known;
        }
        let lowered = match ty.kind() {
            LLVMTypeKind::LLVMVoidTypeKind => Type::Void,
            LLVMTypeKind::LLVMFloatTypeKind => Type::Float,
            LLVMTypeKind::LLVMDoubleTypeKind => Type::Double,
            LLVMTypeKind::LLVMPointerTypeKind if ty.address_space() == 0 => Type::Pointer,
            LLVMTypeKind::LLVMIntegerTypeKind => match ty.int_width() {
                Some(width @ 1..=128) => Type::Int(width),
                _ => self.foreign(ty),
            },
            LLVMTypeKind::LLVMStructTypeKind if ty.is_sized() => self.structure(ty),
            LLVMTypeKind::LLVMArrayTypeKind if ty.is_sized() => {
                let element = self.of(ty.element());
                let shape = Shape::Array {
                    element,
                    length: ty.array_len(),
                };
                self.aggregate(ty, shape)
            }
            _ => self.foreign(ty),
        };
        self.known.insert(ty, lowered);
        lowered
    }

    fn structure(&mut self, ty: LlvmType<'m>) -> Type {
        let elements = (0..).zip(ty.struct_elements());
        let fields = elements
            .map(|(index, element)| Field {
                offset: self.module.element_offset(ty, index),
                ty: self.of(element),
            })
            .collect();
        self.aggregate(ty, Shape::Struct(fields))
    }

    fn aggregate(&mut self, ty: LlvmType<'m>, shape: Shape) -> Type {
        let size = self.module.size_of(ty);
        Type::Aggregate(self.tables.aggregate(Aggregate { size, shape }))
    }

    fn foreign(&mut self, ty: LlvmType<'m>) -> Type {
        // A store of a foreign value writes its bits only, without the padding after them.
        let size = if ty.is_sized() {
            self.module.store_size_of(ty)
        } else {
            0
        };
        Type::Foreign(self.tables.foreign_type(ForeignType {
            name: ty.to_text(),
            size,
        }))
    }

    /// LLVM's name of a foreign type; `None` for others.
    pub(super) fn foreign_name(&mut self, ty: LlvmType<'m>) -> Option<String> {
        let Type::Foreign(id) = self.of(ty) else {
            return None;
        };
        Some(
            self.tables
                .foreign_type_at(id)
                .map(|foreign| foreign.name.clone())
                .unwrap_or_default(),
        )
    }

    /// Bytes between neighbors of this type in memory; 0 for a type without a size.
    pub(super) fn alloc_size(&self, ty: LlvmType<'m>) -> u64 {
        if ty.is_sized() {
            self.module.size_of(ty)
        } else {
            0
        }
    }
}
