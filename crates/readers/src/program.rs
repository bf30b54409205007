//! Static models, as bytes and as text.

use labrys_program::Program;

use crate::Reader;

/// The section of an executable.
pub(crate) const BINARY: Reader = Reader {
    name: "model",
    read: |bytes| Program::from_bytes(bytes).is_ok_and(|program| judged(&program)),
    examples: || {
        let programs = TEXTS.iter().filter_map(|text| text.parse().ok());
        programs
            .map(|program: Program| program.to_bytes())
            .collect()
    },
};

/// The text form.
pub(crate) const TEXT: Reader = Reader {
    name: "model-text",
    read: |bytes| {
        let program = String::from_utf8_lossy(bytes).parse();
        program.is_ok_and(|program| judged(&program))
    },
    examples: || TEXTS.iter().map(|text| text.as_bytes().to_vec()).collect(),
};

const TEXTS: [&str; 3] = [
    include_str!("../../program/tests/text/everything.lir"),
    include_str!("../../analysis/tests/programs/calls_through_tables.lir"),
    include_str!("../../analysis/tests/programs/loops_nested.lir"),
];

/// What is in order can be printed and read again.
fn judged(program: &Program) -> bool {
    let good = program.verify().is_ok();
    if good {
        let text = program.to_string();
        assert!(text.parse::<Program>().is_ok(), "{text}");
    }
    good
}
