//! The shared region: its header, and the fork server's messages.

use core::sync::atomic::{AtomicU32, AtomicU64};

/// Sections start at multiples of this many bytes.
pub const PAGE: usize = 4096;
/// First word of a [`Header`].
pub const MAGIC: u64 = 0x3159_5242_414c_0001;
/// Version of this contract; explorer and runtime must agree.
pub const VERSION: u32 = 11;

/// Bytes of input objects that a run can have, each counted where it begins.
pub const MAX_OBJECTS: u32 = 4 << 20;

/// Descriptor of the shared region in a program under test.
pub const REGION_FD: i32 = 197;
/// Descriptor from which the fork server reads [`Command`]s.
pub const CONTROL_FD: i32 = 198;
/// Descriptor to which the fork server writes [`Status`]es.
pub const STATUS_FD: i32 = 199;
/// The fork server is started if this environment variable is set to any value; the runtime
/// removes it from the environment. Without it an instrumented binary behaves as a plain one.
pub const ENV_ACTIVE: &str = "LABRYS_ACTIVE";

/// How variables are named that hold the address of what a program refers to weakly and nobody defines,
/// in a program with drivers: in another link it may be null.
pub const WEAK_REFERENCE: &str = "labrys_weak_";

/// The variables by which AddressSanitizer and MemorySanitizer get their options; the runtime
/// removes them too.
pub const SANITIZER_VARIABLES: [&str; 2] = ["ASAN_OPTIONS", "MSAN_OPTIONS"];

/// How much a run records. A number of [`Header::mode`].
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Coverage bytes only; nothing is symbolic.
    Coverage = 0,
    /// Events for decisions on symbolic values.
    Symbolic = 1,
    /// Events for every decision, call and return, but for checks of undefined behavior that do
    /// not depend on the input.
    AllBranches = 2,
    /// As `Coverage`, and clock and randomness are those of the machine: they do not repeat.
    Real = 3,
    /// As `Real`, and memory that is not the program's to read differs: objects of drivers end
    /// before memory that is not there, and what nobody has written holds other bytes.
    Apart = 4,
    /// As `Symbolic`, and an event for each function that is called.
    Calls = 5,
    /// As `Apart`, with objects of drivers in the opposite order, at addresses of the opposite bits.
    Opposite = 6,
    /// As `Apart`, with objects of drivers side by side.
    Close = 7,
    /// As `Close`, in the opposite order.
    CloseOpposite = 8,
}

impl Mode {
    /// Whether a header's mode is one in which clock and randomness are those of the machine.
    #[must_use]
    pub fn is_real(mode: u32) -> bool {
        mode == Mode::Real as u32 || Mode::is_elsewhere(mode)
    }

    /// Those in which memory is elsewhere: where objects of drivers lie, and what nobody has written.
    pub const ELSEWHERE: [Mode; 4] = [
        Mode::Apart,
        Mode::Opposite,
        Mode::Close,
        Mode::CloseOpposite,
    ];

    /// Whether a header's mode is one of [`ELSEWHERE`](Self::ELSEWHERE).
    #[must_use]
    pub fn is_elsewhere(mode: u32) -> bool {
        Mode::ELSEWHERE.iter().any(|one| *one as u32 == mode)
    }
}

/// Where a stream's bytes enter the program.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamKind {
    /// Bytes of input objects (`labrys_symbolic` and its kin), in order of creation; a run
    /// that needs more than there are gets zeros.
    Objects = 0,
    /// A file on disk with device and inode number `device`, `inode` (standard input is one).
    File = 1,
    /// Command line argument `index` (1 is the first after the program's name). Its capacity
    /// is `length`; the string ends at its first zero byte.
    Argument = 2,
    /// Environment variable: the bytes are `NAME=value`, and only those after the first `=`
    /// are symbolic. Otherwise as `Argument`.
    Environment = 3,
}

/// One source of input bytes. The id of a stream is its index in [`Header::streams`].
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Stream {
    /// A [`StreamKind`].
    pub kind: u32,
    /// Argument index.
    pub index: u32,
    /// Length in bytes.
    pub length: u64,
    /// Offset of the bytes in the input section (not for `File`).
    pub offset: u64,
    /// Device number of a file.
    pub device: u64,
    /// Inode number of a file.
    pub inode: u64,
}

/// How a run ended, as far as the program's side knows. A number of [`Header::exit_kind`].
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitKind {
    /// Nothing special: the wait status shows it.
    Plain = 0,
    /// A `labrys_assume` did not hold.
    AssumptionFailed = 1,
    /// The program reported a failure (`reach_error`, …).
    Failure = 2,
    /// It requested input objects without end.
    Endless = 3,
    /// It requested an input object behind [`Header::objects_end`].
    InputEnded = 4,
}

/// Extent of a section of the shared region.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Region {
    /// Byte offset from the start of the shared region, a multiple of [`PAGE`].
    pub offset: u64,
    /// Capacity in bytes.
    pub capacity: u64,
}

/// First page of the shared region.
///
/// The explorer writes everything up to `streams`; the runtime writes the counters.
#[repr(C)]
#[derive(Debug)]
pub struct Header {
    /// [`MAGIC`].
    pub magic: u64,
    /// [`VERSION`].
    pub version: u32,
    /// A [`Mode`].
    pub mode: u32,
    /// Size of the whole region in bytes.
    pub size: u64,
    /// One byte per branch of the program: not 0 if taken.
    pub coverage: Region,
    /// A `u32` per branch of the program: how near a run came to it, as a distance of the values
    /// that its condition compares, plus 1. The runtime writes only what is less than it finds.
    pub near: Region,
    /// Bytes of the streams that are not files.
    pub input: Region,
    /// [`Event`](crate::Event)s.
    pub events: Region,
    /// [`Node`](crate::Node)s; number 0 is unused.
    pub nodes: Region,
    /// Snapshots, names.
    pub data: Region,
    /// At most this many events per branch of the program are written (0: no limit).
    pub events_per_branch: u32,
    /// Number of valid entries of `streams`.
    pub stream_count: u32,
    /// The run ends where it requests an object that begins at this byte of the objects stream or
    /// behind it (0: it gets zeros).
    pub objects_end: u64,
    /// The streams.
    pub streams: [Stream; Header::MAX_STREAMS],
    /// Events written.
    pub event_count: AtomicU32,
    /// Nodes written plus one (labels start at 1; starts at 1).
    pub node_count: AtomicU32,
    /// Bytes of the data section in use.
    pub data_used: AtomicU32,
    /// Not 0 if a table was full and the rest of the run was concrete.
    pub overflow: AtomicU32,
    /// An [`ExitKind`].
    pub exit_kind: AtomicU32,
    /// Bytes of the objects stream that the run consumed.
    pub objects_used: AtomicU32,
    /// Not 0 if functions were called that have no event in [`Mode::Calls`]: by threads that are not
    /// traced, or in a child.
    pub untold_calls: AtomicU32,
    /// Places where the program used memory of the heap that was freed, or that is no block's,
    /// as far as marks show; 0 behind the last.
    pub misuses: [AtomicU32; 16],
    /// Concretizations by [`Cause`](crate::Cause).
    pub concretizations: [AtomicU64; 16],
}

impl Header {
    /// Most streams of one run.
    pub const MAX_STREAMS: usize = 48;
}

const _: () = assert!(size_of::<Header>() <= PAGE);

/// Explorer to fork server: 8 bytes `{command, argument}`.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Fork a child and run the program in it; it may begin at a snapshot of the program if the
    /// argument is not 0. The server answers with its wait status, as [`Status`] `Ended` or
    /// `Littered`.
    Run = 1,
    /// Exit. No answer.
    Quit = 2,
}

/// Fork server to explorer: 8 bytes `{status, value}`.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The server is ready; the value is [`VERSION`].
    Ready = 1,
    /// The child ended; the value is its wait status as of `waitpid(2)`.
    Ended = 2,
    /// The server could not map the region or fork; the value is `errno`.
    Failed = 3,
    /// As `Ended`, and the run left processes behind, which the server cannot end.
    Littered = 4,
    /// From now on the child of the server makes the runs (1), or the server itself (0). The run
    /// that is due is still to end.
    Moved = 5,
}
