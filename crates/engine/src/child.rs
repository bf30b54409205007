//! The input of a child run: the parent's input with the values of a model in place.
//!
//! Law: every symbol of the model has its value in the child, except bytes beyond the end of a
//! file, which no run reads, and lengths above the limit.

use labrys_executor::MAX_OBJECTS;
use labrys_expr::Symbol;
use labrys_suite::{Input, StreamKind};

/// Makes the input of a child run. Files that grow are filled with random printable characters, or
/// with a copy of how they begin: of what is read piece by piece, another piece. Objects grow with
/// zeros, as the program reads zeros beyond their end.
pub fn child(
    parent: &Input,
    model: impl IntoIterator<Item = (Symbol, u128)>,
    max_length: usize,
    rng: &mut fastrand::Rng,
) -> Input {
    let mut child = parent.clone();
    let mut bytes = Vec::new();
    for (symbol, value) in model {
        match symbol {
            Symbol::Length { stream } => {
                let length = usize::try_from(value).unwrap_or(usize::MAX);
                set_length(&mut child, usize::from(stream), length, max_length, rng);
            }
            Symbol::Byte { stream, offset } => bytes.push((stream, offset, value as u8)),
            Symbol::Named { .. } => {}
        }
    }
    for (stream, offset, byte) in bytes {
        let (stream, offset) = (usize::from(stream), offset as usize);
        let Some(target) = child.streams.get(stream) else {
            continue;
        };
        let grows = target.kind == StreamKind::Objects && offset < MAX_OBJECTS as usize;
        if offset < target.bytes.len() || grows {
            child.set_byte(stream, offset, byte);
        }
    }
    child.normalize();
    child
}

/// Files can be cut and grow, objects grow; the other streams keep their length.
fn set_length(
    input: &mut Input,
    stream: usize,
    length: usize,
    max_length: usize,
    rng: &mut fastrand::Rng,
) {
    let Some(target) = input.streams.get_mut(stream) else {
        return;
    };
    if target.kind == StreamKind::Objects {
        let length = length.clamp(target.bytes.len(), MAX_OBJECTS as usize);
        target.bytes.resize(length, 0);
    }
    if target.kind.is_file() {
        let (old, length) = (target.bytes.len(), length.min(max_length));
        target.bytes.truncate(length);
        target.bytes.resize_with(length, || rng.u8(b' '..=b'~'));
        if old > 0 && rng.bool() {
            (old..length).for_each(|at| target.bytes[at] = target.bytes[at - old]);
        }
    }
}

#[cfg(test)]
mod tests {
    use labrys_suite::InputStream;

    use super::*;

    fn byte(stream: u16, offset: u32, value: u8) -> (Symbol, u128) {
        (Symbol::Byte { stream, offset }, u128::from(value))
    }

    fn length(stream: u16, value: u128) -> (Symbol, u128) {
        (Symbol::Length { stream }, value)
    }

    fn make(parent: &Input, model: &[(Symbol, u128)]) -> Input {
        child(
            parent,
            model.iter().copied(),
            20,
            &mut fastrand::Rng::with_seed(1),
        )
    }

    #[test]
    fn values_are_patched_in() {
        let parent = Input::stdin(*b"hello");
        let model = [byte(0, 1, b'E'), byte(0, 9, b'x')];
        assert_eq!(make(&parent, &model), Input::stdin(*b"hEllo"));
    }

    #[test]
    fn files_change_their_length() {
        let mut rng = fastrand::Rng::with_seed(2);
        let parent = Input::stdin(*b"hello");
        assert_eq!(
            make(&parent, &[byte(0, 4, b'O'), length(0, 2)]),
            Input::stdin(*b"he")
        );
        let grown = make(&parent, &[byte(0, 7, b'!'), length(0, 9)]);
        let bytes = &grown.streams[0].bytes;
        assert_eq!(
            (bytes.len(), &bytes[..5], bytes[7]),
            (9, &b"hello"[..], b'!')
        );
        assert!(bytes.iter().all(|byte| (b' '..=b'~').contains(byte)));
        let copied = (0..20)
            .any(|_| child(&parent, [length(0, 9)], 20, &mut rng) == Input::stdin(*b"hellohell"));
        assert!(copied);
        assert_eq!(make(&parent, &[length(0, u128::from(u64::MAX))]).len(), 20);
    }

    #[test]
    fn objects_grow_with_zeros_and_strings_keep_their_room() {
        let argument = InputStream::argument(1, b"ab", 4);
        let parent = Input::new(vec![InputStream::objects(*b"a"), argument]);
        let model = [byte(0, 3, 7), byte(1, 0, 0), byte(1, 9, b'x'), length(1, 9)];
        let child = make(&parent, &model);
        assert_eq!(child.streams[0].bytes, [b'a', 0, 0, 7]);
        assert_eq!(child.streams[1].bytes, [0; 4]);
    }
}
