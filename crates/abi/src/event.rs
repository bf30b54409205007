//! Events: what happened in one run, in order, 32 bytes each.

/// Site ids from here on are decisions of library models, the same ones in all programs.
pub const MODEL_SITE: u32 = 0x4000_0000;

/// Site ids from here on are no decisions of the program: `RUNTIME_SITE + RuntimeSite`.
pub const RUNTIME_SITE: u32 = 0xffff_0000;

/// Decisions taken inside the runtime; they can be flipped like a branch and do not count in
/// coverage. The site id is [`RUNTIME_SITE`] plus this number.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RuntimeSite {
    /// Does a read of an input stream get the bytes that it requests? (direction 1: yes)
    InputLength = 0,
    /// A decision inside a modelled library function.
    Library = 1,
    /// Is a symbolic address inside the object that it points to in this run, or a divisor as
    /// the dividend does? (1: yes)
    InBounds = 2,
}

/// Site ids from here on, [`PLACES`] of them: the symbolic size of an allocation, a site for each
/// place that allocates. Their events are concretizations.
pub const SIZE_SITE: u32 = RUNTIME_SITE + 0x4000;

/// Places that allocate and are distinguished, a power of two.
pub const PLACES: u32 = 0x4000;

/// Whether a site is the size of an allocation.
#[must_use]
pub const fn is_size(site: u32) -> bool {
    site.wrapping_sub(SIZE_SITE) < PLACES
}

/// Site ids from here on: is a symbolic address inside the object that it points to in this run?
/// (1: yes) Each object has a site of its own, so that runs which point into different objects
/// are distinguished.
pub const OBJECT_SITE: u32 = RUNTIME_SITE + 0x8000;

/// Why a symbolic value was replaced by its concrete value. Counted in the header.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cause {
    /// Address of a load outside any object that can be read as a table.
    LoadAddress = 0,
    /// Address of a store.
    StoreAddress,
    /// Argument of an external function without a model.
    External,
    /// Variable argument.
    Vararg,
    /// Size of an allocation.
    AllocationSize,
    /// Target of an indirect call.
    CallTarget,
    /// Operation that the runtime does not model (x87, vectors, inline assembly, …).
    Operation,
    /// Length or address argument of a modelled library function.
    LibraryArgument,
    /// The node or event table was full.
    TableFull,
    /// A label was dropped because its value was not the one in memory.
    Mismatch,
    /// Work on a thread other than the first.
    Thread,
}

impl Cause {
    /// All causes, in the order of their numbers.
    pub const ALL: [Cause; 11] = [
        Cause::LoadAddress,
        Cause::StoreAddress,
        Cause::External,
        Cause::Vararg,
        Cause::AllocationSize,
        Cause::CallTarget,
        Cause::Operation,
        Cause::LibraryArgument,
        Cause::TableFull,
        Cause::Mismatch,
        Cause::Thread,
    ];

    /// Stable name, as written to `summary.json`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Cause::LoadAddress => "load-address",
            Cause::StoreAddress => "store-address",
            Cause::External => "external-call",
            Cause::Vararg => "vararg",
            Cause::AllocationSize => "allocation-size",
            Cause::CallTarget => "call-target",
            Cause::Operation => "operation",
            Cause::LibraryArgument => "library-argument",
            Cause::TableFull => "table-full",
            Cause::Mismatch => "mismatch",
            Cause::Thread => "thread",
        }
    }
}

/// What an [`Event`] records.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EventKind {
    /// Conditional branch: `label` is the one-bit condition (0 if concrete, only written in
    /// [`Mode::AllBranches`](crate::Mode)), `direction` its value.
    Branch = 1,
    /// Switch: `label` is the scrutinee, `a` its value, `direction` 0 for the default,
    /// k for the k-th case.
    Switch,
    /// Select with a symbolic condition: as `Branch`.
    Select,
    /// `labrys_assume`: `label` is the one-bit condition, `direction` 1 if it held. The run
    /// ends after one that did not.
    Assume,
    /// A decision of the runtime ([`RuntimeSite`]): as `Branch`.
    Runtime,
    /// A symbolic value was fixed: `label` had the value `a` because of `aux` (a [`Cause`]).
    /// The constraint `label = a` is soft: dropping it may cause a divergence, nothing else.
    /// For [`Cause::External`], `b` is the function's index in the program model; for
    /// [`Cause::AllocationSize`], `site` is a place ([`SIZE_SITE`]).
    Concretize,
    /// A call of function `a` (its index in the program model); [`Mode::AllBranches`] only.
    ///
    /// [`Mode::AllBranches`]: crate::Mode::AllBranches
    Call,
    /// Return from function `a`; as `Call`.
    Return,
    /// `labrys_target`: `a` is the offset in the data section of the name, `b` its length in
    /// bytes.
    Target,
    /// An input object was created by an intrinsic: `a` is its offset in the objects stream,
    /// `b` its size in bytes, `label` the offset of its name in the data section, `site` the
    /// name's length, `aux` its [type](Event::aux).
    Input,
    /// A failure the runtime itself noticed (`reach_error`, assertion): `a`, `b` as in `Target`.
    Failure,
    /// What a call of a driver left behind: `site` is the number of the place, `a` the offset of
    /// its bytes in the data section, `b` their number.
    Result,
    /// A function of a library took what nothing follows there, `a` times in this run: `aux` is
    /// the [`Cause`] under which each was counted, `label` the offset of its name in the data
    /// section, `site` the name's length.
    Unseen,
    /// A binder begins: function number `a` of a unit is called.
    BindCall,
    /// The call that began last passes memory which a driver would fill with input: `a` is the
    /// offset of that input in the objects stream of the function's driver, `b` the offset in the
    /// data section of the snapshot of the bytes that could be read.
    Bind,
    /// A text of the input was compared with another text, which differs: `label` is the offset of
    /// its bytes in the data section, `site` their number, `a` and `b` those of the other one. Each
    /// has 1 to [`LONGEST_COMPARED`] bytes, and a run has at most [`MOST_COMPARED`] of these.
    Compared,
    /// Function `a` (its index in the program model) is called, for the first time or after others that
    /// share a place with it; [`Mode::Calls`](crate::Mode) only.
    Called,
}

impl EventKind {
    /// The kind with this number.
    #[must_use]
    #[inline]
    pub fn from_u8(byte: u8) -> Option<Self> {
        if (EventKind::Branch as u8..=EventKind::Called as u8).contains(&byte) {
            // SAFETY: the enum is `repr(u8)` with contiguous discriminants in this range.
            #[allow(unsafe_code)]
            Some(unsafe { core::mem::transmute::<u8, EventKind>(byte) })
        } else {
            None
        }
    }
}

/// Pairs of texts in [`EventKind::Compared`] events of a run, at most.
pub const MOST_COMPARED: usize = 512;

/// Bytes of such a text, at most.
pub const LONGEST_COMPARED: usize = 64;

/// What [`Event::aux`] of an input that is an array of numbers is a multiple of.
pub const ARRAY: u8 = 16;

/// One record of the event log.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// An [`EventKind`].
    pub kind: u8,
    /// A [`Cause`] for `Concretize`; for `Input` the type: 0 bytes, 1 unsigned integer,
    /// 2 signed integer, 3 float, 4 boolean, 5 pointer; for an array of numbers [`ARRAY`] times the
    /// binary logarithm of the bytes of one.
    pub aux: u8,
    /// Unused.
    pub reserved: u16,
    /// Site id.
    pub site: u32,
    /// Label of the condition or value.
    pub label: u32,
    /// Direction taken.
    pub direction: u32,
    /// First payload.
    pub a: u64,
    /// Second payload; of a branch, switch or select the stack pointer of the function that
    /// decided, which is lower in a callee than in its caller (0 if it is not known).
    pub b: u64,
}

const _: () = assert!(size_of::<Event>() == 32);
