//! Test cases and failures: what a suite keeps of a run.

use serde::{Deserialize, Serialize};

use crate::{Coverage, Input, InputObject, Outcome};

/// Whether the run of the uninstrumented program agreed with what was predicted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Confirmation {
    /// It did.
    Confirmed,
    /// It did something else.
    Diverged,
    /// It has not been run yet.
    #[default]
    Pending,
}

/// The branch whose other direction an input was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Flip {
    /// Site id as in a trace; it may be a site of the runtime.
    pub site: u32,
    /// Direction that the input was to take.
    pub direction: u32,
}

/// Where an input comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Origin {
    /// Id of the test case that it was made from.
    pub parent: Option<u32>,
    /// The branch that was flipped; none for an input from the user.
    pub flipped: Option<Flip>,
    /// Name of the strategy that asked for it; `seed` for an input from the user.
    pub strategy: String,
}

/// The bytes of a place after the call of a driver; see [`unit`](crate::unit).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observed {
    /// The number of the place.
    pub place: u32,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Its bytes after the same call elsewhere, with other memory around its objects, if they are
    /// others then: addresses, or what depends on memory that is not the program's to read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<u8>,
}

impl Observed {
    /// The places with these numbers and bytes.
    #[must_use]
    pub fn of(places: Vec<(u32, Vec<u8>)>) -> Vec<Self> {
        let places = places.into_iter();
        places
            .map(|(place, bytes)| Observed {
                place,
                bytes,
                elsewhere: Vec::new(),
            })
            .collect()
    }

    /// Adds what the same call left elsewhere, where it was the same so far; nothing of the places that
    /// it did not come to.
    #[must_use]
    pub fn compared(own: Vec<Self>, elsewhere: &[Self]) -> Vec<Self> {
        let own = own.into_iter();
        let both = own.filter_map(|mut one| {
            let other = elsewhere.iter().find(|other| other.place == one.place)?;
            if one.elsewhere.is_empty() {
                one.elsewhere.clone_from(&one.bytes);
            }
            let known = one.elsewhere.iter_mut().zip(&one.bytes);
            for ((known, own), other) in known.zip(&other.bytes) {
                if *known == *own {
                    *known = *other;
                }
            }
            if one.elsewhere == one.bytes {
                one.elsewhere.clear();
            }
            Some(one)
        });
        both.collect()
    }

    /// Whether these bytes of it are the same everywhere.
    #[must_use]
    pub fn repeats(&self, range: core::ops::Range<usize>) -> bool {
        self.elsewhere.is_empty() || self.elsewhere.get(range.clone()) == self.bytes.get(range)
    }
}

/// An input with its outcome and coverage.
#[derive(Clone, Debug, PartialEq)]
pub struct TestCase {
    /// Number in the suite, from 1.
    pub id: u32,
    /// The input.
    pub input: Input,
    /// How the run ended.
    pub outcome: Outcome,
    /// The branches that the run took.
    pub coverage: Coverage,
    /// What the uninstrumented program did.
    pub confirmed: Confirmation,
    /// Where the input comes from.
    pub origin: Origin,
    /// The objects that the run asked for; empty without an objects stream.
    pub objects: Vec<InputObject>,
    /// What a call of a driver left behind in the run of the plain program.
    pub results: Vec<Observed>,
    /// Number of the run that showed it, from 1.
    pub run: u64,
    /// Seconds since the start of the search.
    pub seconds: f64,
}

impl TestCase {
    /// A test case from an unknown origin, not confirmed yet, without objects and times.
    #[must_use]
    pub fn new(id: u32, input: Input, outcome: Outcome, coverage: Coverage) -> Self {
        Self {
            id,
            input,
            outcome,
            coverage,
            confirmed: Confirmation::Pending,
            origin: Origin::default(),
            objects: Vec::new(),
            results: Vec::new(),
            run: 0,
            seconds: 0.0,
        }
    }
}

/// A failure of the program with the input that shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// Number in the suite, from 1.
    pub id: u32,
    /// The input.
    pub input: Input,
    /// The objects that the run asked for; empty without an objects stream.
    pub objects: Vec<InputObject>,
    /// How the run ended.
    pub outcome: Outcome,
    /// One word for what went wrong, such as `SIGSEGV` or `division-by-zero`.
    pub kind: String,
    /// What was accessed and how it lies to the object; may be empty.
    pub detail: String,
    /// Source location as `FILE:LINE:COLUMN`, if it is known.
    pub location: Option<String>,
    /// Stack at the failure, innermost frame first.
    pub stack: Vec<String>,
    /// Whether a build without instrumentation showed it too.
    pub confirmed: bool,
    /// Number of the run that showed it.
    pub run: u64,
}
