//! Temporary folders that do not outlive their owner for long.
//!
//! A folder holds a lock as long as it is in use. Whoever makes the next one removes those whose
//! lock nobody holds: their owners were killed. So it works whatever numbers processes have, as
//! in containers that share a folder.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::time::Duration;

use rustix::fs::{FlockOperation, OFlags, flock};
use tempfile::TempDir;

/// What the names of such folders begin with.
const PREFIX: &str = "labrys-scratch-";
/// Older folders without a lock are those of owners that were killed before they had one.
const UNLOCKED: Duration = Duration::from_secs(3600);

/// A temporary folder, removed when this is dropped, or by the next owner of one.
#[derive(Debug)]
pub struct TemporaryFolder {
    folder: TempDir,
    /// Held locked as long as the folder is in use.
    _lock: File,
}

impl TemporaryFolder {
    /// A folder where the system keeps temporary files.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn new() -> io::Result<Self> {
        Self::new_in(&std::env::temp_dir())
    }

    /// A folder in another one.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn new_in(parent: &Path) -> io::Result<Self> {
        let folder = TempDir::with_prefix_in(PREFIX, parent)?;
        let lock = lock(folder.path())?;
        remove_abandoned(parent);
        Ok(Self {
            folder,
            _lock: lock,
        })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Puts a locked file into a folder. It gets its name when it is locked.
fn lock(folder: &Path) -> io::Result<File> {
    let unfinished = folder.join(".lock");
    let lock = File::create(&unfinished)?;
    flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
    fs::rename(unfinished, folder.join("lock"))?;
    Ok(lock)
}

/// Removes the folders of processes that were killed: those with a lock that nobody holds.
fn remove_abandoned(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else {
        return;
    };
    for entry in entries.flatten() {
        if !entry.file_name().to_string_lossy().starts_with(PREFIX) {
            continue;
        }
        if is_abandoned(&entry.path()) {
            // If it cannot be removed, it harms nothing.
            let _ = remove(&entry.path());
        }
    }
}

/// Whether nobody holds the lock of a folder.
fn is_abandoned(folder: &Path) -> bool {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let mut options = OpenOptions::new();
    let options = options.read(true).custom_flags(flags.bits() as i32);
    match options.open(folder.join("lock")) {
        Ok(lock) => flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let made = fs::symlink_metadata(folder).and_then(|found| found.modified());
            let age = made.ok().and_then(|made| made.elapsed().ok());
            age.is_some_and(|age| age > UNLOCKED)
        }
        Err(_) => false,
    }
}

/// Removes whatever is at a path, also folders whose permissions forbid it and folders inside
/// folders to any depth.
///
/// # Errors
/// If something cannot be removed.
pub fn remove(path: &Path) -> io::Result<()> {
    let Ok(metadata) = fs::symlink_metadata(path) else {
        return Ok(());
    };
    if !metadata.is_dir() {
        return fs::remove_file(path);
    }
    if fs::remove_dir_all(path).is_ok() {
        return Ok(());
    }
    flatten(path)?;
    fs::remove_dir(path)
}

/// Empties a folder. What is in folders inside it is moved up first, so that no path becomes
/// long and no more than one folder is open.
fn flatten(top: &Path) -> io::Result<()> {
    let mut moved = 0u64;
    let mut waiting = vec![top.to_owned()];
    while let Some(folder) = waiting.pop() {
        fs::set_permissions(&folder, Permissions::from_mode(0o700))?;
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            if !entry.file_type()?.is_dir() {
                fs::remove_file(entry.path())?;
                continue;
            }
            let place = loop {
                moved += 1;
                let place = top.join(format!("{PREFIX}{moved}"));
                if fs::symlink_metadata(&place).is_err() {
                    break place;
                }
            };
            fs::set_permissions(entry.path(), Permissions::from_mode(0o700))?;
            fs::rename(entry.path(), &place)?;
            waiting.push(place);
        }
        if folder != top {
            fs::remove_dir(&folder)?;
        }
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_any_depth_are_removed() {
        let parent = tempfile::tempdir().unwrap();
        let top = parent.path().join("top");
        let deepest = (0..60).fold(top.clone(), |folder, _| folder.join("d"));
        fs::create_dir_all(&deepest).unwrap();
        fs::write(deepest.join("file"), "").unwrap();
        // Deeper than a path can be long.
        for _ in 0..60 {
            let next = parent.path().join("next");
            fs::create_dir_all(deepest.strip_prefix(&top).map(|p| next.join(p)).unwrap()).unwrap();
            fs::rename(
                &top,
                next.join(deepest.strip_prefix(&top).unwrap()).join("d"),
            )
            .unwrap();
            fs::rename(&next, &top).unwrap();
        }
        fs::set_permissions(top.join("d/d/d"), Permissions::from_mode(0o0)).unwrap();
        remove(&top).unwrap();
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    #[test]
    fn folders_of_killed_processes_are_removed() {
        let parent = tempfile::tempdir().unwrap();
        let used = TemporaryFolder::new_in(parent.path()).unwrap();
        let abandoned = parent.path().join(format!("{PREFIX}abandoned"));
        let unlocked = parent.path().join(format!("{PREFIX}unlocked"));
        for folder in [&abandoned, &unlocked] {
            fs::create_dir_all(folder.join("work")).unwrap();
        }
        File::create(abandoned.join("lock")).unwrap();
        drop(TemporaryFolder::new_in(parent.path()).unwrap());
        assert!(!abandoned.exists() && unlocked.exists() && used.path().exists());
        let old = std::time::SystemTime::now() - 2 * UNLOCKED;
        File::open(&unlocked).unwrap().set_modified(old).unwrap();
        drop(TemporaryFolder::new_in(parent.path()).unwrap());
        assert!(!unlocked.exists() && used.path().exists());
    }
}
