//! The text files of the project.

use std::io;
use std::path::Path;

/// What is made or fetched, by name; in a linked working tree `.git` is a file.
const FOREIGN: [&str; 4] = [".git", "target", "third_party", "bench-out"];

/// A text file.
pub(crate) struct Source {
    /// Path from the workspace's folder, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl Source {
    /// What stands after the last dot of the name.
    pub(crate) fn extension(&self) -> &str {
        self.path
            .rsplit_once('.')
            .map_or("", |(_, extension)| extension)
    }
}

/// All text files below `root`, in the order of their paths.
pub(crate) fn files(root: &Path) -> io::Result<Vec<Source>> {
    let mut sources = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if FOREIGN.contains(&&*name) || name.starts_with("labrys-out") {
                continue;
            }
            let kind = entry.file_type()?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                // What is no UTF-8 is no text; a file that is gone by now does not count.
                let Ok(text) = std::fs::read_to_string(entry.path()) else {
                    continue;
                };
                let path = entry.path();
                let path = path
                    .strip_prefix(root)
                    .unwrap_or(&path)
                    .to_string_lossy()
                    .into_owned();
                sources.push(Source { path, text });
            }
        }
    }
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(sources)
}
