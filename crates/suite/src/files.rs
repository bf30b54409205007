//! Files and folders that appear under their names when they are complete.
//!
//! Law: a file is written under a name that starts with a dot and ends in `.unfinished`, then
//! renamed; a killed process leaves such names and whole files, nothing between.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Error;

/// How the name of a file or folder ends while it is being written.
const UNFINISHED: &str = ".unfinished";

/// Whether a file or folder of this name was being written.
pub(crate) fn is_unfinished(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(UNFINISHED)
}

/// Name of a file or folder while it is being written.
fn unfinished(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}{UNFINISHED}"))
}

/// Creates a folder and those that it lies in.
pub(crate) fn create_folder(path: &Path) -> Result<(), Error> {
    fs::create_dir_all(path).map_err(|error| Error::io("create", path, error))
}

/// Writes a file.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    write_with(path, |file| file.write_all(bytes))
}

/// Writes a file that can be executed by those who may read it.
pub(crate) fn write_script(path: &Path, text: &str) -> Result<(), Error> {
    write_with(path, |file| {
        use std::os::unix::fs::PermissionsExt;
        file.write_all(text.as_bytes())?;
        let mode = file.metadata()?.permissions().mode();
        file.set_permissions(fs::Permissions::from_mode(mode | (mode & 0o444) >> 2))
    })
}

/// Writes a value as JSON.
pub(crate) fn write_json(path: &Path, value: &impl Serialize) -> Result<(), Error> {
    let mut bytes =
        serde_json::to_vec_pretty(value).map_err(|error| Error::io("write", path, error.into()))?;
    bytes.push(b'\n');
    write(path, &bytes)
}

/// Writes a file with the contents that a function gives it.
pub(crate) fn write_with(
    path: &Path,
    contents: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), Error> {
    let unfinished = unfinished(path);
    let write = || {
        let mut file = File::create(&unfinished)?;
        contents(&mut file)?;
        drop(file);
        fs::rename(&unfinished, path)
    };
    write().map_err(|error| {
        let _ = fs::remove_file(&unfinished);
        Error::io("write", path, error)
    })
}

/// Writes a folder with these files, in place of one of that name.
pub(crate) fn write_folder<'f>(
    path: &Path,
    files: impl IntoIterator<Item = (String, &'f [u8])>,
) -> Result<(), Error> {
    let unfinished = unfinished(path);
    let write = || {
        remove(&unfinished)?;
        fs::create_dir(&unfinished)?;
        for (name, bytes) in files {
            fs::write(unfinished.join(name), bytes)?;
        }
        remove(path)?;
        fs::rename(&unfinished, path)
    };
    write().map_err(|error| Error::io("write", path, error))
}

/// Removes what a killed process was writing in this folder, if there is one.
pub(crate) fn remove_unfinished(folder: &Path) -> Result<(), Error> {
    if !folder.is_dir() {
        return Ok(());
    }
    let entries = fs::read_dir(folder).map_err(|error| Error::io("read", folder, error))?;
    for entry in entries.flatten() {
        if is_unfinished(&entry.file_name().to_string_lossy()) {
            remove(&entry.path()).map_err(|error| Error::io("remove", &entry.path(), error))?;
        }
    }
    Ok(())
}

/// Removes a file or a folder, if it is there.
fn remove(path: &Path) -> io::Result<()> {
    let removed = if path.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Cuts off an unfinished last line.
pub(crate) fn cut_last_line(path: &Path) -> Result<(), Error> {
    let failed = |error| Error::io("write", path, error);
    let text = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        text => text.map_err(failed)?,
    };
    let end = text
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |last| last + 1);
    if end < text.len() {
        let file = OpenOptions::new().write(true).open(path).map_err(failed)?;
        file.set_len(end as u64).map_err(failed)?;
    }
    Ok(())
}

/// The finished entries of a folder, by name.
pub(crate) fn listing(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = fs::read_dir(folder).map_err(|error| Error::io("read", folder, error))?;
    let mut paths = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| Error::io("read", folder, error))?;
        if !entry.file_name().to_string_lossy().starts_with('.') {
            paths.push(entry.path());
        }
    }
    paths.sort();
    Ok(paths)
}

/// Reads a JSON file; none if there is no such file.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, Error> {
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(None),
        Err(error) => Err(Error::io("read", path, error)),
        Ok(bytes) => serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|error| Error::damaged(path, error)),
    }
}
