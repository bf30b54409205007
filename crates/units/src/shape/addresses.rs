//! Numbers that are addresses ([`crate::addresses`]): each is that of a block that is input.

use labrys_llvm::Value;
use labrys_suite::unit::{Content, Length, Part, Root};

use super::{Aim, Builder, Spot};
use crate::addresses::{Other, Reach};
use crate::extents::compared;
use crate::numbers::Number;
use crate::prototype::{Parameter, Passed};
use crate::types::{Kind, Piece};

/// Makes a piece of an object the address of a block, if it is a number which the code takes for one.
pub(super) fn add_piece<'m>(
    builder: &mut Builder<'m, '_>,
    spot: &Spot,
    piece: &Piece<'m>,
    behind: (u32, usize),
    parts: &mut Vec<Part>,
) -> bool {
    let Kind::Numbers(content, element) = piece.kind else {
        return false;
    };
    let reach = of_piece(builder, spot, piece).filter(|_| behind.0 > 0 && piece.size == element);
    if let Some(reach) = &reach {
        let number = (element, content);
        let place = (piece.offset, &*piece.path);
        add(builder, spot, place, number, (reach, behind), parts);
    }
    reach.is_some()
}

/// The same of a parameter.
pub(super) fn add_parameter<'m>(
    builder: &mut Builder<'m, '_>,
    spot: &Spot,
    parameter: &Parameter<'m>,
    behind: (u32, usize),
    parts: &mut Vec<Part>,
) -> bool {
    let Passed::Number { size, content, .. } = parameter.passed else {
        return false;
    };
    let value = value(builder, parameter);
    let number = value.map(Number::Parameter);
    let reach = number.and_then(|number| builder.uses.addresses.reach(&number).cloned());
    if let Some(reach) = &reach {
        add(
            builder,
            spot,
            (0, ""),
            (size, content),
            (reach, behind),
            parts,
        );
    }
    reach.is_some()
}

/// The same of what a function answers that nobody defines.
pub(super) fn add_answer<'m>(
    builder: &mut Builder<'m, '_>,
    spot: &Spot,
    (function, call): (Option<Value<'m>>, u64),
    number: (u64, Content),
    parts: &mut Vec<Part>,
) -> bool {
    let function = function.filter(|_| builder.for_tests);
    let result = function.map(Number::Result);
    let reach = result.and_then(|result| builder.uses.addresses.reach(&result).cloned());
    if let Some(reach) = &reach {
        let path = format!("[{call}]");
        let place = (call * number.0, &*path);
        add(builder, spot, place, number, (reach, (1, 0)), parts);
    }
    reach.is_some()
}

/// The value of a parameter, in tests.
fn value<'m>(builder: &Builder<'m, '_>, parameter: &Parameter<'m>) -> Option<Value<'m>> {
    let function = builder.function.filter(|_| builder.for_tests)?;
    function.params().get(parameter.first).copied()
}

/// What the code comes to from a piece of an object.
fn of_piece<'m>(builder: &Builder<'m, '_>, spot: &Spot, piece: &Piece<'m>) -> Option<Reach> {
    let is_known = builder.for_tests && !piece.raw;
    let addresses = is_known.then_some(&builder.uses.addresses)?;
    if let (Root::Global(name), true) = (&spot.place.root, spot.place.path.is_empty()) {
        let variable = builder.module.and_then(|module| module.global(name));
        let number = variable.map(|variable| Number::Variable(variable, piece.offset));
        if let Some(reach) = number.and_then(|number| addresses.reach(&number)) {
            return Some(reach.clone());
        }
    }
    let member = piece.member.as_ref()?;
    let named = builder.named.as_ref();
    let is_named = named.is_none_or(|named| named.comes_to(member));
    let reach = addresses.reach(&Number::Member(member.clone()));
    reach.filter(|_| is_named).cloned()
}

/// Makes a number the address of a block of its own, or what it may be besides.
fn add(
    builder: &mut Builder<'_, '_>,
    spot: &Spot,
    (offset, path): (u64, &str),
    (size, content): (u64, Content),
    (reach, (depth, behind)): (&Reach, (u32, usize)),
    parts: &mut Vec<Part>,
) {
    let is_any = reach.other == Other::Any;
    if is_any {
        builder.numbers(spot, offset, path, size, size, content, parts);
    }
    let structure = builder.told(reach.structure());
    let aim = Aim {
        to: structure,
        block: structure.is_none().then(|| reach.block()),
        number: Some(size),
        shared: is_any,
        is_set: reach.other != Other::Zero,
        behind,
        ..Aim::default()
    };
    let part = builder.pointer(spot, offset, path, &aim, depth);
    parts.push(part);
}

/// What is assumed of a parameter that the code adds to an address.
pub(super) fn offset<'m>(builder: &Builder<'m, '_>, parameter: &Parameter<'m>) -> Option<Length> {
    let value = value(builder, parameter).filter(|_| builder.bounds.lengths)?;
    let most = builder.uses.addresses.most(value)?;
    // Where the code looks at the number, both sides are calls.
    let is_free = compared(value).into_iter().any(|one| one >= most);
    let most = (!is_free).then_some(most)?;
    Some(Length {
        leaf: 0,
        of: "the address".to_owned(),
        most,
        negative: false,
        room: None,
    })
}
