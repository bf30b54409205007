//! Calls of functions that have no model: what they are given is counted by their names, since
//! nothing follows it there.
//!
//! A labelled argument counts, and so does a pointer that leads to labels, to a `FILE` that reads
//! an input or to the name of one; whether it does is found when the call is made.

use labrys_abi::{Intrinsic, Meta};

use labrys_llvm::{LLVMIntPredicate, LLVMTypeKind, LLVMValueKind, Value};

use super::PREFIX;
use super::function::FunctionPass;

/// Functions that return again, with the value that is given to one of [`JUMPS`].
const SAVES: &[&str] = &["setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp"];
const JUMPS: &[&str] = &["longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"];

/// Functions that read nothing through their pointers.
/// A `*` at the end stands for any rest.
const BLIND: &str = "
    pthread_* sem_* sig* atexit on_exit at_quick_exit __cxa_* __gxx_* _Unwind_* __dynamic_cast __clang_*
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

/// Functions that may read what no pointer tells: from standard input, in another process or
/// thread.
const READERS: &str = "
    wscanf vwscanf __isoc99_wscanf __isoc99_vwscanf gets aio_read aio_read64 lio_listio
    popen system posix_spawn posix_spawnp vfork clone
    execl execlp execle execv execve execvp execvpe fexecve
    pthread_create thrd_create _ZNSt6thread15_M_start_thread*
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

/// Does nothing get lost in this function, whatever it is given?
pub(super) fn loses_nothing(name: &str) -> bool {
    let jumps = SAVES.iter().chain(JUMPS).any(|jump| *jump == name);
    jumps || is_listed(BLIND, name)
}

/// Does this function of a C++ library read a stream without a model?
fn reads_stream(name: &str) -> bool {
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    let wide = has(WIDE_STREAMS) || has(WIDE_BUFFERS) && has(TAKING);
    name.starts_with("_Z") && (wide || name.contains("St3__1") && has(OTHER_STREAMS))
}

impl<'m> FunctionPass<'_, 'm> {
    /// A call that returns again: what it returns is an argument of the jump.
    fn save_place(&mut self, i: Value<'m>) {
        if !self.behind(i) {
            return;
        }
        let h = &self.pass.helpers;
        let taken = h.call("entered", &[self.jump()]);
        let label = h.call("param", &[taken, h.u32(0), h.u32(32), self.bits(i)]);
        self.set_label(i, label);
    }

    /// A call that makes another one return again, with 1 in place of 0.
    fn jump_back(&self, i: Value<'m>, value: Value<'m>) {
        let Some(label) = self.label_of(value) else {
            return;
        };
        let h = &self.pass.helpers;
        h.builder.before(i);
        let (given, one) = (self.bits(value), h.u64(1));
        let none = h
            .builder
            .compare(LLVMIntPredicate::LLVMIntEQ, given, h.u64(0));
        let returned = h.builder.select(none, one, given);
        let meta = h.u64(Meta::new(Intrinsic::UMax as u8, 32, 0).0);
        let label = h.call("intrinsic", &[meta, label, h.u32(0), given, one, returned]);
        let _ = h.call("pass1", &[self.jump(), label]);
    }

    /// Whose argument a jump passes.
    fn jump(&self) -> Value<'m> {
        let module = self.pass.module;
        module.declare(
            "longjmp",
            module.void(),
            &[module.pointer(), module.int(32)],
        )
    }

    /// Counts what a call gives to a function without a model.
    pub(super) fn external_call(&mut self, i: Value<'m>, name: &str, number: u32) {
        if SAVES.contains(&name) {
            return self.save_place(i);
        }
        let (h, module) = (&self.pass.helpers, self.pass.module);
        if let (true, [_, value]) = (JUMPS.contains(&name), &i.arguments()[..]) {
            return self.jump_back(i, *value);
        }
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
        if self.model {
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
        if is_listed(BLIND, name) {
            return;
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

pub(super) fn is_function(value: Value<'_>) -> bool {
    value.kind() == LLVMValueKind::LLVMFunctionValueKind
}
