//! Objects that are the same in every build: made by the first one, and kept in the user's cache.
//!
//! Law: an object that is taken out is the one that would be made now. Its name tells this version of
//! Labrys, and a checksum of what it holds.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

use crate::Error;
use crate::tools::{cache, own_version};

/// What was not used for so long goes when an object is made: other versions of Labrys made it.
const OLD: Duration = Duration::from_secs(7 * 24 * 3600);

/// The object of this name, which `make` writes to a file if it is not kept.
pub(crate) fn object(
    name: &str,
    scratch: &Path,
    make: impl FnOnce(&Path) -> Result<(), Error>,
) -> Result<PathBuf, Error> {
    let (folder, start) = (folder(), start(name));
    if let Some(kept) = folder.as_deref().and_then(|folder| find(folder, &start)) {
        return Ok(kept);
    }
    let made = scratch.join(name).with_extension("o");
    make(&made)?;
    // Without a cache the next build makes it again.
    let kept = folder.and_then(|folder| keep(&made, &folder, &start).ok());
    Ok(kept.unwrap_or(made))
}

/// Whether the object of this name is kept.
pub(crate) fn has(name: &str) -> bool {
    folder().is_some_and(|folder| find(&folder, &start(name)).is_some())
}

fn folder() -> Option<PathBuf> {
    Some(cache()?.join("objects"))
}

/// What the name of the file with an object begins with.
fn start(name: &str) -> String {
    format!("{name}-{}-", own_version())
}

/// The undamaged file whose name begins so.
fn find(folder: &Path, start: &str) -> Option<PathBuf> {
    let files = fs::read_dir(folder).ok()?.flatten();
    let mut kept = files.filter(|file| file.file_name().to_string_lossy().starts_with(start));
    kept.find_map(|file| {
        let checksum = checksum(&fs::read(file.path()).ok()?);
        let is_whole = file.file_name().to_string_lossy() == format!("{start}{checksum}");
        // It is in use, for whoever clears what is old.
        let used =
            fs::File::open(file.path()).and_then(|file| file.set_modified(SystemTime::now()));
        (is_whole && used.is_ok()).then(|| file.path())
    })
}

/// Puts a file into the folder under a name that begins so; where it is then.
fn keep(made: &Path, folder: &Path, start: &str) -> io::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    clear(folder);
    let kept = folder.join(format!("{start}{}", checksum(&fs::read(made)?)));
    let beside = folder.join(format!("unfinished-{}", std::process::id()));
    let copied = fs::copy(made, &beside).and_then(|_| fs::rename(&beside, &kept));
    if copied.is_err() {
        let _ = fs::remove_file(&beside);
    }
    copied.map(|()| kept)
}

/// Removes what is old. Another process may do the same.
fn clear(folder: &Path) {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    for file in files {
        let written = file.metadata().and_then(|about| about.modified());
        let age = written.ok().and_then(|written| written.elapsed().ok());
        if age.is_some_and(|age| age > OLD) {
            let _ = fs::remove_file(file.path());
        }
    }
}

fn checksum(bytes: &[u8]) -> String {
    crate::tools::digits(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_and_old_objects_are_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        let (made, kept) = (folder.path().join("made"), folder.path().join("kept"));
        fs::write(&made, "object").unwrap();
        let first = keep(&made, &kept, "models-1-").unwrap();
        assert_eq!(find(&kept, "models-1-"), Some(first.clone()));
        assert_eq!(find(&kept, "models-2-"), None);
        fs::write(&first, "objecz").unwrap();
        assert_eq!(find(&kept, "models-1-"), None);
        let long_ago = SystemTime::now() - 2 * OLD;
        fs::File::open(&first)
            .unwrap()
            .set_modified(long_ago)
            .unwrap();
        let second = keep(&made, &kept, "models-2-").unwrap();
        assert!(!first.exists() && second.exists());
    }
}
