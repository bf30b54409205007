//! Functions that a program is linked with: how they are called from outside.
//!
//! The plain program, started with [`ENV_LINKED`], is no run but a *server*: it never gets to
//! `main`. For [`Ask::Begin`] it forks a child, in which functions are called until
//! [`Ask::End`], so that what libraries keep is as at the program's start for every child. The
//! child maps memory at given addresses, so addresses mean the same on both sides.
//!
//! Messages are read from [`CONTROL_FD`](crate::CONTROL_FD) and answered on
//! [`STATUS_FD`](crate::STATUS_FD). A message is a [`Message`] and [`WORDS`] words, which only
//! calls have, so that it can be read at once; an answer begins with a [`Message`]. Bytes may
//! follow either.

/// Environment variable that makes a plain program call its functions.
pub const ENV_LINKED: &str = "LABRYS_LINKED";
/// Stretches of memory that are watched at most.
pub const MOST_WATCHED: usize = 1 << 14;
/// Bytes that are watched at most.
pub const MOST_WATCHED_BYTES: u64 = 1 << 25;
/// Bytes that are read at a time, at most.
pub const MOST_READ: u64 = 4096;
/// Words that a call is given: of the registers for integers, of those for floats, and on the
/// stack.
pub const WORDS: usize = INTEGERS + FLOATS + STACK;
/// Registers for integers and pointers.
pub const INTEGERS: usize = 6;
/// Registers for floats.
pub const FLOATS: usize = 8;
/// Words on the stack.
pub const STACK: usize = 8;

/// The request of a message.
#[repr(u64)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// Fork a child. No answer.
    Begin = 1,
    /// The child ends. No answer.
    End = 2,
    /// The address of the symbol whose name is the `length` bytes that follow: the value of the
    /// answer, 0 if there is none.
    Find = 3,
    /// From now on the memory at an address is watched, by a number; it is mapped if nothing
    /// is there. No answer.
    Watch = 4,
    /// The memory of this number is not watched any more. No answer.
    Unwatch = 5,
    /// The bytes that follow go to an address within the memory of this number. No answer.
    Write = 6,
    /// The bytes at an address: they follow the answer.
    Read = 7,
    /// Call the function at an address with the message's words; the number is 1 if the result
    /// is a float. The value of the answer is the result; `length` stretches of watched memory
    /// follow that are not as before, each a [`Message`] and its bytes.
    Call = 8,
}

/// The kind of an answer.
#[repr(u64)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The server is ready; the value is the address of `__labrys_init`.
    Ready = 1,
    /// Done.
    Done = 2,
    /// It cannot be done.
    Refused = 3,
    /// The child ended in a call: the value is its wait status as of `waitpid(2)`.
    Ended = 4,
    /// The child ended at another time, and the server with it.
    Lost = 5,
}

/// The beginning of a message and of an answer.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// An [`Ask`] or an [`Answer`].
    pub kind: u64,
    /// An address, or the value of an answer.
    pub address: u64,
    /// Bytes, or how many things follow.
    pub length: u64,
    /// The number of watched memory, or a flag.
    pub number: u64,
}

impl Message {
    /// The words of a message, in order.
    #[must_use]
    pub const fn words(&self) -> [u64; 4] {
        [self.kind, self.address, self.length, self.number]
    }

    /// The message of these words.
    #[must_use]
    pub const fn of(words: [u64; 4]) -> Self {
        let [kind, address, length, number] = words;
        Message {
            kind,
            address,
            length,
            number,
        }
    }
}
