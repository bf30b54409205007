//! How a function takes its arguments: C declarations that become the types of the bitcode.
//!
//! Structures that are passed in registers are declared with members like those of the program, so
//! that the compiler passes them in the same way. Where debug information and bitcode do not agree,
//! the bitcode counts.

use std::fmt::Write as _;

use labrys_llvm::{DebugNode, LLVMTypeKind, Module, Type, Value, tag};
use labrys_suite::unit::Content;

use crate::types::{content, unwrapped};

/// The type of numbers of 128 bits in C, and their bytes.
const WIDE: &str = "__int128";
const WIDE_BYTES: u64 = 16;

/// How a function is declared and called.
#[derive(Clone, Debug)]
pub(crate) struct Prototype<'m> {
    /// The result in C.
    pub(crate) result: String,
    pub(crate) parameters: Vec<Parameter<'m>>,
    /// Its type in the source, `None` for `void` and where it is not known.
    pub(crate) result_type: Option<DebugNode<'m>>,
    /// The result is a structure in memory.
    pub(crate) result_in_memory: bool,
    /// Whether calls may pass more.
    pub(crate) variadic: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Parameter<'m> {
    /// Its name in the source, or its number.
    pub(crate) name: String,
    /// Its type in the source, if that is known.
    pub(crate) ty: Option<DebugNode<'m>>,
    pub(crate) passed: Passed,
    /// It is the address of a copy in memory.
    pub(crate) in_memory: bool,
    /// The parameters of the bitcode that it consists of: the first, and their types in C.
    pub(crate) first: usize,
    pub(crate) pieces: Vec<String>,
}

/// How an argument is passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Passed {
    /// A number of this C type, with its size.
    Number {
        c: String,
        size: u64,
        content: Content,
    },
    Pointer,
    /// A structure with these members, in C, and its size: in registers or in memory.
    Structure {
        members: String,
        size: u64,
    },
    /// Where the result goes.
    Result(u64),
}

/// The prototype of a function, or the type that no driver can pass.
pub(crate) fn prototype<'m>(
    module: &'m Module,
    function: Value<'m>,
) -> Result<Prototype<'m>, String> {
    let reader = Reader { module, function };
    let described = DebugNode::of_function(module, function);
    let from_source = described.and_then(|node| reader.source_parameters(node));
    let hidden = module.result_size(function, 0).is_some();
    let parameters = match from_source {
        Some(parameters) => parameters,
        None => reader.bitcode_parameters()?,
    };
    let result = function.global_type().function_result();
    let source = described.and_then(DebugNode::result);
    let c = match source.map(unwrapped) {
        _ if hidden => Some("void".to_owned()),
        Some(node) if is_structure(node) && result.kind() != LLVMTypeKind::LLVMVoidTypeKind => {
            declared(node, "")
        }
        Some(node) => c_result(result).map(|c| number_like(node, &c).unwrap_or(c)),
        None => c_result(result),
    };
    Ok(Prototype {
        result: c.ok_or_else(|| result.to_text())?,
        parameters,
        result_type: source,
        result_in_memory: hidden,
        variadic: function.global_type().is_variadic(),
    })
}

/// The prototype of the functions that a pointer points to, by its type in the source; `None` if it
/// has no parameters that are known.
pub(crate) fn of_pointer(ty: DebugNode<'_>) -> Option<Prototype<'_>> {
    let mut types = ty.parameters();
    let variadic = types.last() == Some(&None);
    if variadic {
        types.pop();
    }
    let mut parameters = Vec::new();
    for (index, ty) in types.into_iter().enumerate() {
        let ty = ty?;
        let (node, c) = (unwrapped(ty), declared(ty, ""));
        let passed = match node.tag() {
            tag::POINTER => Passed::Pointer,
            tag::STRUCTURE | tag::UNION => Passed::Structure {
                members: c?,
                size: node.size(),
            },
            _ => Passed::Number {
                c: c?.trim_end().to_owned(),
                size: node.size(),
                content: content(node)?,
            },
        };
        parameters.push(Parameter {
            name: format!("argument {}", index + 1),
            ty: Some(ty),
            passed,
            in_memory: false,
            first: index,
            pieces: Vec::new(),
        });
    }
    let result_type = ty.result();
    Some(Prototype {
        result: match result_type {
            Some(ty) => declared(ty, "")?.trim_end().to_owned(),
            None => "void".to_owned(),
        },
        parameters,
        result_type,
        result_in_memory: false,
        variadic,
    })
}

/// The type in C of a number of this type in the source, if that is as large as the one of the bitcode.
fn number_like(node: DebugNode<'_>, bitcode: &str) -> Option<String> {
    let (size, of) = number_of(bitcode)?;
    let is_float = |content: Content| content == Content::Float;
    let content = content(node).filter(|content| *content != Content::Bytes)?;
    let alike = node.size() == size && is_float(content) == is_float(of);
    alike.then(|| declared(node, ""))?
}

/// The signature of a function by its type in the bitcode, as [`crate::types::signature`].
pub(crate) fn signature(module: &Module, function: Value<'_>) -> Option<String> {
    let ty = function.global_type();
    let word = |ty: Type<'_>| {
        Some(match kind(ty)? {
            PassedType::Integer(_) => format!("int{}", module.size_of(ty)),
            PassedType::Float(size) => format!("float{size}"),
            PassedType::Pointer => "pointer".to_owned(),
        })
    };
    let result = ty.function_result();
    let mut text = match result.kind() {
        LLVMTypeKind::LLVMVoidTypeKind => "void".to_owned(),
        _ => word(result)?,
    };
    for param in function.params() {
        text.push(',');
        text.push_str(&word(param.ty())?);
    }
    (!ty.is_variadic()).then_some(text)
}

/// The size and content of a number of a C type that stands for one of the bitcode.
pub(crate) fn number_of(c: &str) -> Option<(u64, Content)> {
    Some(match c {
        "_Bool" => (1, Content::Boolean),
        "signed char" => (1, Content::Signed),
        "unsigned char" => (1, Content::Unsigned),
        "short" => (2, Content::Signed),
        "unsigned short" => (2, Content::Unsigned),
        "int" => (4, Content::Signed),
        "long" => (8, Content::Signed),
        WIDE => (16, Content::Signed),
        "float" => (4, Content::Float),
        "double" => (8, Content::Float),
        _ => return None,
    })
}

struct Reader<'m> {
    module: &'m Module,
    function: Value<'m>,
}

impl<'m> Reader<'m> {
    /// The parameters as the source has them; `None` if the bitcode has others.
    fn source_parameters(&self, described: DebugNode<'m>) -> Option<Vec<Parameter<'m>>> {
        let types = described.parameters();
        let names = described.variables();
        let params = self.function.params();
        let mut parameters = Vec::new();
        let mut next = 0;
        if let Some(size) = self.module.result_size(self.function, 0) {
            parameters.push(Parameter {
                name: "result".to_owned(),
                ty: None,
                passed: Passed::Result(size),
                in_memory: false,
                first: 0,
                pieces: vec!["void *".to_owned()],
            });
            next = 1;
        }
        // Of a variable number: the last type is none.
        let types = match types.last() {
            Some(None) if self.function.global_type().is_variadic() => &types[..types.len() - 1],
            _ => &types[..],
        };
        for (index, ty) in types.iter().enumerate() {
            let ty = (*ty)?;
            let passed = self.passed(unwrapped(ty), next)?;
            let count = self.count(&passed, next);
            let pieces = params.get(next..next + count)?.iter();
            let pieces = pieces
                .map(|piece| c_piece(piece.ty()))
                .collect::<Option<_>>()?;
            let name = names.get(index).filter(|name| !name.is_empty());
            parameters.push(Parameter {
                name: name.map_or_else(|| format!("argument {}", index + 1), Clone::clone),
                ty: Some(ty),
                passed,
                in_memory: self.module.by_value_size(self.function, next).is_some(),
                first: next,
                pieces,
            });
            next += count;
        }
        (next == params.len()).then_some(parameters)
    }

    /// How a parameter of this type is passed, beginning at this one of the bitcode.
    fn passed(&self, ty: DebugNode<'m>, index: usize) -> Option<Passed> {
        if is_structure(ty) {
            let members = declared(ty, "")?;
            let size = ty.size();
            return Some(Passed::Structure { members, size });
        }
        let param = *self.function.params().get(index)?;
        if ty.size() == WIDE_BYTES && param.ty().int_width() == Some(64) {
            return self.halves(ty, index);
        }
        let kind = kind(param.ty())?;
        match (ty.tag() == tag::POINTER, kind) {
            (true, PassedType::Pointer) => Some(Passed::Pointer),
            (false, PassedType::Integer(_) | PassedType::Float(_)) => {
                let Passed::Number {
                    c,
                    size,
                    content: of,
                } = self.number(index).ok()?
                else {
                    return None;
                };
                let content = match content(ty) {
                    Some(Content::Boolean) => Content::Boolean,
                    Some(Content::Unsigned) => Content::Unsigned,
                    _ => of,
                };
                Some(Passed::Number { c, size, content })
            }
            _ => None,
        }
    }

    /// A number of 128 bits, if it is passed as two of the bitcode.
    fn halves(&self, ty: DebugNode<'m>, index: usize) -> Option<Passed> {
        let second = self.function.params().get(index + 1)?.ty();
        let content = content(ty).filter(|of| matches!(of, Content::Signed | Content::Unsigned))?;
        (second.int_width() == Some(64)).then(|| Passed::Number {
            c: WIDE.to_owned(),
            size: WIDE_BYTES,
            content,
        })
    }

    /// How many parameters of the bitcode one of the source is.
    fn count(&self, passed: &Passed, index: usize) -> usize {
        match passed {
            Passed::Structure { size: 0, .. } => 0,
            Passed::Structure { size: 1..=8, .. } => 1,
            Passed::Structure { size: 9..=16, .. } => {
                match self.module.by_value_size(self.function, index) {
                    Some(_) => 1,
                    None => 2,
                }
            }
            Passed::Number {
                size: WIDE_BYTES, ..
            } => match self.function.params()[index].ty().int_width() {
                Some(64) => 2,
                _ => 1,
            },
            _ => 1,
        }
    }

    fn number(&self, index: usize) -> Result<Passed, String> {
        let param = self.function.params()[index];
        let ty = param.ty();
        let refused = || ty.to_text();
        let has = |name: &str| {
            self.module
                .has_parameter_attribute(self.function, index, name)
        };
        Ok(match kind(ty).ok_or_else(refused)? {
            PassedType::Pointer => Passed::Pointer,
            PassedType::Float(size) => Passed::Number {
                c: c_type(ty, false).ok_or_else(refused)?,
                size,
                content: Content::Float,
            },
            PassedType::Integer(width) => {
                let unsigned = has("zeroext");
                Passed::Number {
                    c: c_type(ty, unsigned).ok_or_else(refused)?,
                    size: u64::from(width.div_ceil(8)),
                    content: match (width, unsigned) {
                        (1, _) => Content::Boolean,
                        (_, true) => Content::Unsigned,
                        _ => Content::Signed,
                    },
                }
            }
        })
    }

    /// The parameters as the bitcode has them.
    fn bitcode_parameters(&self) -> Result<Vec<Parameter<'m>>, String> {
        let params = self.function.params();
        let parameter = |index: usize| -> Result<Parameter<'m>, String> {
            let size = self.module.by_value_size(self.function, index);
            let passed = match (size, self.module.result_size(self.function, index)) {
                (Some(size), _) => Passed::Structure {
                    members: format!("struct {{ unsigned long words[{}]; }}", size.div_ceil(8)),
                    size,
                },
                (_, Some(size)) => Passed::Result(size),
                _ => self.number(index)?,
            };
            let ty = params[index].ty();
            Ok(Parameter {
                name: format!("argument {}", index + 1),
                ty: None,
                passed,
                in_memory: size.is_some(),
                first: index,
                pieces: vec![c_piece(ty).ok_or_else(|| ty.to_text())?],
            })
        };
        (0..params.len()).map(parameter).collect()
    }
}

fn is_structure(node: DebugNode<'_>) -> bool {
    matches!(node.tag(), tag::STRUCTURE | tag::UNION)
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

/// Whether values of a type hold no pointers.
pub(crate) fn is_plain(ty: Type<'_>) -> bool {
    match ty.kind() {
        LLVMTypeKind::LLVMStructTypeKind => ty.struct_elements().into_iter().all(is_plain),
        LLVMTypeKind::LLVMArrayTypeKind => is_plain(ty.element()),
        _ => kind(ty).is_some_and(|sort| sort != PassedType::Pointer),
    }
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
        PassedType::Integer(128) => WIDE,
        PassedType::Integer(_) => return None,
        PassedType::Float(4) => "float",
        PassedType::Float(_) => "double",
        PassedType::Pointer => "void *",
    };
    Some(name.to_owned())
}

/// The C type of a parameter of the bitcode, pieces of structures among them.
fn c_piece(ty: Type<'_>) -> Option<String> {
    let odd = |width: u32| width % 8 == 0 && width < 64;
    match kind(ty) {
        Some(PassedType::Integer(width @ 1..128)) if c_type(ty, false).is_none() => {
            odd(width).then(|| format!("unsigned _BitInt({width})"))
        }
        Some(_) => c_type(ty, false),
        None if ty.kind() == LLVMTypeKind::LLVMVectorTypeKind => {
            let pair =
                ty.vector_len() == 2 && ty.element().kind() == LLVMTypeKind::LLVMFloatTypeKind;
            pair.then(|| "labrys_floats".to_owned())
        }
        None => None,
    }
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

/// Structures in each other that are declared.
const MAX_NESTING: u32 = 16;

/// A declaration of this name with a type like this one: members lie and are passed alike.
fn declared(node: DebugNode<'_>, name: &str) -> Option<String> {
    declaration(node, name, MAX_NESTING)
}

fn declaration(node: DebugNode<'_>, name: &str, nesting: u32) -> Option<String> {
    let node = unwrapped(node);
    if nesting == 0 {
        return None;
    }
    Some(match node.tag() {
        tag::POINTER => format!("void *{name}"),
        tag::STRUCTURE | tag::UNION => {
            let word = if node.tag() == tag::UNION {
                "union"
            } else {
                "struct"
            };
            let mut text = format!("{word} {{");
            for (index, member) in node.members().into_iter().enumerate() {
                let ty = member.base()?;
                let name = format!("m{index}");
                let one = declaration(ty, &name, nesting - 1)?;
                let bits = member.size_bits();
                let _ = match bits < 8 * unwrapped(ty).size() {
                    true => write!(text, " {one} : {bits};"),
                    false => write!(text, " {one};"),
                };
            }
            format!("{text} }} {name}").trim_end().to_owned()
        }
        tag::ARRAY => {
            let element = node.base().map(unwrapped)?;
            let count = node.size().checked_div(element.size())?;
            declaration(element, &format!("{name}[{count}]"), nesting - 1)?
        }
        _ => {
            let c = match (content(node)?, node.size()) {
                _ if node.name() == "long double" => "long double",
                (Content::Float, 4) => "float",
                (Content::Float, _) => "double",
                (Content::Boolean, 1) => "_Bool",
                (Content::Signed | Content::Characters, 1) => "signed char",
                (Content::Signed, 2) => "short",
                (Content::Signed, 4) => "int",
                (Content::Signed, 8) => "long",
                (Content::Signed, 16) => WIDE,
                (_, 1) => "unsigned char",
                (_, 2) => "unsigned short",
                (_, 4) => "unsigned int",
                (_, 8) => "unsigned long",
                (_, 16) => "unsigned __int128",
                _ => return None,
            };
            format!("{c} {name}").trim_end().to_owned()
        }
    })
}
