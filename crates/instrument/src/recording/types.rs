//! Types as the instrumentation sees them: as scalars in a row, each with one label.

use labrys_llvm::{LLVMTypeKind, Module, Type, Value};

/// Arrays of more elements count as one scalar without a label.
const LONGEST_ARRAY: u64 = 64;

/// Whether a type is a vector whose elements are whole bytes: each is a scalar.
pub(super) fn is_vector(ty: Type<'_>) -> bool {
    let fits = u64::from(ty.vector_len()) <= LONGEST_ARRAY;
    ty.kind() == LLVMTypeKind::LLVMVectorTypeKind
        && fits
        && width(ty.element()).is_some_and(|bits| bits % 8 == 0)
}

/// The scalars of a type, flattened. A type without labels (80-bit floats, integers of more than
/// 128 bits, vectors of such) counts as one scalar.
pub(super) fn scalars(ty: Type<'_>) -> Vec<Type<'_>> {
    match ty.kind() {
        LLVMTypeKind::LLVMStructTypeKind => {
            ty.struct_elements().into_iter().flat_map(scalars).collect()
        }
        LLVMTypeKind::LLVMArrayTypeKind if ty.array_len() <= LONGEST_ARRAY => {
            let element = scalars(ty.element());
            (0..ty.array_len()).flat_map(|_| element.clone()).collect()
        }
        LLVMTypeKind::LLVMVectorTypeKind if is_vector(ty) => {
            vec![ty.element(); ty.vector_len() as usize]
        }
        LLVMTypeKind::LLVMVoidTypeKind => Vec::new(),
        _ => vec![ty],
    }
}

/// Width in bits of a scalar that can carry a label.
pub(super) fn width(ty: Type<'_>) -> Option<u32> {
    match ty.kind() {
        LLVMTypeKind::LLVMIntegerTypeKind => ty.int_width().filter(|w| *w <= 128),
        LLVMTypeKind::LLVMPointerTypeKind | LLVMTypeKind::LLVMDoubleTypeKind => Some(64),
        LLVMTypeKind::LLVMFloatTypeKind => Some(32),
        _ => None,
    }
}

/// A scalar inside a type in memory.
pub(super) struct Place<'m> {
    pub(super) ty: Type<'m>,
    /// Byte offset.
    pub(super) offset: u64,
    /// Path of aggregate indices.
    pub(super) path: Vec<u32>,
}

/// The scalars of a type with their places, in the order of [`scalars`].
pub(super) fn places<'m>(module: &Module, ty: Type<'m>) -> Vec<Place<'m>> {
    let nested = |element: Type<'m>, index: u32, start: u64| {
        places(module, element).into_iter().map(move |mut p| {
            p.offset += start;
            p.path.insert(0, index);
            p
        })
    };
    match ty.kind() {
        LLVMTypeKind::LLVMStructTypeKind => (0..)
            .zip(ty.struct_elements())
            .flat_map(|(i, element)| nested(element, i, module.element_offset(ty, i)))
            .collect(),
        LLVMTypeKind::LLVMArrayTypeKind if ty.array_len() <= LONGEST_ARRAY => {
            let step = module.size_of(ty.element());
            (0..ty.array_len() as u32)
                .flat_map(|i| nested(ty.element(), i, u64::from(i) * step))
                .collect()
        }
        LLVMTypeKind::LLVMVectorTypeKind if is_vector(ty) => {
            let step = module.store_size_of(ty.element());
            (0..ty.vector_len())
                .flat_map(|i| nested(ty.element(), i, u64::from(i) * step))
                .collect()
        }
        _ => vec![Place {
            ty,
            offset: 0,
            path: Vec::new(),
        }],
    }
}

/// First scalar and number of scalars that `indices` select in an aggregate value.
pub(super) fn selected(aggregate: Value<'_>, indices: &[u32]) -> (usize, usize) {
    let mut ty = aggregate.ty();
    let mut start = 0;
    for index in indices {
        if ty.kind() == LLVMTypeKind::LLVMStructTypeKind {
            let elements = ty.struct_elements();
            start += elements[..*index as usize]
                .iter()
                .map(|t| scalars(*t).len())
                .sum::<usize>();
            ty = elements[*index as usize];
        } else {
            ty = ty.element();
            start += *index as usize * scalars(ty).len();
        }
    }
    (start, scalars(ty).len())
}

/// Whether a value is a function, not a pointer to one.
pub(super) fn is_function(value: Value<'_>) -> bool {
    value.kind() == labrys_llvm::LLVMValueKind::LLVMFunctionValueKind
}

/// Whether a type is that of pointers.
pub(super) fn is_pointer(ty: Type<'_>) -> bool {
    ty.kind() == LLVMTypeKind::LLVMPointerTypeKind
}
