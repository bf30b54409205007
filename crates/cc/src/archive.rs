//! Members of `ar` archives, ordinary and thin.

use std::borrow::Cow;
use std::fs;
use std::path::Path;

use crate::object::Nature;

/// One member: its name and content.
#[derive(Debug)]
pub(crate) struct Member<'a> {
    pub(crate) name: String,
    pub(crate) bytes: Cow<'a, [u8]>,
}

/// Whether a member of the archive has bitcode.
pub(crate) fn has_bitcode(path: &Path) -> bool {
    let bytes = fs::read(path).unwrap_or_default();
    members(&bytes, path)
        .iter()
        .any(|member| Nature::of_bytes(&member.bytes).has_bitcode())
}

/// Whether all members of the archive have bitcode.
pub(crate) fn is_bitcode(path: &Path) -> bool {
    let bytes = fs::read(path).unwrap_or_default();
    members(&bytes, path)
        .iter()
        .all(|member| Nature::of_bytes(&member.bytes).has_bitcode())
}

const HEADER: usize = 60;

/// The members of an archive in order, without the symbol index. Damaged parts end the list.
pub(crate) fn members<'a>(archive: &'a [u8], path: &Path) -> Vec<Member<'a>> {
    let thin = archive.starts_with(b"!<thin>\n");
    let mut found = Vec::new();
    let mut long_names: &[u8] = &[];
    let mut position = 8;
    while let Some(header) = archive.get(position..position + HEADER) {
        let field = |from: usize, to: usize| String::from_utf8_lossy(&header[from..to]);
        let (name, size) = (field(0, 16), field(48, 58));
        let (name, Ok(size)) = (name.trim_end().to_owned(), size.trim_end().parse::<usize>())
        else {
            break;
        };
        let start = position + HEADER;
        let special = matches!(name.as_str(), "/" | "//" | "/SYM64/") || name.starts_with("__.SYM");
        let stored = if thin && !special { 0 } else { size };
        let Some(bytes) = archive.get(start..start + stored) else {
            break;
        };
        position = (start + stored).next_multiple_of(2);
        if name == "//" {
            long_names = bytes;
        }
        if special {
            continue;
        }
        let name = full_name(&name, long_names);
        let bytes = match thin {
            true => Cow::Owned(file(&path.with_file_name("").join(&name))),
            false => Cow::Borrowed(bytes),
        };
        found.push(Member { name, bytes });
    }
    found
}

/// The content of a member that has a file of its own.
fn file(path: &Path) -> Vec<u8> {
    match fs::metadata(path).is_ok_and(|found| found.is_file()) {
        true => fs::read(path).unwrap_or_default(),
        // A device may have no end.
        false => Vec::new(),
    }
}

/// GNU's `name/` and `/offset` into the table of long names.
fn full_name(name: &str, long_names: &[u8]) -> String {
    let long = name
        .strip_prefix('/')
        .and_then(|offset| offset.parse::<usize>().ok());
    let name = match long.and_then(|offset| long_names.get(offset..)) {
        Some(rest) => {
            let end = rest
                .iter()
                .position(|&byte| byte == b'\n')
                .unwrap_or(rest.len());
            String::from_utf8_lossy(&rest[..end]).into_owned()
        }
        None => name.to_owned(),
    };
    name.strip_suffix('/').map(str::to_owned).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(name: &str, size: usize) -> String {
        format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, 0, 644)
    }

    #[test]
    fn reads_short_and_long_names_and_skips_the_index() {
        let table = "a_rather_long_member_name.o/\n";
        let mut archive = String::from("!<arch>\n");
        archive += &(header("/", 4) + "\0\0\0\0");
        archive += &(header("//", table.len()) + table + "\n");
        archive += &(header("a.o/", 3) + "abc\n");
        archive += &(header("/0", 2) + "de");
        let members = members(archive.as_bytes(), Path::new("lib.a"));
        let members: Vec<_> = members
            .iter()
            .map(|m| (m.name.as_str(), &*m.bytes))
            .collect();
        let expected: [(&str, &[u8]); 2] =
            [("a.o", b"abc"), ("a_rather_long_member_name.o", b"de")];
        assert_eq!(members, expected);
    }

    #[test]
    fn damage_ends_the_list() {
        let archive = String::from("!<arch>\n") + &header("a.o/", 3) + "ab";
        assert!(members(archive.as_bytes(), Path::new("lib.a")).is_empty());
        assert!(members(b"!<arch>\n", Path::new("lib.a")).is_empty());
    }
}
