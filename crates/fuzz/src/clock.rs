//! The clock of LibAFL, which stands still.
//!
//! LibAFL without `std` asks this symbol for the time that it writes into its statistics. Nothing
//! here may depend on the time, so there is none.
#![allow(unsafe_code)]

// SAFETY: LibAFL declares this very symbol and signature, and nothing else defines it.
#[unsafe(no_mangle)]
extern "C" fn external_current_millis() -> u64 {
    0
}
