//! Certificates: what shows that branches are unreachable, as text that is checked without the code
//! that found it.
//!
//! A certificate is an inductive invariant: a formula for each location that runs come to. It is an
//! SMT-LIB script that asks nothing:
//!
//! ```text
//! (set-info :labrys-certificate "1")
//! (set-info :unreachable "a.c:9:7 s3 direction 1")        a claim, by the branch's name
//! (set-logic QF_BV)
//! (declare-const |main %5.0| (_ BitVec 32))               a variable of the state
//! (define-fun |main b3| () Bool (bvsle |main %5.0| #x0000000a))
//! ```
//!
//! | name | what it stands for |
//! |---|---|
//! | `main` | the frame in which runs begin |
//! | `main/b3.2/f` | the frame of `f` that instruction 2 of block 3 of `main` calls |
//! | `FRAME b3` | the location at the beginning of block 3 of a frame |
//! | `FRAME %5.0` | part 0 of value 5 of a frame |
//! | `@g`, `&f`, `FRAME $7` | the address of a global variable, of a function, of an object that stays in its frame |
//! | `@g+8:4`, `FRAME $7+8:4` | 4 bytes at offset 8 of an object |
//!
//! With `(set-info :unit "f")` the formulas are of runs of `f` alone, called with anything in memory,
//! and the claims are branches of `f`: the frame in which it runs is `f`.
//!
//! A branch of a function that no calls lead to has a [set of functions](calls) in place of formulas.
//!
//! Values, blocks and instructions are numbered as in the frozen bitcode's static model, so the text
//! depends on the program and on what is claimed alone.
//!
//! Law: `names` and `read` accept no name that the program has no frame, value or object for, and
//! none of a symbol that is local to a block.

mod calls;
mod names;
mod reached;
mod read;
mod verdict;
mod verify;
mod witness;
mod write;

pub use calls::uncalled;
pub use reached::reached;
pub use verdict::Verdict;
pub use verify::Verification;
pub(crate) use write::write;

/// The version of the format.
const FORMAT: &str = "1";
/// The keyword of the version.
const VERSION: &str = ":labrys-certificate";
/// The keyword of the function that is looked at by itself.
const UNIT: &str = ":unit";
/// The keyword of a claim.
const CLAIM: &str = ":unreachable";
/// The keyword of a function that runs may enter.
const ENTERED: &str = ":entered";
