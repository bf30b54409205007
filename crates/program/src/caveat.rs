//! Caveats: what a program holds that its model does not show. Nothing is proved of such a program
//! but by its call graph.

use serde::{Deserialize, Serialize};

use crate::operator::named;

named!(
    /// What the model of a program does not show.
    Caveat {
        /// The compiler was allowed to compute floats otherwise than as written (`-ffast-math`).
        FreeFloats = "free-floats",
        /// The compiler was allowed to leave out a rounding between a product and a sum, on a
        /// machine that can.
        FusedFloats = "fused-floats",
        /// Floats near zero are zero from the start of the program.
        FlushedFloats = "flushed-floats",
        /// Assembly outside of functions.
        Assembly = "assembly",
        /// Assembly that may move the stack, jump, call the system, or change how floats are
        /// computed.
        Control = "control",
        /// The linker gives names other meanings (`--defsym`, scripts, `--icf=all`, `--wrap` with native
        /// code).
        RenamedSymbols = "renamed-symbols",
        /// Native code of the link, or a library that it needs, may start threads.
        NativeThreads = "native-threads",
        /// Wide characters have another size than those of the C library (`-fshort-wchar`): the
        /// compiler counts in the one, its functions in the other.
        ShortWide = "short-wide",
        /// Native code of the link has functions of the C library's names.
        NativeLibrary = "native-library",
        /// Native code of the link that names functions or variables of the program runs before
        /// `main`.
        NativeStart = "native-start",
        /// Native code of the link may change how characters are classed. It stands against no proof by
        /// itself.
        NativeLocale = "native-locale",
        /// Native code of the link may set handlers of signals. It stands against no proof by itself.
        NativeSignals = "native-signals",
        /// Native code of the link may change how floats are rounded.
        NativeRounding = "native-rounding",
    }
);
