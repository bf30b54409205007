//! C or bitcode in; program picture and instrumented binary out.
