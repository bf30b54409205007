//! Concolic search: the execution tree and its strategies.
