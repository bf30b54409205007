//! Property tests of the analyses against their definitions, on small random graphs and
//! programs.

mod graphs;
mod programs;
mod whole_program;
