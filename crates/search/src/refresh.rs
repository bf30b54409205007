//! Fresh values for the bytes of an input that the path to a flipped branch leaves free.
//!
//! A model has values for the symbols of its query only. Bytes that no step up to the flipped one
//! depends on may have any value, and what they have decides only how the run goes on. So they are
//! drawn anew for each input, as CREST does (J. Burnim and K. Sen, ASE 2008; the experiments of Seo
//! and Kim, FSE 2014, are made with it).
//!
//! Law: the symbols of the steps up to the flipped one, and those of the model, keep their values.

use labrys_engine::Vocabulary;
use labrys_expr::Symbol;
use labrys_solver::Model;
use labrys_suite::{Input, StreamKind};

use crate::draw::{Draw, Style};
use crate::query::DecodedRun;

/// Objects that are drawn beyond those that the run asked for: the flipped run may ask for more.
const FURTHER: usize = 64;

/// Draws the free bytes of a child's input anew.
pub(crate) fn refresh(
    child: &mut Input,
    (known, step): (&DecodedRun, usize),
    model: &Model,
    max_length: usize,
    vocabulary: &Vocabulary,
    rng: &mut fastrand::Rng,
) {
    let Some(style) = Style::draw(rng) else {
        return;
    };
    let objects = known.trace.recording().object_places();
    grow_objects(child, &objects, max_length);
    let free = free(child, known, step, model);
    let mut draw = Draw {
        vocabulary,
        style,
        rng,
    };
    for (stream, free) in child.streams.iter_mut().zip(&free) {
        match stream.kind {
            StreamKind::Objects => draw.objects(&mut stream.bytes, free, &objects),
            // A file that was given may be worth keeping: what follows is often well formed.
            _ if draw.rng.u8(..4) == 0 => draw.text(&mut stream.bytes, free),
            _ => {}
        }
    }
    child.normalize();
}

/// Makes room for objects that the run did not ask for.
fn grow_objects(child: &mut Input, objects: &[(u64, u64, u8)], max_length: usize) {
    let (end, size) = objects
        .last()
        .map_or((0, 1), |(offset, size, _)| (offset + size, *size));
    let further = (size.clamp(1, 8) as usize) * FURTHER;
    let wanted = (end as usize).saturating_add(further).min(max_length);
    for stream in &mut child.streams {
        if stream.kind == StreamKind::Objects && stream.bytes.len() < wanted {
            stream.bytes.resize(wanted, 0);
        }
    }
}

/// By stream and byte: whether the byte is free.
fn free(child: &Input, known: &DecodedRun, step: usize, model: &Model) -> Vec<Vec<bool>> {
    let streams = child.streams.iter();
    let mut free: Vec<Vec<bool>> = streams
        .map(|stream| vec![true; stream.bytes.len()])
        .collect();
    let mut keep = |symbol: Symbol| {
        if let Symbol::Byte { stream, offset } = symbol
            && let Some(free) = free.get_mut(usize::from(stream))
            && let Some(free) = free.get_mut(offset as usize)
        {
            *free = false;
        }
    };
    for (number, stream) in (0u16..).zip(&child.streams) {
        if let StreamKind::Environment { name } = &stream.kind {
            // The variable's name, and the sign behind it.
            (0..=name.len() as u32).for_each(|offset| {
                keep(Symbol::Byte {
                    stream: number,
                    offset,
                });
            });
        }
    }
    known.trace.for_each_decided(step, &mut keep);
    model.iter().for_each(|(symbol, _)| keep(symbol));
    free
}
