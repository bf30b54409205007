//! The instrumentation pass.
