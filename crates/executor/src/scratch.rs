//! The scratch folder: working directory, input files and captured output of the runs.
//!
//! Invariant: before every run the working directory holds the input files and nothing else,
//! whatever the last run did to it, to the folder around it or to what is there.

use std::ffi::OsStr;
use std::fs::{self, File, FileTimes, Metadata, OpenOptions, Permissions};
use std::io::{self, Read, Seek, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime};

use labrys_abi::CLOCK_START;
use labrys_scratch::{TemporaryFolder, remove};

/// What the names of a sanitizer's reports begin with.
const REPORT: &str = "report";

/// Names in the scratch folder beside those and the working directory.
const OWN: &[&str] = &["stdin", "stdout", "stderr", "lock"];

/// Device and inode number of a file.
pub(crate) type Identity = (u64, u64);

/// A folder in memory, if the machine has such.
#[derive(Debug)]
pub(crate) struct Scratch {
    folder: TemporaryFolder,
    work_identity: Identity,
    stdin: File,
    stdin_identity: Identity,
}

pub(crate) fn identity(metadata: &Metadata) -> Identity {
    (metadata.dev(), metadata.ino())
}

impl Scratch {
    pub(crate) fn new() -> io::Result<Self> {
        let shared = Path::new("/dev/shm");
        let folder = TemporaryFolder::new_in(shared).or_else(|_| TemporaryFolder::new())?;
        let work = folder.path().join("work");
        fs::create_dir(&work)?;
        let stdin = File::create(folder.path().join("stdin"))?;
        let stdin_identity = identity(&stdin.metadata()?);
        Ok(Self {
            work_identity: identity(&fs::metadata(work)?),
            folder,
            stdin,
            stdin_identity,
        })
    }

    /// The folder.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The working directory of the runs.
    pub(crate) fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// Standard input, opened for a program; a run may have removed its name.
    pub(crate) fn open_stdin(&self) -> io::Result<File> {
        if let Ok(named) = File::open(self.folder.path().join("stdin"))
            && identity(&named.metadata()?) == self.stdin_identity
        {
            return Ok(named);
        }
        File::open(format!("/proc/self/fd/{}", self.stdin.as_raw_fd()))
    }

    /// A file for captured output, opened for a program: writing starts at its end.
    pub(crate) fn open_output(&self, name: &str) -> io::Result<File> {
        OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.folder.path().join(name))
    }

    /// Writes the standard input of the next run.
    pub(crate) fn write_stdin(&mut self, bytes: &[u8]) -> io::Result<Identity> {
        self.stdin.write_all_at(bytes, 0)?;
        self.stdin.set_len(bytes.len() as u64)?;
        set_back(&self.stdin)?;
        Ok(self.stdin_identity)
    }

    /// Writes an input file of the next run.
    pub(crate) fn write_file(&self, name: &str, bytes: &[u8]) -> io::Result<Identity> {
        let path = self.work().join(inside(name)?);
        let mut file = match create(&path) {
            Ok(file) => file,
            Err(_) => {
                // A folder is missing, or the last run left something else there.
                if let Some(parent) = path.parent() {
                    fs::create_dir_all(parent)?;
                }
                remove(&path)?;
                create(&path)?
            }
        };
        file.write_all(bytes)?;
        set_back(&file)?;
        let metadata = file.metadata()?;
        if metadata.nlink() > 1 || metadata.mode() & 0o777 != 0o644 {
            file.set_permissions(Permissions::from_mode(0o644))?;
        }
        Ok(identity(&metadata))
    }

    /// Removes from the working directory everything but files of these names. Says whether it is
    /// another directory now: the last run removed it, moved it or locked it up.
    pub(crate) fn clean(&mut self, keep: &[&str]) -> io::Result<bool> {
        let work = self.work();
        let found = fs::symlink_metadata(&work);
        let same = found.is_ok_and(|metadata| identity(&metadata) == self.work_identity);
        if same && self.remove_others(keep).is_ok() {
            return Ok(false);
        }
        self.remove_foreign()?;
        fs::create_dir_all(&work)?;
        self.work_identity = identity(&fs::symlink_metadata(&work)?);
        Ok(true)
    }

    /// Removes from the scratch folder what is not of this value, the working directory too.
    fn remove_foreign(&self) -> io::Result<()> {
        for entry in fs::read_dir(self.folder.path()).into_iter().flatten() {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let own = OWN.contains(&&*name) || name.starts_with(REPORT);
            if !own {
                remove(&entry.path())?;
            }
        }
        Ok(())
    }

    fn remove_others(&self, keep: &[&str]) -> io::Result<()> {
        for entry in fs::read_dir(self.work())? {
            let entry = entry?;
            let name = entry.file_name();
            let kept = keep.iter().any(|keep| OsStr::new(keep) == name);
            if kept && entry.file_type()?.is_file() {
                continue;
            }
            remove(&entry.path())?;
        }
        Ok(())
    }

    /// Where a sanitizer puts its reports: a dot and the number of the process are added.
    pub(crate) fn report(&self) -> PathBuf {
        self.folder.path().join(REPORT)
    }

    /// The first bytes of the first report there is; all are removed.
    pub(crate) fn take_report(&self, most: usize) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        for entry in fs::read_dir(self.folder.path()).into_iter().flatten() {
            let entry = entry?;
            if !entry.file_name().to_string_lossy().starts_with(REPORT) {
                continue;
            }
            if bytes.is_empty() {
                let file = File::open(entry.path())?;
                file.take(most as u64).read_to_end(&mut bytes)?;
            }
            remove(&entry.path())?;
        }
        Ok(bytes)
    }

    /// The first bytes of a captured output; it is empty afterwards.
    pub(crate) fn take_output(&self, name: &str, most: usize) -> io::Result<Vec<u8>> {
        let path = self.folder.path().join(name);
        let mut file = match OpenOptions::new().read(true).write(true).open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            file => file?,
        };
        let mut bytes = Vec::new();
        file.rewind()?;
        Read::by_ref(&mut file)
            .take(most as u64)
            .read_to_end(&mut bytes)?;
        file.set_len(0)?;
        Ok(bytes)
    }
}

/// An input file is as old in each run: a program may print its age, or decide on it.
fn set_back(file: &File) -> io::Result<()> {
    let then = SystemTime::UNIX_EPOCH + Duration::from_secs(CLOCK_START);
    file.set_times(FileTimes::new().set_accessed(then).set_modified(then))
}

fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o644);
    options
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
        .open(path)
}

/// A name of a file below the working directory.
fn inside(name: &str) -> io::Result<&Path> {
    let path = Path::new(name);
    let normal = path
        .components()
        .all(|component| matches!(component, Component::Normal(_)));
    if normal && !name.is_empty() {
        return Ok(path);
    }
    Err(io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("{name:?} is outside the scratch folder"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_leaves_nothing_behind() {
        let mut scratch = Scratch::new().unwrap();
        scratch.write_stdin(b"long input").unwrap();
        scratch.write_stdin(b"short").unwrap();
        assert_eq!(
            fs::read(scratch.folder.path().join("stdin")).unwrap(),
            b"short"
        );

        let first = scratch.write_file("input", b"abcdef").unwrap();
        assert_eq!(scratch.write_file("input", b"ab").unwrap(), first);
        fs::create_dir_all(scratch.work().join("deep/deeper")).unwrap();
        fs::write(scratch.work().join("deep/deeper/file"), "x").unwrap();
        fs::set_permissions(scratch.work().join("deep"), Permissions::from_mode(0o0)).unwrap();
        assert!(!scratch.clean(&["input"]).unwrap());
        assert_eq!(fs::read_dir(scratch.work()).unwrap().count(), 1);
        assert_eq!(fs::read(scratch.work().join("input")).unwrap(), b"ab");
    }

    #[test]
    fn input_files_are_as_old_in_each_run() {
        let mut scratch = Scratch::new().unwrap();
        let then = SystemTime::UNIX_EPOCH + Duration::from_secs(CLOCK_START);
        let age = |scratch: &Scratch, name| {
            let metadata = fs::metadata(scratch.path().join(name)).unwrap();
            metadata.modified().unwrap()
        };
        for bytes in [&b"ab"[..], b"abc", b""] {
            scratch.write_stdin(bytes).unwrap();
            scratch.write_file("input", bytes).unwrap();
            assert_eq!(age(&scratch, "stdin"), then);
            assert_eq!(age(&scratch, "work/input"), then);
        }
    }

    #[test]
    fn a_working_directory_that_is_gone_is_made_anew() {
        let mut scratch = Scratch::new().unwrap();
        scratch.write_stdin(b"text").unwrap();
        let damages: [fn(&Path) -> io::Result<()>; 4] = [
            |work| fs::remove_dir(work),
            |work| fs::rename(work, work.with_file_name("other")),
            |work| fs::remove_dir(work).and_then(|()| fs::write(work, "a file")),
            |work| fs::remove_dir_all(work.parent().unwrap()),
        ];
        for damage in damages {
            damage(&scratch.work()).unwrap();
            assert!(scratch.clean(&[]).unwrap());
            assert!(!scratch.clean(&[]).unwrap());
            scratch.write_file("input", b"ab").unwrap();
            let mut text = String::new();
            scratch
                .open_stdin()
                .unwrap()
                .read_to_string(&mut text)
                .unwrap();
            assert_eq!(text, "text");
            scratch.clean(&[]).unwrap();
        }
    }

    #[test]
    fn input_files_replace_what_a_program_put_there() {
        let scratch = Scratch::new().unwrap();
        fs::create_dir(scratch.work().join("input")).unwrap();
        scratch.write_file("input", b"ab").unwrap();
        assert_eq!(fs::read(scratch.work().join("input")).unwrap(), b"ab");

        fs::remove_file(scratch.work().join("input")).unwrap();
        std::os::unix::fs::symlink("/dev/null", scratch.work().join("input")).unwrap();
        scratch.write_file("input", b"cd").unwrap();
        assert_eq!(fs::read(scratch.work().join("input")).unwrap(), b"cd");
        scratch.write_file("a/b", b"ef").unwrap();
        for name in ["/etc/x", "../x", "", "a/../../x"] {
            assert!(scratch.write_file(name, b"").is_err(), "{name}");
        }
    }
}
