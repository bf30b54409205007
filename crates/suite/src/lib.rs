//! Inputs, test cases, coverage and the suite folder on disk.
