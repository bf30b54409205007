//! The readers of files that a link takes, by themselves: for harnesses. Each tells whether the bytes
//! are of its form.

use std::path::{Path, PathBuf};

use crate::container::elf;
use crate::link_line::{Item, LinkLine, Member};
use crate::object::Nature;
use crate::{Language, archive, bitcode, recipe, response, symbols};

/// An object, as the link judges it.
#[must_use]
pub fn object(bytes: &[u8]) -> bool {
    let modules = bitcode::of_object(bytes).map(bitcode::split);
    symbols::is_altered(bytes);
    elf::needed(bytes);
    Nature::of_bytes(bytes).has_bitcode() && modules.is_some_and(|modules| !modules.is_empty())
}

/// An archive, whose members have no files of their own.
#[must_use]
pub fn archive(bytes: &[u8]) -> bool {
    let members = archive::members(bytes, Path::new("/nowhere/library.a"));
    let natures = members.iter().map(|member| Nature::of_bytes(&member.bytes));
    let natures: Vec<Nature> = natures.collect();
    Nature::of_bytes(bytes) == Nature::Archive && !natures.is_empty()
}

/// The command of a link that an executable carries.
#[must_use]
pub fn link_command(bytes: &[u8]) -> bool {
    let read = recipe::read(bytes, PathBuf::from("program"));
    // Words that name files of this folder become absolute: the line is written, not compared.
    read.is_some_and(|(line, language)| !recipe::write(&line, language).is_empty())
}

/// One such command, with an item of each kind.
#[must_use]
pub fn a_link_command() -> Vec<u8> {
    let line = LinkLine {
        linker: "/usr/bin/ld.lld".into(),
        items: vec![
            Item::Word("-pie".into()),
            Item::Wrap("malloc".into()),
            Item::WholeArchive {
                words: Vec::new(),
                path: "/lib/liba.a".into(),
            },
            Item::Carried(Member {
                name: "b.o".to_owned(),
                bytes: b"\x7fELF".to_vec(),
            }),
        ],
        output: PathBuf::new(),
        is_static: false,
        lasts: true,
    };
    recipe::write(&line, Language::C)
}

/// A response file; its words are found again in what is written of them.
#[must_use]
pub fn response_file(bytes: &[u8]) -> bool {
    let words = response::split(bytes);
    assert_eq!(response::split(&response::join(&words)), words);
    true
}
