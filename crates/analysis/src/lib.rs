//! Static analyses of a whole program: what is computed of it once and never changes.
//!
//! [`ProgramAnalysis`] holds them all. Every answer over-approximates the runs of the program, so
//! that a proof may rest on it: an [`Effects`] names at least what a call does, a [`PointsTo`] at
//! least the object of an address, a set of [global values](ProgramAnalysis::global_values) at
//! least the values that the memory holds.
//!
//! | Question | Answer |
//! |---|---|
//! | Who calls whom, through pointers too? | [`ProgramAnalysis::calls`] |
//! | What may a function, a call, a block write, and may it end the run? | [`Effects`], [`BlockEffects`] |
//! | Into which object does an address point? | [`PointsTo`] |
//! | Whose address stays in its function or its file? | [`Body::is_private`], [`ProgramAnalysis::is_shared`] |
//! | Which functions give a new object? | [`ProgramAnalysis::gives_new_object`] |
//! | Which values does a global hold? | [`ProgramAnalysis::global_values`] |
//! | Which branches are not taken, whatever the input, because of the numbers that values have? | [`ProgramAnalysis::impossible_branches`] |
//! | Which numbers does a loop count with? | [`ProgramAnalysis::counter`] |
//! | Where are the loops, what dominates what? | [`Body`], [`Loop`] |
//! | Which blocks lie between two places, without loops? | [`acyclic_region`] |
//! | What may code outside of the program call, and when? | [`ProgramAnalysis::is_called_from_outside`], [`ProgramAnalysis::interference`] |
//! | Which names may be names of one thing? | [`ProgramAnalysis::may_be_one_global`], [`ProgramAnalysis::may_be_one_function`] |
//! | How is the program with its surroundings? | [`closed`] |
//! | Why can nothing be proved of this program? | [`ProgramAnalysis::obstacles`], [`ProgramAnalysis::local_obstacles`] |
//! | Where may control come back a second time? | [`ProgramAnalysis::has_second_returns`] |

mod address;
mod body;
mod calls;
mod characters;
mod closed;
mod effects;
mod elsewhere;
mod escape;
mod external_calls;
mod formats;
mod fresh;
mod global_values;
mod handlers;
mod hooks;
mod installed;
mod loops;
mod mappings;
mod names;
mod obstacles;
mod points_to;
mod program_analysis;
mod region;
mod second_returns;
mod values;

pub use address::global_of;
pub use body::{Body, Definition};
pub use calls::Place;
pub use closed::closed;
pub use effects::{BlockEffects, Effects};
pub use global_values::GlobalPart;
pub use loops::Loop;
pub use points_to::{Pointee, PointsTo};
pub use program_analysis::ProgramAnalysis;
pub use region::acyclic_region;
pub use values::{Impossible, NumberSet};
