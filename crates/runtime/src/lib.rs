//! Linked into the program under test; writes node and event records.
