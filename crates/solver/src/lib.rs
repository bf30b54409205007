//! Queries to models and cores: layers, back ends, SMT-LIB reader.

pub mod bitwuzla;
