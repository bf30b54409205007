//! The shape of parameters: numbers as the bitcode types them, pointers as debug information
//! describes the objects behind them.

use labrys_llvm::{DebugNode, LLVMTypeKind, Module, Type, Value, tag};

use super::Content;

/// What a driver declares and passes.
#[derive(Debug)]
pub(super) struct Signature<'m> {
    /// The result in C.
    pub(super) result: String,
    pub(super) parameters: Vec<Parameter<'m>>,
}

#[derive(Debug)]
pub(super) struct Parameter<'m> {
    /// Its name in the source, or its number.
    pub(super) name: String,
    pub(super) kind: Kind<'m>,
}

#[derive(Debug)]
pub(super) enum Kind<'m> {
    /// A number of this C type.
    Number {
        c: String,
        size: u64,
        content: Content,
    },
    /// A pointer to this type; `None`: to bytes of which nothing is known.
    Pointer(Option<DebugNode<'m>>),
    /// A structure in memory, passed by value.
    Structure(u64),
    /// Where the result goes.
    Result(u64),
}

/// What is behind a pointer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Pointee<'m> {
    /// Nothing that a driver makes.
    Null,
    /// An array of numbers; whether they are the characters of a string.
    Array { element: u64, text: bool },
    /// One structure, of this size, with these pointers in it.
    Structure(u64, Vec<Field<'m>>),
}

/// A pointer in an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Field<'m> {
    pub(super) offset: u64,
    pub(super) name: String,
    pub(super) to: Target<'m>,
}

/// Where a pointer in an object goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target<'m> {
    /// Nowhere.
    Null,
    /// To a type; `None` is `void`.
    Type(Option<DebugNode<'m>>),
}

/// Most bytes of a structure, and most pointers in it.
const MAX_SIZE: u64 = 16 * 1024;
const MAX_FIELDS: usize = 64;
/// Names and structures in each other that are followed.
const MAX_NESTING: u32 = 64;
/// Types of libraries whose insides are theirs.
const FOREIGN: &[&str] = &["_IO_FILE", "__va_list_tag", "__dirstream"];

/// The signature of a function, or the type that no driver can pass.
pub(super) fn signature<'m>(
    module: &'m Module,
    function: Value<'m>,
) -> Result<Signature<'m>, String> {
    let ty = function.global_type();
    let described = DebugNode::of_function(module, function);
    let types = described.map(DebugNode::parameters).unwrap_or_default();
    let names = described.map(DebugNode::variables).unwrap_or_default();
    let params = function.params();
    // Structures that are passed in pieces make the two lists differ; then only the bitcode
    // counts.
    let alike = types.len() == params.len()
        && types
            .iter()
            .zip(&params)
            .all(|(ty, param)| is_pointer(*ty) == (kind(param.ty()) == Some(PassedType::Pointer)));
    let mut parameters = Vec::new();
    for (index, param) in params.iter().enumerate() {
        let source = if alike { types[index] } else { None };
        let name = names.get(index).filter(|name| alike && !name.is_empty());
        parameters.push(Parameter {
            name: name.map_or_else(|| format!("argument {}", index + 1), Clone::clone),
            kind: parameter(module, function, index, param.ty(), source)?,
        });
    }
    let result = ty.function_result();
    Ok(Signature {
        result: c_result(result).ok_or_else(|| result.to_text())?,
        parameters,
    })
}

/// Types that a driver passes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PassedType {
    Integer(u32),
    Float(u64),
    Pointer,
}

fn kind(ty: Type<'_>) -> Option<PassedType> {
    use LLVMTypeKind as K;
    Some(match ty.kind() {
        K::LLVMIntegerTypeKind => PassedType::Integer(ty.int_width()?),
        K::LLVMFloatTypeKind => PassedType::Float(4),
        K::LLVMDoubleTypeKind => PassedType::Float(8),
        K::LLVMPointerTypeKind => PassedType::Pointer,
        _ => return None,
    })
}

fn parameter<'m>(
    module: &'m Module,
    function: Value<'m>,
    index: usize,
    ty: Type<'m>,
    source: Option<DebugNode<'m>>,
) -> Result<Kind<'m>, String> {
    let has = |name: &str| module.has_parameter_attribute(function, index, name);
    if let Some(size) = module.by_value_size(function, index) {
        return Ok(Kind::Structure(size));
    }
    if let Some(size) = module.result_size(function, index) {
        return Ok(Kind::Result(size));
    }
    let refused = || ty.to_text();
    Ok(match kind(ty).ok_or_else(refused)? {
        PassedType::Pointer => Kind::Pointer(source.map(unwrapped).and_then(DebugNode::base)),
        PassedType::Float(size) => Kind::Number {
            c: c_type(ty, false).ok_or_else(refused)?,
            size,
            content: Content::Float,
        },
        PassedType::Integer(width) => {
            let unsigned = has("zeroext");
            Kind::Number {
                c: c_type(ty, unsigned).ok_or_else(refused)?,
                size: u64::from(width.div_ceil(8)),
                content: match unsigned {
                    true => Content::Unsigned,
                    false => Content::Signed,
                },
            }
        }
    })
}

/// The C type that becomes this type of the bitcode.
fn c_type(ty: Type<'_>, unsigned: bool) -> Option<String> {
    let name = match kind(ty)? {
        PassedType::Integer(1) => "_Bool",
        PassedType::Integer(8) if unsigned => "unsigned char",
        PassedType::Integer(8) => "signed char",
        PassedType::Integer(16) if unsigned => "unsigned short",
        PassedType::Integer(16) => "short",
        PassedType::Integer(32) => "int",
        PassedType::Integer(64) => "long",
        PassedType::Integer(128) => "__int128",
        PassedType::Integer(_) => return None,
        PassedType::Float(4) => "float",
        PassedType::Float(_) => "double",
        PassedType::Pointer => "void *",
    };
    Some(name.to_owned())
}

/// The C type of a result: a structure of two numbers comes back in registers.
fn c_result(ty: Type<'_>) -> Option<String> {
    match ty.kind() {
        LLVMTypeKind::LLVMVoidTypeKind => Some("void".to_owned()),
        LLVMTypeKind::LLVMStructTypeKind => {
            let parts = ty.struct_elements();
            let whole = parts.len() == 2 && parts.iter().all(|part| is_whole(*part));
            let fields: Option<Vec<String>> = parts.iter().map(|ty| c_type(*ty, false)).collect();
            let fields = fields.filter(|_| whole)?;
            Some(format!("struct {{ {} a; {} b; }}", fields[0], fields[1]))
        }
        _ => c_type(ty, false),
    }
}

/// Whether a value fills a register.
fn is_whole(ty: Type<'_>) -> bool {
    matches!(
        kind(ty),
        Some(PassedType::Integer(64) | PassedType::Float(8) | PassedType::Pointer)
    )
}

/// Whether values of a type hold no pointers.
pub(super) fn is_plain(ty: Type<'_>) -> bool {
    match ty.kind() {
        LLVMTypeKind::LLVMStructTypeKind => ty.struct_elements().into_iter().all(is_plain),
        LLVMTypeKind::LLVMArrayTypeKind => is_plain(ty.element()),
        _ => kind(ty).is_some_and(|sort| sort != PassedType::Pointer),
    }
}

/// The type behind other names and qualifiers.
fn unwrapped(node: DebugNode<'_>) -> DebugNode<'_> {
    let mut node = node;
    for _ in 0..MAX_NESTING {
        match node.base() {
            Some(base) if tag::WRAPPERS.contains(&node.tag()) => node = base,
            _ => break,
        }
    }
    node
}

fn is_pointer(node: Option<DebugNode<'_>>) -> bool {
    node.is_some_and(|node| unwrapped(node).tag() == tag::POINTER)
}

/// What a driver makes behind a pointer to a type.
pub(super) fn pointee(to: Option<DebugNode<'_>>) -> Pointee<'_> {
    let Some(node) = to.map(unwrapped) else {
        // `void`, or a type that is not described.
        return Pointee::Array {
            element: 1,
            text: false,
        };
    };
    let size = node.size();
    match node.tag() {
        tag::BASE | tag::ENUMERATION if size > 0 => Pointee::Array {
            element: size,
            text: node.name() == "char",
        },
        tag::STRUCTURE | tag::UNION | tag::ARRAY | tag::POINTER
            if (1..=MAX_SIZE).contains(&size) && !FOREIGN.contains(&node.name().as_str()) =>
        {
            let mut fields = Vec::new();
            pointers(node, 0, "", 0, &mut fields);
            Pointee::Structure(size, fields)
        }
        _ => Pointee::Null,
    }
}

/// The pointers in a type at an offset.
fn pointers<'m>(
    node: DebugNode<'m>,
    offset: u64,
    path: &str,
    nesting: u32,
    fields: &mut Vec<Field<'m>>,
) {
    let node = unwrapped(node);
    if nesting > MAX_NESTING || fields.len() >= MAX_FIELDS {
        return;
    }
    let field = |to| Field {
        offset,
        name: path.to_owned(),
        to,
    };
    match node.tag() {
        tag::POINTER => fields.push(field(Target::Type(node.base()))),
        tag::STRUCTURE => {
            for member in node.members() {
                let Some(ty) = member.base() else { continue };
                let path = format!("{path}.{}", member.name());
                let at = offset + member.offset_bits() / 8;
                pointers(ty, at, &path, nesting + 1, fields);
            }
        }
        tag::ARRAY => {
            let Some(ty) = node.base().map(unwrapped) else {
                return;
            };
            let room = node.count().min(MAX_FIELDS as u64);
            for index in 0..room {
                let path = format!("{path}[{index}]");
                pointers(ty, offset + index * ty.size(), &path, nesting + 1, fields);
            }
        }
        tag::UNION => {
            // The members share their bytes: a pointer there is null, or a number.
            let mut inside = Vec::new();
            for ty in node.members().into_iter().filter_map(DebugNode::base) {
                pointers(ty, offset, path, nesting + 1, &mut inside);
            }
            for field in inside {
                if !fields.iter().any(|known| known.offset == field.offset) {
                    fields.push(Field {
                        to: Target::Null,
                        ..field
                    });
                }
            }
        }
        _ => {}
    }
}
