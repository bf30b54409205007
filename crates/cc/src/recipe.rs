//! How to link an executable again, as bytes that it carries.
//!
//! Written are the words of the link that do not stand for bitcode, with files named by absolute
//! paths, and the native objects that it carries, so that the link can be repeated from any folder
//! as long as its libraries are there.
//!
//! Law: reading gives back the line that was written, with absolute paths, no output and nothing
//! to report.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::Language;
use crate::link_line::{Item, LinkLine, Member};

/// The number of the format.
const FORMAT: u32 = 2;

/// What is written.
#[derive(Serialize, Deserialize)]
struct Recipe {
    format: u32,
    language: String,
    is_static: bool,
    linker: Vec<u8>,
    parts: Vec<Part>,
}

#[derive(Serialize, Deserialize)]
enum Part {
    Word(Vec<u8>),
    WholeArchive(Vec<u8>),
    Wrap(Vec<u8>),
    Carried(Member),
}

/// A line and the language whose libraries it links, as bytes.
pub(crate) fn write(line: &LinkLine, language: Language) -> Vec<u8> {
    let mut parts = Vec::new();
    for item in &line.items {
        match item {
            Item::Word(word) => parts.push(Part::Word(absolute(word).into_vec())),
            Item::Archive { words, .. } | Item::Native { words, .. } => {
                let words = words.iter().map(|word| absolute(word).into_vec());
                parts.extend(words.map(Part::Word));
            }
            Item::WholeArchive { path, .. } => {
                parts.push(Part::WholeArchive(absolute(path.as_os_str()).into_vec()));
            }
            Item::Wrap(symbol) => parts.push(Part::Wrap(symbol.as_bytes().to_vec())),
            Item::Carried(member) => parts.push(Part::Carried(member.clone())),
            Item::Bitcode(_) | Item::Report(_) => {}
        }
    }
    let recipe = Recipe {
        format: FORMAT,
        language: language.compiler().to_owned(),
        is_static: line.is_static,
        linker: line.linker.as_os_str().as_bytes().to_vec(),
        parts,
    };
    postcard::to_stdvec(&recipe).expect("words are serializable")
}

/// The line that links to `output`; `None` if these are no bytes of [`write`].
pub(crate) fn read(bytes: &[u8], output: PathBuf) -> Option<(LinkLine, Language)> {
    let (recipe, rest) = postcard::take_from_bytes::<Recipe>(bytes).ok()?;
    if recipe.format != FORMAT || !rest.is_empty() {
        return None;
    }
    let languages = [Language::C, Language::Cxx];
    let language = languages
        .into_iter()
        .find(|language| recipe.language == language.compiler())?;
    let items = recipe.parts.into_iter().map(|part| match part {
        Part::Word(word) => Item::Word(OsString::from_vec(word)),
        Part::WholeArchive(path) => {
            let path = OsString::from_vec(path);
            Item::WholeArchive {
                words: vec![path.clone()],
                path: path.into(),
            }
        }
        Part::Wrap(symbol) => Item::Wrap(OsString::from_vec(symbol)),
        Part::Carried(member) => Item::Carried(member),
    });
    let line = LinkLine {
        linker: OsString::from_vec(recipe.linker).into(),
        items: items.collect(),
        output,
        is_static: recipe.is_static,
        lasts: true,
    };
    Some((line, language))
}

/// A word with the file that it names, if it names one, by an absolute path.
fn absolute(word: &OsStr) -> OsString {
    let bytes = word.as_bytes();
    let start = match bytes {
        [b'-', b'L', ..] => 2,
        [b'-', ..] => match bytes.iter().position(|byte| *byte == b'=') {
            Some(position) => position + 1,
            None => return word.to_owned(),
        },
        _ => 0,
    };
    let path = Path::new(OsStr::from_bytes(&bytes[start..]));
    match std::path::absolute(path) {
        Ok(found) if path.is_relative() && found.exists() => {
            let mut whole = OsStr::from_bytes(&bytes[..start]).to_owned();
            whole.push(found);
            whole
        }
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_it_was_written() {
        let words = ["-pie", "crt1.o", "-lm", "-z", "now"];
        let line = LinkLine {
            linker: "/usr/bin/ld.lld".into(),
            items: words
                .map(|word| Item::Word(word.into()))
                .into_iter()
                .chain([Item::Bitcode("a.o".into())])
                .chain([Item::Wrap("malloc".into())])
                .chain([Item::WholeArchive {
                    words: vec!["-lx".into()],
                    path: "/lib/libx.a".into(),
                }])
                .chain([Item::Carried(Member {
                    name: "asm.o".into(),
                    bytes: vec![0, 1, 0],
                })])
                .collect(),
            output: "a.out".into(),
            is_static: false,
            lasts: true,
        };
        let bytes = write(&line, Language::Cxx);
        let (read_back, language) = read(&bytes, "unit".into()).expect("a line");
        assert_eq!(language, Language::Cxx);
        assert_eq!(read_back.items.len(), words.len() + 3);
        assert_eq!(write(&read_back, language), bytes);
        assert!(read(&bytes[1..], "unit".into()).is_none());
        assert!(read(b"", "unit".into()).is_none());
    }

    #[test]
    fn files_are_named_by_absolute_paths() {
        let folder = std::env::current_dir().unwrap();
        let expected = |start: &str, file: &str| {
            let mut word = OsString::from(start);
            word.push(folder.join(file));
            word
        };
        assert_eq!(absolute("Cargo.toml".as_ref()), expected("", "Cargo.toml"));
        assert_eq!(absolute("-Lsrc".as_ref()), expected("-L", "src"));
        assert_eq!(
            absolute("--version-script=Cargo.toml".as_ref()),
            expected("--version-script=", "Cargo.toml")
        );
        for word in ["-lm", "/usr/lib", "elf_x86_64", "--hash-style=gnu"] {
            assert_eq!(absolute(word.as_ref()), word);
        }
    }
}
