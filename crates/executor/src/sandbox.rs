//! Namespaces of the fork server: what a program does to processes, shared memory and files by
//! absolute path stays with it.
//!
//! - PID: the program sees its own processes only; `kill(-1)` reaches no others. When the server
//!   ends, the system kills all of them.
//! - IPC: System V segments and queues are its own.
//! - Mounts: all is read-only but the scratch folder, and folders for temporary files, whose changes
//!   are kept in memory and seen by nobody else.
//! - Users, where that is needed for the others: without rights outside.
//!
//! Law: what cannot be had is left out, and the program runs as it would without.

#![allow(unsafe_code)]

use core::ffi::CStr;
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Folders for temporary files, with the options of an overlay whose changes lie in memory. The
/// memory is mounted at `/proc` until that gets the processes of the namespace.
const TEMPORARY: [(&CStr, &CStr, [&CStr; 2], &CStr); 3] = [
    (
        c"/tmp",
        c"lowerdir=/tmp,upperdir=/proc/u0,workdir=/proc/w0",
        [c"/proc/u0", c"/proc/w0"],
        c"lowerdir=/tmp,upperdir=/proc/u0,workdir=/proc/w0,userxattr",
    ),
    (
        c"/var/tmp",
        c"lowerdir=/var/tmp,upperdir=/proc/u1,workdir=/proc/w1",
        [c"/proc/u1", c"/proc/w1"],
        c"lowerdir=/var/tmp,upperdir=/proc/u1,workdir=/proc/w1,userxattr",
    ),
    (
        c"/dev/shm",
        c"lowerdir=/dev/shm,upperdir=/proc/u2,workdir=/proc/w2",
        [c"/proc/u2", c"/proc/w2"],
        c"lowerdir=/dev/shm,upperdir=/proc/u2,workdir=/proc/w2,userxattr",
    ),
];

/// Rights that would lead out of the namespaces: modules, raw I/O, other processes, mounts, the
/// machine's clock and end, devices.
const RIGHTS: [libc::c_ulong; 7] = [16, 17, 19, 21, 22, 25, 27];

/// Mounts below folders for temporary files that stay; more are hidden.
const MOST_BELOW: usize = 16;

/// `MOUNT_ATTR_RDONLY`.
const READ_ONLY: u64 = 1;

/// What the system calls `struct mount_attr`.
#[repr(C)]
struct MountChange {
    set: u64,
    clear: u64,
    propagation: u64,
    namespace: u64,
}

/// What a new process needs to move into namespaces of its own.
#[derive(Clone, Debug)]
pub(crate) struct Sandbox {
    users: CString,
    groups: CString,
    scratch: CString,
    work: CString,
    /// Mounts below folders for temporary files, which an overlay would hide.
    below: Vec<CString>,
}

impl Sandbox {
    /// For a server with this scratch folder and working directory; `None` if their paths cannot
    /// be given to the system.
    pub(crate) fn new(scratch: &Path, work: &Path) -> Option<Self> {
        let path = |path: &Path| CString::new(path.as_os_str().as_bytes()).ok();
        // SAFETY: no pointers.
        let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
        Some(Sandbox {
            users: CString::new(format!("{user} {user} 1")).ok()?,
            groups: CString::new(format!("{group} {group} 1")).ok()?,
            scratch: path(scratch)?,
            work: path(work)?,
            below: mounts_below(&std::fs::read("/proc/self/mountinfo").unwrap_or_default()),
        })
    }

    /// Runs in a new process, whose children are in namespaces of their own from then on; whether they
    /// have users of their own. `None` if the system does not allow that. Only system calls.
    pub(crate) fn separate(&self) -> Option<bool> {
        const SPACES: libc::c_int = libc::CLONE_NEWPID | libc::CLONE_NEWIPC | libc::CLONE_NEWNS;
        // SAFETY: pointers to strings.
        unsafe {
            if libc::unshare(SPACES) == 0 {
                return Some(false);
            }
            if libc::unshare(SPACES | libc::CLONE_NEWUSER) != 0 {
                return None;
            }
            write(c"/proc/self/setgroups", c"deny");
            write(c"/proc/self/uid_map", &self.users);
            write(c"/proc/self/gid_map", &self.groups);
        }
        Some(true)
    }

    /// Runs in the first process of the namespaces. Only system calls.
    pub(crate) fn settle(&self, has_users: bool) {
        // SAFETY: as `mount` wants; no pointers.
        unsafe {
            self.mount(has_users);
            for right in RIGHTS {
                libc::prctl(libc::PR_CAPBSET_DROP, right, 0, 0, 0);
            }
        }
    }

    /// Makes all read-only but folders for temporary files, and changes to those private.
    unsafe fn mount(&self, has_users: bool) {
        // SAFETY: pointers to strings.
        unsafe {
            let private = libc::MS_REC | libc::MS_PRIVATE;
            if mount(c"none", c"/", None, private, None) != 0 {
                return;
            }
            let scratch = open_tree(&self.scratch, 0);
            if scratch < 0 {
                return;
            }
            let mut below = [-1; MOST_BELOW];
            for (opened, path) in below.iter_mut().zip(&self.below) {
                *opened = open_tree(path, libc::AT_RECURSIVE);
            }
            let has_memory = mount(c"none", c"/proc", Some(c"tmpfs"), 0, None) == 0;
            for (folder, options, parts, with_users) in TEMPORARY {
                let options = if has_users { with_users } else { options };
                parts.iter().for_each(|part| {
                    libc::mkdir(part.as_ptr(), 0o1777);
                    libc::chmod(part.as_ptr(), 0o1777);
                });
                let kind = Some(c"overlay");
                if !has_memory || mount(c"none", folder, kind, 0, Some(options)) != 0 {
                    mount(folder, folder, None, libc::MS_BIND, None);
                }
            }
            let closed = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
            if mount(c"none", c"/proc", Some(c"proc"), closed, None) != 0 && has_memory {
                libc::umount2(c"/proc".as_ptr(), libc::MNT_DETACH);
            }
            // Where the overlay is, the folder is as it was below; elsewhere nothing was hidden.
            for (opened, path) in below.iter().zip(&self.below) {
                move_mount(*opened, path);
            }
            move_mount(scratch, &self.scratch);
            change(c"/", libc::AT_RECURSIVE, READ_ONLY, 0);
            let writable = TEMPORARY.iter().map(|(folder, ..)| *folder);
            for folder in writable.chain([c"/proc", &self.scratch]) {
                change(folder, 0, 0, READ_ONLY);
            }
            libc::chdir(self.work.as_ptr());
        }
    }
}

/// The mount points below folders for temporary files, but for those below one another, in the text
/// of `/proc/self/mountinfo`.
fn mounts_below(text: &[u8]) -> Vec<CString> {
    let mut points: Vec<Vec<u8>> = Vec::new();
    for line in text.split(|byte| *byte == b'\n') {
        let Some(point) = line.split(|byte| *byte == b' ').nth(4).map(unescaped) else {
            continue;
        };
        let is_below = |folder: &[u8]| {
            let rest = point.strip_prefix(folder);
            rest.is_some_and(|rest| rest.starts_with(b"/"))
        };
        let temporary = TEMPORARY.iter().map(|(folder, ..)| folder.to_bytes());
        if temporary.into_iter().any(is_below) && !points.iter().any(|known| is_below(known)) {
            points.push(point);
        }
    }
    points.truncate(MOST_BELOW);
    let points = points.into_iter().map(CString::new);
    points.filter_map(Result::ok).collect()
}

/// A path of `mountinfo`, where some bytes are a backslash and three octal digits.
fn unescaped(path: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(path.len());
    let mut rest = path;
    while let [first, tail @ ..] = rest {
        let octal = tail.get(..3).filter(|_| *first == b'\\');
        let octal = octal.and_then(|digits| std::str::from_utf8(digits).ok());
        match octal.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                plain.push(byte);
                rest = &tail[3..];
            }
            None => {
                plain.push(*first);
                rest = tail;
            }
        }
    }
    plain
}

/// A copy of what is mounted at a path, not mounted anywhere; negative if there is none.
unsafe fn open_tree(path: &CStr, flags: libc::c_int) -> libc::c_long {
    // SAFETY: a string.
    unsafe {
        libc::syscall(
            libc::SYS_open_tree,
            libc::AT_FDCWD,
            path.as_ptr(),
            1 | libc::O_CLOEXEC | flags,
        )
    }
}

/// Mounts what [`open_tree`] gave.
unsafe fn move_mount(tree: libc::c_long, path: &CStr) {
    // SAFETY: strings.
    unsafe {
        libc::syscall(
            libc::SYS_move_mount,
            tree,
            c"".as_ptr(),
            libc::AT_FDCWD,
            path.as_ptr(),
            4,
        );
    }
}

unsafe fn mount(
    source: &CStr,
    target: &CStr,
    kind: Option<&CStr>,
    flags: libc::c_ulong,
    options: Option<&CStr>,
) -> libc::c_int {
    let pointer = |text: Option<&CStr>| text.map_or(core::ptr::null(), CStr::as_ptr);
    // SAFETY: strings, or null where the system takes that.
    unsafe {
        libc::mount(
            source.as_ptr(),
            target.as_ptr(),
            pointer(kind),
            flags,
            pointer(options).cast(),
        )
    }
}

/// Sets and clears attributes of a mount.
unsafe fn change(target: &CStr, flags: libc::c_int, set: u64, clear: u64) {
    let change = MountChange {
        set,
        clear,
        propagation: 0,
        namespace: 0,
    };
    // SAFETY: a string and a local of the size that is given.
    unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            target.as_ptr(),
            flags,
            &raw const change,
            size_of::<MountChange>(),
        );
    }
}

unsafe fn write(path: &CStr, text: &CStr) {
    // SAFETY: strings, and a descriptor of this function.
    unsafe {
        let file = libc::open(path.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        if file >= 0 {
            libc::write(file, text.as_ptr().cast(), text.count_bytes());
            libc::close(file);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mounts_below_temporary_folders_are_listed() {
        let text = b"22 1 8:1 / / rw - ext4 /dev/sda rw\n\
            30 22 0:9 / /tmp rw - tmpfs none rw\n\
            31 30 0:9 / /tmp/a\\040b rw - tmpfs none rw\n\
            32 31 0:9 / /tmp/a\\040b/c rw - tmpfs none rw\n\
            33 22 0:9 / /tmpfolder rw - tmpfs none rw\n\
            34 22 0:9 / /dev/shm/x rw - tmpfs none rw\n";
        assert_eq!(
            mounts_below(text),
            [c"/tmp/a b", c"/dev/shm/x"].map(CStr::to_owned)
        );
    }
}
