//! Every reader has examples, and bears them and beginnings of them.

#![allow(missing_docs)]

use labrys_readers::READERS;

#[test]
fn readers_bear_examples_and_their_beginnings() {
    for reader in READERS {
        let examples = (reader.examples)();
        assert!(!examples.is_empty(), "{}", reader.name);
        for example in examples {
            let step = example.len() / 64 + 1;
            (reader.read)(&example);
            for end in (0..example.len()).step_by(step) {
                (reader.read)(&example[..end]);
            }
        }
    }
}
