//! How to link an executable again, as bytes that it carries.
//!
//! Written are the words of the link that do not stand for bitcode, each ended by a zero byte,
//! with files named by absolute paths, so that the link can be repeated from any folder as long
//! as its libraries and native objects are there.
//!
//! Law: reading gives back the line that was written, with absolute paths, no output and nothing
//! to report.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::Language;
use crate::link_line::{Item, LinkLine};

/// First word, with the number of the format.
const FORMAT: &str = "link 1";

/// A line and the language whose libraries it links, as bytes.
pub(crate) fn write(line: &LinkLine, language: Language) -> Vec<u8> {
    let mut words: Vec<OsString> = vec![
        FORMAT.into(),
        language.compiler().into(),
        if line.is_static { "static" } else { "" }.into(),
        line.linker.clone().into(),
    ];
    for item in &line.items {
        match item {
            Item::Word(word) => words.extend(["word".into(), absolute(word)]),
            Item::Archive(archive) => {
                words.extend(
                    archive
                        .iter()
                        .flat_map(|word| ["word".into(), absolute(word)]),
                );
            }
            Item::WholeArchive { path, .. } => {
                words.extend(["archive".into(), absolute(path.as_os_str())]);
            }
            Item::Wrap(symbol) => words.extend(["wrap".into(), symbol.clone()]),
            Item::Bitcode(_) | Item::Report(_) => {}
        }
    }
    let mut bytes = Vec::new();
    for word in words {
        bytes.extend(word.as_bytes());
        bytes.push(0);
    }
    bytes
}

/// The line that links to `output`; `None` if these are no bytes of [`write`].
pub(crate) fn read(bytes: &[u8], output: PathBuf) -> Option<(LinkLine, Language)> {
    let body = bytes.strip_suffix(&[0])?;
    let mut words = body.split(|byte| *byte == 0);
    let mut next = || words.next().map(|word| OsString::from_vec(word.to_vec()));
    if next()? != FORMAT {
        return None;
    }
    let language = next()?;
    let languages = [Language::C, Language::Cxx];
    let language = languages.into_iter().find(|l| language == l.compiler())?;
    let is_static = next()? == "static";
    let linker = PathBuf::from(next()?);
    let mut items = Vec::new();
    while let (Some(kind), Some(word)) = (next(), next()) {
        items.push(match kind.as_bytes() {
            b"word" => Item::Word(word),
            b"archive" => Item::WholeArchive {
                words: vec![word.clone()],
                path: word.into(),
            },
            b"wrap" => Item::Wrap(word),
            _ => return None,
        });
    }
    let line = LinkLine {
        linker,
        items,
        output,
        is_static,
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
                .collect(),
            output: "a.out".into(),
            is_static: false,
            lasts: true,
        };
        let bytes = write(&line, Language::Cxx);
        let (read_back, language) = read(&bytes, "unit".into()).expect("a line");
        assert_eq!(language, Language::Cxx);
        assert_eq!(read_back.items.len(), words.len() + 2);
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
