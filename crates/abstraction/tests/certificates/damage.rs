//! Damaged certificates: an error or a certificate, never a panic. `LABRYS_DAMAGE` is the number of
//! changes of each.

use labrys_abstraction::Verification;
use labrys_analysis::ProgramAnalysis;

use super::mutate::Random;
use super::{WORK, certificates, files, read};

/// Certificates that are damaged.
const MOST: usize = 8;

fn damage(text: &str, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len() + 1);
        let to = (at + random.below(60)).min(bytes.len());
        match random.below(6) {
            0 => drop(bytes.drain(at..to)),
            1 => {
                let copy = bytes[at..to].to_vec();
                drop(bytes.splice(at..at, copy));
            }
            2 => drop(bytes.splice(at..at, *b"(99999999999999999999 ")),
            3 => bytes.truncate(at),
            _ if at < bytes.len() => bytes[at] = b"()0129 -_|\"x\n"[random.below(13)],
            _ => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn damaged_certificates_are_errors_or_certificates() {
    let count = std::env::var("LABRYS_DAMAGE").ok();
    let count: usize = count.and_then(|text| text.parse().ok()).unwrap_or(150);
    let mut random = Random(11);
    let (mut refused, mut texts) = (0, 0);
    for path in files() {
        let program = read(&path);
        let entry = program.function_named("main").expect("main");
        let analysis = ProgramAnalysis::new(&program, entry);
        if !analysis.obstacles().is_empty() {
            continue;
        }
        for text in certificates(&analysis, entry, WORK).0.into_iter().take(1) {
            texts += 1;
            for _ in 0..count {
                let damaged = damage(&text, &mut random);
                refused += usize::from(Verification::new(&analysis, entry, &damaged).is_err());
            }
        }
        if texts == MOST {
            break;
        }
    }
    assert!(
        texts > 3 && refused > texts * count / 4,
        "{texts} {refused}"
    );
}
