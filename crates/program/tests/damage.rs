//! Damaged models and texts: errors or programs, never a panic.

use fastrand::Rng;
use labrys_program::Program;

const EVERYTHING: &str = include_str!("text/everything.lir");

/// Changes one to four places of the bytes: another byte, one more, one less, or the end.
fn damage(bytes: &mut Vec<u8>, random: &mut Rng) {
    for _ in 0..random.u8(1..=4) {
        let at = random.usize(..bytes.len());
        let byte = [0, 1, 0x7f, 0x80, 0xff, random.u8(..)][random.usize(..6)];
        match random.u8(..8) {
            0 => bytes.insert(at, byte),
            1 => drop(bytes.remove(at)),
            2 if random.u8(..8) == 0 => bytes.truncate(at.max(1)),
            3 => bytes[at] ^= 1 << random.u8(..8),
            _ => bytes[at] = byte,
        }
    }
}

/// How many damages are tried, unless `LABRYS_DAMAGE` says it.
fn count(usual: u64) -> u64 {
    let count = std::env::var("LABRYS_DAMAGE").ok();
    count.and_then(|text| text.parse().ok()).unwrap_or(usual)
}

#[test]
fn damaged_models_are_errors_or_can_be_judged() {
    let program: Program = EVERYTHING.parse().expect("a program");
    let good = program.to_bytes();
    let count = count(30_000);
    let mut random = Rng::with_seed(1);
    let (mut refused, mut judged) = (0, 0);
    for _ in 0..count {
        let mut bytes = good.clone();
        damage(&mut bytes, &mut random);
        match Program::from_bytes(&bytes) {
            Err(_) => refused += 1,
            Ok(program) if program.verify().is_err() => judged += 1,
            // What is in order can be printed and read again.
            Ok(program) => assert!(program.to_string().parse::<Program>().is_ok()),
        }
    }
    assert!(refused > 1000 && judged > 1000, "{refused} {judged}");
}

#[test]
fn damaged_texts_are_errors_or_programs() {
    let mut random = Rng::with_seed(2);
    for _ in 0..count(10_000) {
        let mut bytes = EVERYTHING.as_bytes().to_vec();
        damage(&mut bytes, &mut random);
        if let Ok(program) = String::from_utf8_lossy(&bytes).parse::<Program>() {
            let _ = program.verify();
        }
    }
}
