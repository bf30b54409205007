//! Runs a binary on an input within limits through a fork server.
