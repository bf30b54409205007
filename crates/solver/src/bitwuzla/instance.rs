//! One solver with its terms.
//!
//! Invariant: `context` is a live context of the shim, used by one thread at a time (an
//! [`Instance`] may move between threads, but is not shared).

#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char};
use std::num::NonZeroU32;
use std::ptr::{NonNull, null};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::ffi::{self, Table};
use super::{Error, Kind, Outcome, Rounding, Stop, Term, TermSort, View};

/// What an instance is created with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    /// Seed of the solver's random choices.
    pub seed: u64,
    /// Checks stop once the process has this much resident memory, in bytes.
    pub memory: Option<u64>,
    /// How [`Instance::interpolant`] answers, if it is to be asked. Checks are much slower then.
    pub interpolants: Option<Interpolation>,
}

/// How interpolants are read off a refutation.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpolation {
    /// McMillan's system, the strongest.
    McMillan = 1,
    /// Pudlák's system, the symmetric one.
    Pudlak = 2,
}

/// When to stop a check.
#[derive(Clone, Copy, Debug, Default)]
pub struct CheckLimits<'a> {
    /// Steps for this check: the same number stops the same check at the same place everywhere.
    pub steps: Option<u64>,
    /// Time for this check.
    pub timeout: Option<Duration>,
    /// Stop soon after the flag is raised.
    pub cancel: Option<&'a AtomicBool>,
}

impl<'a> CheckLimits<'a> {
    /// No limits.
    #[must_use]
    pub const fn none() -> Self {
        CheckLimits {
            steps: None,
            timeout: None,
            cancel: None,
        }
    }

    /// Only a timeout.
    #[must_use]
    pub const fn timeout(timeout: Duration) -> Self {
        CheckLimits {
            steps: None,
            timeout: Some(timeout),
            cancel: None,
        }
    }

    /// As the shim wants them: 0 is no limit, so a limit of 0 becomes the shortest one.
    fn raw(&self) -> ffi::RawLimits {
        let timeout_nanoseconds = self.timeout.map_or(0, |timeout| {
            // A century is as good as no limit and cannot overflow the clock.
            u64::try_from(timeout.as_nanos())
                .unwrap_or(u64::MAX)
                .clamp(1, 3_000_000_000_000_000_000)
        });
        ffi::RawLimits {
            steps: self.steps.map_or(0, |steps| steps.max(1)),
            timeout_nanoseconds,
            cancel: self
                .cancel
                .map_or(null(), |flag| flag.as_ptr().cast_const().cast()),
        }
    }
}

/// A Bitwuzla solver with its terms.
pub struct Instance {
    table: &'static Table,
    context: NonNull<ffi::Context>,
}

// SAFETY: a context has no ties to the thread that created it; Bitwuzla's thread-local state
// lives for the duration of one call only.
unsafe impl Send for Instance {}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: the context is live and not used again.
        unsafe { (self.table.destroy)(self.context.as_ptr()) }
    }
}

impl std::fmt::Debug for Instance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Instance")
            .field("terms", &self.term_count())
            .finish()
    }
}

/// Calls a function of the table with the context as first argument.
macro_rules! call {
    ($self:ident.$function:ident($($argument:expr),*)) => {
        // SAFETY: the context is live and `&self` or `&mut self` is held; pointers among the
        // arguments come from references to as many elements as the length beside them says,
        // which live during the call. The shim checks the ranges of handles and kinds.
        unsafe { ($self.table.$function)($self.context.as_ptr() $(, $argument)*) }
    };
}

impl Instance {
    /// A solver without terms and assertions.
    pub fn new(settings: &Settings) -> Result<Self, Error> {
        let table = ffi::table().map_err(|message| Error::Missing(message.to_owned()))?;
        let raw = ffi::Settings {
            seed: settings.seed,
            memory_bytes: settings.memory.unwrap_or(0),
            interpolants: settings.interpolants.map_or(0, |system| system as u32),
        };
        let mut message: [c_char; 256] = [0; 256];
        // SAFETY: `raw` and `message` live during the call; the shim ends the text with a zero
        // within the given length.
        let context = unsafe { (table.create)(&raw, message.as_mut_ptr(), message.len()) };
        match NonNull::new(context) {
            Some(context) => Ok(Instance { table, context }),
            None => {
                // SAFETY: see above.
                let text = unsafe { CStr::from_ptr(message.as_ptr()) };
                Err(Error::Refused(text.to_string_lossy().into_owned()))
            }
        }
    }

    /// Bitwuzla's version.
    pub fn version(&self) -> &'static str {
        // SAFETY: the function answers a constant string.
        unsafe { CStr::from_ptr((self.table.library_version)()) }
            .to_str()
            .unwrap_or("unknown")
    }

    /// Number of terms so far.
    pub fn term_count(&self) -> usize {
        call!(self.term_count()) as usize
    }

    /// The bit-vector `value` modulo `2^width`; at most 128 bits.
    pub fn bits(&mut self, width: u32, value: u128) -> Result<Term, Error> {
        if !(1..=128).contains(&width) {
            return Err(Error::Refused(format!("a value of {width} bits")));
        }
        let value = value & (u128::MAX >> (128 - width));
        self.made(call!(self.make_bits(
            width,
            value as u64,
            (value >> 64) as u64
        )))
    }

    /// A truth value.
    pub fn truth(&mut self, value: bool) -> Result<Term, Error> {
        self.made(call!(self.make_bool(value.into())))
    }

    /// A rounding mode.
    pub fn rounding(&mut self, mode: Rounding) -> Result<Term, Error> {
        self.made(call!(self.make_rounding(mode as u32)))
    }

    /// A new free constant, also if there is one of that name.
    pub fn constant(&mut self, sort: TermSort, name: &str) -> Result<Term, Error> {
        let (tag, a, b) = match sort {
            TermSort::Bool => (ffi::SORT_BOOL, 0, 0),
            TermSort::Bits(width) => (ffi::SORT_BITS, width, 0),
            TermSort::Float32 => (ffi::SORT_FLOAT, 8, 24),
            TermSort::Float64 => (ffi::SORT_FLOAT, 11, 53),
        };
        let name = CString::new(name).map_err(|error| Error::Refused(error.to_string()))?;
        self.made(call!(self.make_constant(tag, a, b, name.as_ptr())))
    }

    /// An operation.
    pub fn term(&mut self, kind: Kind, operands: &[Term]) -> Result<Term, Error> {
        self.indexed(kind, operands, &[])
    }

    /// An operation with indices.
    pub fn indexed(
        &mut self,
        kind: Kind,
        operands: &[Term],
        indices: &[u64],
    ) -> Result<Term, Error> {
        let handles = handles(operands);
        self.made(call!(self.make_term(
            kind as u32,
            handles.0,
            handles.1,
            indices.as_ptr(),
            indices.len()
        )))
    }

    /// Asserts a truth value at the present level.
    pub fn assert(&mut self, formula: Term) -> Result<(), Error> {
        self.done(call!(self.assert_formula(formula.0.get())))
    }

    /// Opens a level of assertions.
    pub fn push(&mut self) -> Result<(), Error> {
        self.done(call!(self.push()))
    }

    /// Drops the assertions of the last level.
    pub fn pop(&mut self) -> Result<(), Error> {
        self.done(call!(self.pop()))
    }

    /// Drops all assertions and all that was learned; terms stay.
    pub fn reset(&mut self) -> Result<(), Error> {
        self.done(call!(self.reset()))
    }

    /// Is there a model of the assertions and the assumptions?
    pub fn check(
        &mut self,
        assumptions: &[Term],
        limits: &CheckLimits<'_>,
    ) -> Result<Outcome, Error> {
        let (pointer, length) = handles(assumptions);
        Ok(match call!(self.check(pointer, length, &limits.raw())) {
            ffi::SAT => Outcome::Sat,
            ffi::UNSAT => Outcome::Unsat,
            ffi::STOP_NONE => Outcome::Unknown(Stop::Incomplete),
            ffi::STOP_DEADLINE => Outcome::Unknown(Stop::Deadline),
            ffi::STOP_CANCELLED => Outcome::Unknown(Stop::Cancelled),
            ffi::STOP_MEMORY => Outcome::Unknown(Stop::Memory),
            ffi::STOP_STEPS => Outcome::Unknown(Stop::Steps),
            _ => return Err(self.error()),
        })
    }

    /// Steps of the last check: a measure of its work that no clock enters.
    pub fn steps(&self) -> u64 {
        call!(self.steps())
    }

    /// Value of a bit-vector (at most 128 bits) or truth value in the model of the last check,
    /// which was [`Outcome::Sat`].
    pub fn value(&mut self, term: Term) -> Result<u128, Error> {
        let (mut low, mut high) = (0, 0);
        self.done(call!(self.value(term.0.get(), &mut low, &mut high)))?;
        Ok(u128::from(high) << 64 | u128::from(low))
    }

    /// For each assumption of the last check, which was [`Outcome::Unsat`]: is it needed?
    pub fn failed(&mut self, assumptions: &[Term]) -> Result<Vec<bool>, Error> {
        let (pointer, length) = handles(assumptions);
        let mut flags = vec![0_u8; length];
        self.done(call!(self.failed(pointer, length, flags.as_mut_ptr())))?;
        Ok(flags.into_iter().map(|flag| flag != 0).collect())
    }

    /// Interpolant of the assertions in `part` and all the others: it follows from the former,
    /// contradicts the latter, and speaks of shared constants only. The last check was
    /// [`Outcome::Unsat`] without assumptions, and the settings switched interpolants on.
    pub fn interpolant(&mut self, part: &[Term], limits: &CheckLimits<'_>) -> Result<Term, Error> {
        let (pointer, length) = handles(part);
        self.made(call!(self.interpolant(pointer, length, &limits.raw())))
    }

    /// How a term is built.
    pub fn view(&mut self, term: Term) -> Result<View, Error> {
        match call!(self.kind(term.0.get())) {
            ffi::KIND_CONSTANT => Ok(View::Constant),
            ffi::KIND_VALUE => {
                let (mut low, mut high) = (0, 0);
                self.done(call!(self.constant_value(
                    term.0.get(),
                    &mut low,
                    &mut high
                )))?;
                Ok(View::Value(u128::from(high) << 64 | u128::from(low)))
            }
            number => match Kind::ALL.get(number as usize) {
                Some(&kind) => Ok(View::Operation(
                    kind,
                    self.children(term)?,
                    self.indices(term)?,
                )),
                None => Ok(View::Other),
            },
        }
    }

    /// Sort of a term, if it is a bit-vector or a truth value.
    pub fn sort(&self, term: Term) -> Option<TermSort> {
        match call!(self.width(term.0.get())) {
            0 => Some(TermSort::Bool),
            width => u32::try_from(width).ok().map(TermSort::Bits),
        }
    }

    /// A term as SMT-LIB text.
    pub fn text(&mut self, term: Term) -> Result<String, Error> {
        let pointer = call!(self.text(term.0.get()));
        if pointer.is_null() {
            return Err(self.error());
        }
        // SAFETY: a C string that lives until the next call.
        Ok(unsafe { CStr::from_ptr(pointer) }
            .to_string_lossy()
            .into_owned())
    }

    fn children(&mut self, term: Term) -> Result<Vec<Term>, Error> {
        let mut children = Vec::new();
        loop {
            let found = call!(self.children(term.0.get(), children.as_mut_ptr(), children.len()));
            let count = usize::try_from(found).map_err(|_| self.error())?;
            if count <= children.len() {
                children.truncate(count);
                return children.into_iter().map(|child| self.made(child)).collect();
            }
            children.resize(count, 0);
        }
    }

    fn indices(&mut self, term: Term) -> Result<Vec<u64>, Error> {
        let mut indices = [0; 4];
        let found = call!(self.indices(term.0.get(), indices.as_mut_ptr(), indices.len()));
        let count = usize::try_from(found).map_err(|_| self.error())?;
        Ok(indices.into_iter().take(count).collect())
    }

    fn made(&self, handle: ffi::Handle) -> Result<Term, Error> {
        NonZeroU32::new(handle)
            .map(Term)
            .ok_or_else(|| self.error())
    }

    fn done(&self, code: i32) -> Result<(), Error> {
        if code < 0 { Err(self.error()) } else { Ok(()) }
    }

    /// The message of the last call, which failed.
    fn error(&self) -> Error {
        let message = call!(self.error());
        // SAFETY: the shim answers a C string that lives until the next call that fails.
        let text = unsafe { CStr::from_ptr(message) };
        Error::Refused(text.to_string_lossy().into_owned())
    }
}

/// Address and number of handles; a [`Term`] is one.
fn handles(terms: &[Term]) -> (*const ffi::Handle, usize) {
    (terms.as_ptr().cast(), terms.len())
}
