//! Declarations with the types of the source, where they have names.

use labrys_llvm::{DebugNode, tag};
use labrys_suite::unit::Content;

use crate::types::{content, is_va_list, unwrapped};

/// Types in each other that are spelled.
const MAX_NESTING: u32 = 16;

/// The declaration of a function of this type with parameters `a0`, `a1` and so on; none if a type has
/// no name, or the result is a structure.
pub(crate) fn function(ty: DebugNode<'_>, name: &str) -> Option<String> {
    let structure =
        |node: DebugNode<'_>| matches!(unwrapped(node).tag(), tag::STRUCTURE | tag::UNION);
    if ty.result().is_some_and(structure) {
        return None;
    }
    let parameters = parameters(ty, true, MAX_NESTING)?;
    spelled(ty.result(), &format!("{name}({parameters})"), MAX_NESTING)
}

fn parameters(ty: DebugNode<'_>, named: bool, nesting: u32) -> Option<String> {
    let mut words = Vec::new();
    for (index, parameter) in ty.parameters().into_iter().enumerate() {
        let name = match named {
            true => format!("a{index}"),
            false => String::new(),
        };
        words.push(match parameter {
            Some(ty) => spelled(Some(ty), &name, nesting)?,
            None => "...".to_owned(),
        });
    }
    Some(match words.is_empty() {
        true => "void".to_owned(),
        false => words.join(", "),
    })
}

/// A declaration of something of this type, `None` for `void`.
fn spelled(node: Option<DebugNode<'_>>, inner: &str, nesting: u32) -> Option<String> {
    let with = |word: &str| format!("{word} {inner}").trim_end().to_owned();
    let Some(node) = node else {
        return Some(with("void"));
    };
    let nesting = nesting.checked_sub(1)?;
    let name = node.name();
    let tagged = |word: &str| (!name.is_empty()).then(|| with(&format!("{word} {name}")));
    match node.tag() {
        tag::TYPEDEF => Some(with(&name)),
        tag::BASE => {
            let known = content(node).is_some_and(|content| content != Content::Bytes);
            (known || name == "long double").then(|| with(&name))
        }
        tag::STRUCTURE => tagged("struct"),
        tag::UNION => tagged("union"),
        tag::ENUMERATION => tagged("enum"),
        // Its structure has no name that the source knows.
        tag::POINTER if node.base().is_some_and(is_va_list) => Some(with("__builtin_va_list")),
        tag::POINTER => {
            let to = node.base();
            let behind = to.map(|to| qualified(to).tag());
            let inner = match behind {
                Some(tag::SUBROUTINE | tag::ARRAY) => format!("(*{inner})"),
                _ => format!("*{inner}"),
            };
            spelled(to, &inner, nesting)
        }
        tag::ATOMIC => {
            let of = spelled(node.base(), "", nesting)?;
            Some(with(&format!("_Atomic({of})")))
        }
        tag::CONST | tag::VOLATILE => {
            let word = if node.tag() == tag::VOLATILE {
                "volatile"
            } else {
                "const"
            };
            match node.base().map(|base| qualified(base).tag()) {
                Some(tag::POINTER) => spelled(node.base(), &format!("{word} {inner}"), nesting),
                _ => Some(format!("{word} {}", spelled(node.base(), inner, nesting)?)),
            }
        }
        tag::SUBROUTINE => {
            let parameters = parameters(node, false, nesting)?;
            spelled(node.result(), &format!("{inner}({parameters})"), nesting)
        }
        tag::ARRAY => {
            let sizes = node.dimensions().into_iter();
            let sizes: String = sizes.map(|size| format!("[{size}]")).collect();
            spelled(node.base(), &format!("{inner}{sizes}"), nesting)
        }
        // Only pointers are `restrict`.
        _ if tag::WRAPPERS.contains(&node.tag()) => spelled(node.base(), inner, nesting),
        _ => None,
    }
}

/// The type behind qualifiers, not behind names.
fn qualified(node: DebugNode<'_>) -> DebugNode<'_> {
    let mut node = node;
    for _ in 0..MAX_NESTING {
        match node.base() {
            Some(base) if node.tag() != tag::TYPEDEF && tag::WRAPPERS.contains(&node.tag()) => {
                node = base;
            }
            _ => break,
        }
    }
    node
}
