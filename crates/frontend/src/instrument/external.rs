//! Calls of functions that have no model: what they are given is counted by their names, since
//! nothing follows it there.
//!
//! A labelled argument counts, and so does a pointer that leads to labels, to a `FILE` that reads
//! an input or to the name of one; whether it does is found when the call is made.

use crate::llvm::{LLVMTypeKind, LLVMValueKind, Value};

use super::PREFIX;
use super::function::FunctionPass;

/// Functions that read nothing through their pointers, or hand them to functions of the program.
/// A `*` at the end stands for any rest.
const BLIND: &str = "
    pthread_* sem_* sig* setjmp _setjmp __sigsetjmp longjmp _longjmp siglongjmp __longjmp_chk
    atexit on_exit at_quick_exit __cxa_* __gxx_* _Unwind_* __dynamic_cast __clang_*
    tsearch tfind tdelete twalk twalk_r tdestroy lfind
    wait waitpid wait3 wait4 waitid pipe pipe2 socketpair getcwd uname getrlimit getrusage times
    sysinfo clock_getres getitimer gethostname getdomainname getgroups inet_ntop
    fclose fflush fflush_unlocked fileno fileno_unlocked feof feof_unlocked ferror ferror_unlocked
    clearerr clearerr_unlocked rewind setvbuf setbuf setlinebuf setbuffer fgetpos fgetpos64 fsetpos
    fsetpos64 flockfile funlockfile ftrylockfile fwide fpurge __fpurge __fpending __freading
    open_memstream
    munmap madvise mprotect mlock munlock msync malloc_usable_size
    __assert_fail __errno_location __ctype_* __stack_chk_fail __fdelt_chk
    _ZSt18_Rb_tree_* _ZSt20_Rb_tree_* _ZSt28_Rb_tree_* _ZSt29_Rb_tree_* _ZNSt8__detail15_List_node*
    _ZNKSt8__detail20_Prime_rehash_policy* _ZNSt15__exception_ptr* _ZSt9terminatev
    _ZNSt6localeC* _ZNSt6localeD* _ZNSt8ios_base* _ZNSt6thread* _ZNSt18condition_variable*
";

/// Functions that may read what no pointer tells: from standard input, in another process, or by
/// a stream of C++ that has no model.
const READERS: &str = "
    wscanf vwscanf __isoc99_wscanf __isoc99_vwscanf gets aio_read aio_read64 lio_listio
    popen system posix_spawn posix_spawnp vfork clone
    execl execlp execle execv execve execvp execvpe fexecve
";

/// Functions that read a file descriptor, and which argument that is.
const DESCRIPTORS: &[(&str, usize)] = &[
    ("preadv", 0),
    ("preadv2", 0),
    ("preadv64", 0),
    ("preadv64v2", 0),
    ("recv", 0),
    ("__recv_chk", 0),
    ("recvfrom", 0),
    ("__recvfrom_chk", 0),
    ("recvmsg", 0),
    ("splice", 0),
    ("tee", 0),
    ("copy_file_range", 0),
    ("sendfile", 1),
    ("sendfile64", 1),
    ("syscall", 1),
    ("gzdopen", 0),
];

/// Functions that look at a file by its name: that of an input is as good as any other.
const BY_NAME: &str = "
    access faccessat chdir unlink unlinkat remove rename chmod chown lchown truncate utime utimes
    utimensat realpath readlink mkdir rmdir opendir statvfs pathconf basename __xpg_basename dirname
";

/// In mangled names of what reads streams of wide characters in libstdc++.
const WIDE_STREAMS: &[&str] = &["istreamIw", "getlineIw", "StrsIw"];
/// In mangled names of what reads their buffers.
const WIDE_BUFFERS: &[&str] = &["basic_iosIw", "filebufIw", "streambufIw", "stringbufIw"];
/// In names of what reads a buffer.
const TAKING: &[&str] = &["rdbuf", "flow", "sgetc", "sbumpc", "snextc", "sgetn"];
/// In mangled names of what reads streams in libc++, whose names have its own namespace.
const OTHER_STREAMS: &[&str] = &["istream", "streambuf", "filebuf", "getline", "num_get"];

fn is_listed(list: &str, name: &str) -> bool {
    list.split_whitespace()
        .any(|word| match word.strip_suffix('*') {
            Some(stem) => name.starts_with(stem),
            None => name == word,
        })
}

/// Does this function of a C++ library read a stream without a model?
fn reads_stream(name: &str) -> bool {
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    let wide = has(WIDE_STREAMS) || has(WIDE_BUFFERS) && has(TAKING);
    name.starts_with("_Z") && (wide || name.contains("St3__1") && has(OTHER_STREAMS))
}

impl<'m> FunctionPass<'_, 'm> {
    /// Counts what a call gives to a function without a model.
    pub(super) fn external_call(&mut self, i: Value<'m>, name: &str, number: u32) {
        let (h, module) = (&self.pass.helpers, self.pass.module);
        let labelled = i.arguments().into_iter();
        let labelled: Vec<_> = labelled
            .filter_map(|argument| Some((argument, self.label_of(argument)?)))
            .collect();
        let text = || self.pass.name_of(name);
        h.builder.before(i);
        for (argument, label) in labelled {
            let value = self.bits(argument);
            let _ = h.call("taken", &[text(), h.u32(number), label, value]);
        }
        // Models say themselves what they do not see.
        if self.model || is_listed(BLIND, name) {
            return;
        }
        let call = |slow: &str, arguments: &[Value<'m>]| {
            let types: Vec<_> = arguments.iter().map(|a| a.ty()).collect();
            let slow = module.declare(&format!("{PREFIX}slow_{slow}"), module.void(), &types);
            let _ = h.builder.call(slow, arguments);
        };
        if is_listed(READERS, name) || reads_stream(name) {
            return call("reads", &[text()]);
        }
        let arguments = i.arguments();
        let descriptor = DESCRIPTORS.iter().find(|(reader, _)| *reader == name);
        if let Some(fd) = descriptor.and_then(|(_, position)| arguments.get(*position)) {
            return call("descriptor", &[text(), self.bits(*fd)]);
        }
        let pointers = arguments.into_iter().filter(|a| {
            a.ty().kind() == LLVMTypeKind::LLVMPointerTypeKind
                && !self.points_to_constant(*a)
                && !is_function(*a)
        });
        let slow = if is_listed(BY_NAME, name) {
            "named"
        } else {
            "given"
        };
        for argument in pointers {
            call(slow, &[text(), argument]);
        }
    }
}

fn is_function(value: Value<'_>) -> bool {
    value.kind() == LLVMValueKind::LLVMFunctionValueKind
}
