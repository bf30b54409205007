//! Optimized executables of programs whose build `labrys-cc` put off: built when a command first needs
//! one, and kept by content, so that neither another command nor the same link builds it again.
//!
//! Law: what is taken out is what would be built now. Its name is a checksum of all that it is made
//! from: bitcode, link, and this version of Labrys.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use labrys_cc::container::{Container, Executable};
use sha2::{Digest, Sha256};

/// What all executables may take together, in bytes: those that were not used for longest go first.
const ROOM: u64 = 2 << 30;

/// After this time a file that is being written is taken for one that nobody will finish.
const STALE: Duration = Duration::from_secs(3600);

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// The cache of the user.
    pub(crate) fn of_user() -> Option<Self> {
        let folder = labrys_cc::cache()?.join("executables");
        Some(Cache { folder })
    }

    /// Copies the executable of a key to `to`, if it is there and undamaged.
    pub(crate) fn take(&self, key: &str, to: &Path) -> bool {
        let kept = self.folder.join(key);
        let used = fs::File::open(&kept).and_then(|file| file.set_modified(SystemTime::now()));
        let taken = used.and_then(|()| fs::copy(&kept, to));
        taken.is_ok() && Container::open(to).is_ok()
    }

    /// Whether there is an executable of a key.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.folder.join(key).is_file()
    }

    /// Keeps an executable under a key.
    pub(crate) fn keep(&self, key: &str, executable: &Path) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let beside = self.folder.join(format!("{key}.{}", std::process::id()));
        let copied =
            fs::copy(executable, &beside).and_then(|_| fs::rename(&beside, self.folder.join(key)));
        if copied.is_err() {
            let _ = fs::remove_file(&beside);
        }
        copied.and_then(|()| self.make_room(ROOM))
    }

    /// Removes the executable of a key, if there is one.
    pub(crate) fn forget(&self, key: &str) {
        let _ = fs::remove_file(self.folder.join(key));
    }

    /// Removes what was not used for longest until the rest takes so many bytes at most.
    fn make_room(&self, room: u64) -> io::Result<()> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            // Another process may have removed it.
            let Ok(about) = entry.metadata() else {
                continue;
            };
            let used = about.modified()?;
            let unfinished = entry.path().extension().is_some();
            let stale = used.elapsed().is_ok_and(|age| age > STALE);
            if unfinished && stale {
                let _ = fs::remove_file(entry.path());
            } else if about.is_file() && !unfinished {
                files.push((used, about.len(), entry.path()));
            }
        }
        files.sort_unstable();
        let mut taken: u64 = files.iter().map(|(_, size, _)| size).sum();
        for (_, size, path) in files {
            if taken <= room {
                break;
            }
            fs::remove_file(path)?;
            taken -= size;
        }
        Ok(())
    }
}

/// The key of an executable that is not optimized yet, by that of the optimized one.
pub(crate) fn early(key: &str) -> String {
    format!("{key}-early")
}

/// A key of the optimized executable of one that is not; `None` of one that is.
pub(crate) fn key(executable: &Executable) -> Option<String> {
    let parts = match executable {
        Executable::Whole(container) if container.is_optimized() => return None,
        Executable::Whole(container) => [container.bitcode(), container.link()?],
        Executable::Deferred(deferred) => [deferred.merged(), deferred.link()],
    };
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.update(labrys_cc::own_version());
    let digits = hash.finalize();
    Some(digits.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_used_for_longest_goes_first() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache {
            folder: folder.path().join("new"),
        };
        let file = folder.path().join("file");
        fs::write(&file, [0; 100]).unwrap();
        for (age, key) in [(30, "a"), (10, "b"), (20, "c")] {
            cache.keep(key, &file).unwrap();
            let kept = fs::File::open(cache.folder.join(key)).unwrap();
            let used = SystemTime::now() - Duration::from_secs(age);
            kept.set_modified(used).unwrap();
        }
        cache.make_room(200).unwrap();
        let there = |key: &str| cache.folder.join(key).exists();
        assert_eq!(["a", "b", "c"].map(there), [false, true, true]);
        // What was kept is no executable: nothing is taken.
        assert!(!cache.take("b", &folder.path().join("taken")));
    }
}
