//! `compile_commands.json`: how a build compiles each source.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// An entry of the file.
#[derive(Debug)]
struct Command {
    directory: PathBuf,
    file: PathBuf,
    /// Its words.
    words: Vec<String>,
}

impl Command {
    fn of(entry: &Value) -> Option<Self> {
        let text = |name: &str| entry[name].as_str();
        let words = match entry["arguments"].as_array() {
            Some(words) => words
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
            None => split(text("command")?),
        };
        Some(Command {
            directory: text("directory")?.into(),
            file: text("file")?.into(),
            words,
        })
    }
}

/// Options that are followed by a path, in the same word or in the next.
const PATHS: &[&str] = &[
    "-I",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-include",
    "-imacros",
    "-isysroot",
];
/// Options that are left out, with the number of words behind them.
const LEFT_OUT: &[(&str, usize)] = &[
    ("-c", 0),
    ("-o", 1),
    ("-MD", 0),
    ("-MMD", 0),
    ("-MP", 0),
    ("-MF", 1),
    ("-MT", 1),
    ("-MQ", 1),
    ("-Werror", 0),
];

/// See the module.
#[derive(Debug)]
pub struct Database(Vec<Command>);

impl Database {
    /// Reads a file with this text. Entries of another form are passed over.
    ///
    /// # Errors
    /// The text is no JSON.
    pub fn read(text: &str) -> Result<Self, serde_json::Error> {
        let entries: Value = serde_json::from_str(text)?;
        let entries = entries.as_array().into_iter().flatten();
        Ok(Database(entries.filter_map(Command::of).collect()))
    }

    /// The options that a source is compiled with, with absolute paths; none if there is no such
    /// source.
    #[must_use]
    pub fn options(&self, source: &Path) -> Option<Vec<OsString>> {
        let wanted = absolute(source);
        let mut commands = self.0.iter();
        let found = commands.find(|one| absolute(&one.directory.join(&one.file)) == wanted)?;
        Some(kept(&found.words, &found.directory, &wanted))
    }
}

/// The words behind the compiler's name that matter, without the source.
fn kept(words: &[String], directory: &Path, source: &Path) -> Vec<OsString> {
    let mut kept: Vec<OsString> = Vec::new();
    let mut words = words.iter().skip(1);
    while let Some(word) = words.next() {
        if let Some((_, more)) = LEFT_OUT.iter().find(|(name, _)| name == word) {
            words.by_ref().take(*more).for_each(drop);
            continue;
        }
        if !word.starts_with('-') && absolute(&directory.join(word)) == source {
            continue;
        }
        let option = PATHS.iter().find(|option| word.starts_with(**option));
        let Some(option) = option else {
            kept.push(word.into());
            continue;
        };
        let path = match &word[option.len()..] {
            "" => words.next().map_or("", String::as_str),
            path => path,
        };
        kept.push(option.into());
        kept.push(directory.join(path).into());
    }
    kept
}

fn absolute(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The words of a command as a shell reads it, without variables and substitutions.
fn split(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(end), c) if c == end => quote = None,
            (None | Some('"'), '\\') => {
                if let Some(next) = chars.next() {
                    word.get_or_insert_default().push(next);
                }
            }
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_as_a_shell_does() {
        let words = split(r#"cc -DNAME=\"x\" '-DA=b c' -I"a b"/c  x.c"#);
        assert_eq!(words, ["cc", "-DNAME=\"x\"", "-DA=b c", "-Ia b/c", "x.c"]);
    }

    #[test]
    fn options_are_kept_with_absolute_paths() {
        let words = split("cc -Iinc -isystem sys -c -o x.o -MD -MF x.d -DX=1 x.c");
        let kept = kept(&words, Path::new("/b"), Path::new("/b/x.c"));
        assert_eq!(kept, ["-I", "/b/inc", "-isystem", "/b/sys", "-DX=1"]);
    }
}
