//! A function and what is known of it.
//!
//! Law: a fact that is missing means that anything is possible. What is said of writes, of calls
//! back and of results holds for every use of the function that C allows.

/// Types of parameters and results, as they are passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// No result.
    Void,
    /// An integer of so many bits.
    Int(u32),
    /// `float`.
    Float,
    /// `double`.
    Double,
    /// `long double`.
    LongDouble,
    /// A pointer, a list of variable arguments included.
    Pointer,
    /// A structure by value.
    Structure,
}

/// What a function does to the memory behind a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// There is none: the parameter is a number, or its address is not used to access memory.
    None,
    /// Nothing is said: reads and writes of whatever can be reached from there.
    Unknown,
    /// It reads within the extent, and writes nothing. An extent of so many bytes also says that it
    /// follows no address that it finds there.
    Reads(Extent),
    /// It writes within the extent, and reads nothing there.
    Writes(Extent),
    /// It reads, and writes within the extent.
    Changes(Extent),
    /// A `FILE`, which only the library looks into.
    File,
    /// The address of a function.
    Code,
    /// A list of variable arguments; memory behind these is not covered.
    List,
}

impl Access {
    /// Whether memory behind the parameter may be written.
    #[must_use]
    pub fn writes(self) -> bool {
        matches!(
            self,
            Access::Writes(_) | Access::Changes(_) | Access::Unknown
        )
    }
}

/// How far a function reads or writes, from the address on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// To the end of the object.
    Object,
    /// So many bytes.
    Bytes(u64),
    /// As many bytes as a parameter says, times a number.
    Parameter(usize, u64),
    /// As many bytes as the product of two parameters.
    Product(usize, usize),
}

/// A parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in the row.
    pub name: &'static str,
    /// How it is passed.
    pub ty: Type,
    /// What happens behind it.
    pub access: Access,
}

/// How uses of a function are redirected when a program is instrumented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forward {
    /// They are not, and nothing is known of labels.
    None,
    /// To `__labrys_m_NAME`: C, instrumented with the program.
    Model,
    /// To `__labrys_w_NAME`: part of the runtime, takes and leaves labels.
    Wrapper,
    /// They are not: the runtime defines the function under its own name.
    Intrinsic,
    /// They are not: the function writes to the outside, and nothing comes back. The parameter, if
    /// there is one, is the `FILE` or the descriptor that it writes to.
    Output(Option<usize>),
}

/// What a function without a model does with labels that it can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// It may read all that its pointers lead to.
    Given,
    /// It reads nothing through its pointers.
    Nothing,
    /// It may read what no pointer tells: standard input, another process, another thread.
    Elsewhere,
    /// It reads the file descriptor that is this argument.
    Descriptor(usize),
    /// It looks at a file by its name.
    ByName,
}

/// Which memory of the program a function writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// None. It changes no state of a stream either.
    Reads,
    /// None but what the library keeps of streams.
    Streams,
    /// What some of its parameters say, and what the library keeps of streams.
    Fills {
        /// Whether it may write an address in an object that it was given.
        shares: bool,
    },
}

/// Which functions of the program a function may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallsBack {
    /// None.
    Never,
    /// The one that is passed as this argument, while it runs.
    Argument(usize),
    /// The one that is passed as this argument, when the program ends.
    AtExit(usize),
    /// One that it is given somehow, at any time, with the number of a signal.
    Signals,
    /// Whichever it can get hold of.
    Anything,
}

/// What a harness function does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Harness {
    /// Makes the bytes at the first argument input; the second is their number, or they are as
    /// many as given here.
    InputObject(Option<u64>),
    /// Gives an input value of the result's type.
    InputValue,
    /// Ends the run unless its argument is true.
    Assume,
}

/// The new object that a function gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// Whether it has as many bytes as the product of the arguments, and nothing in them; else
    /// nothing is known of its size and of its bytes.
    pub plain: bool,
    /// Whether the bytes are 0.
    pub zeroed: bool,
    /// Whether the result may be null.
    pub fails: bool,
}

macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$doc])* $variant,)* }

        impl $name {
            pub(crate) fn of(word: &str) -> Option<Self> {
                match word {
                    $($word => Some($name::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

words! {
    /// What a function on strings, characters and integers computes, in the C locale.
    Computes {
        /// Bytes before the 0.
        Length = "length",
        /// The same, but not more than the second argument.
        LengthWithin = "length-within",
        /// Order of two strings.
        Compare = "compare",
        /// Order of two strings up to a number of bytes.
        CompareWithin = "compare-within",
        /// Order of two strings without regard to case.
        CompareFolded = "compare-folded",
        /// The same up to a number of bytes.
        CompareFoldedWithin = "compare-folded-within",
        /// Order of two blocks of bytes.
        CompareBytes = "compare-bytes",
        /// Address of the first such character of a string.
        Find = "find",
        /// Address of the first such byte of a block.
        FindByte = "find-byte",
        /// Address of the last such character of a string.
        FindLast = "find-last",
        /// Address of the first place where a string has another in it.
        FindText = "find-text",
        /// Characters before the first that is not in a set.
        Span = "span",
        /// Characters before the first that is in a set.
        SpanOutside = "span-outside",
        /// Address of the first character that is in a set.
        FindAny = "find-any",
        /// The decimal number that a string begins with.
        Number = "number",
        /// The lower case of a character.
        Lower = "lower",
        /// The upper case of a character.
        Upper = "upper",
        /// The number without its sign.
        Magnitude = "magnitude",
        /// Copies a string.
        Copy = "copy",
        /// Copies a string and gives the address of its end.
        CopyToEnd = "copy-to-end",
        /// Copies a string and fills the rest with 0.
        CopyPadded = "copy-padded",
        /// Appends a string.
        Append = "append",
        /// Appends a string up to a number of bytes.
        AppendWithin = "append-within",
        /// Address of the address of the table of character classes.
        Classes = "classes",
        /// Address of the address of the table of lower cases.
        Lowers = "lowers",
        /// Address of the address of the table of upper cases.
        Uppers = "uppers",
        /// Makes a block as large as the second argument, with what was in the first.
        Reallocate = "reallocate",
    }
}

words! {
    /// The course of a function of real numbers.
    Shape {
        /// It never falls, or never rises.
        Monotone = "monotone",
        /// The same, and its results are rounded rightly.
        Rounded = "rounded",
        /// That of the sine.
        Sine = "sine",
        /// That of the cosine.
        Cosine = "cosine",
        /// That of the tangent.
        Tangent = "tangent",
        /// It depends on the number without its sign, and rises with it.
        Even = "even",
        /// That of powers.
        Power = "power",
        /// That of the length of a vector.
        Length = "length",
        /// That of the angle of a vector.
        Angle = "angle",
        /// The larger argument.
        Maximum = "maximum",
        /// The smaller argument.
        Minimum = "minimum",
        /// How much the first argument is larger, or 0.
        Excess = "excess",
    }
}

/// The course of a function of real numbers, with errors of rounding left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Course {
    /// Its form.
    pub shape: Shape,
    /// The least and the largest number outside of which the result is no number.
    pub domain: (f64, f64),
    /// The least and the largest result.
    pub within: (f64, f64),
}

words! {
    /// What else a function is.
    Mark {
        /// Clock or randomness: the runtime has a version that is the same in every run of either
        /// build.
        Repeatable = "repeatable",
        /// Ends the run, or goes on elsewhere.
        NoReturn = "noreturn",
        /// Returns a second time.
        ReturnsTwice = "returns-twice",
        /// Goes on on another stack, or makes one.
        SwitchesStacks = "switches-stacks",
        /// Makes a call return again, with its second argument.
        Jumps = "jumps",
        /// The machine leaves the call out, and has no result of it.
        Skipped = "skipped",
        /// Cannot be called in another process: it goes on elsewhere or twice, reads what an input
        /// should say, or its effect is a matter of the whole run.
        InProcess = "in-process",
        /// Starts a thread, or a process that shares memory with this one.
        Concurrent = "concurrent",
        /// Starts a process that goes on in a copy of this one's memory, or before this one goes on.
        Forks = "forks",
        /// Makes a stream whose data the program provides.
        OwnStream = "own-stream",
        /// May give a stream memory of the program.
        GivesBuffer = "gives-buffer",
        /// Stands for an access to a stream's buffer that the compiler put in line.
        SeesBuffer = "sees-buffer",
        /// Adds conversions of the program's own to formats.
        OwnFormats = "own-formats",
        /// Finds functions by their names.
        LooksUp = "looks-up",
        /// Is of a library that is not of C or C++: only that library has it.
        OtherLibrary = "other-library",
        /// Changes how characters are classed.
        SetsLocale = "sets-locale",
        /// Changes which memory may be written, constants too.
        ChangesRights = "changes-rights",
        /// Maps a file into memory, as its flags say.
        Maps = "maps",
        /// Gives memory that others have at other addresses.
        MapsShared = "maps-shared",
        /// Chooses the place in a file where the next write goes, or this one.
        Seeks = "seeks",
        /// Changes how floats are rounded.
        SetsRounding = "sets-rounding",
        /// Gives the address of the error number.
        ErrorNumber = "error-number",
        /// Gives a value of the environment.
        Environment = "environment",
        /// Gives a value of any type, which the rest of its name says.
        MakesValue = "makes-value",
        /// Belongs to the implementation of a language: no business of the program's.
        Support = "support",
        /// Marks a target.
        Target = "target",
        /// Is a failure that the program reports.
        Failure = "failure",
        /// Is an assumption also where the program defines it: that it ends the run is no failure.
        Assumption = "assumption",
        /// Is called where an assertion fails.
        Assertion = "assertion",
        /// Raises a signal.
        Raises = "raises",
        /// Gives memory; LLVM must not leave its calls out.
        Allocator = "allocator",
        /// Gives a text in another language, or the text itself.
        Translates = "translates",
        /// Compiled code calls it for operations of the program.
        Operates = "operates",
        /// The machine calls it although it has no model there.
        Called = "called",
        /// Gives memory or a null pointer: tests may make it fail.
        Refuses = "refuses",
        /// Answers what is outside the machine: units may have a double of it.
        Outside = "outside",
        /// Leaves the places where streams and descriptors are read as they are.
        Stays = "stays",
    }
}

/// How expressions have a pure function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purity {
    None,
    Call,
    Operation,
}

/// A function that is not the program's.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    pub(crate) name: &'static str,
    /// The function whose model it has.
    pub(crate) canonical: &'static str,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) variadic: bool,
    /// What is done to the memory behind variable arguments.
    pub(crate) rest: Access,
    pub(crate) result: Type,
    pub(crate) forward: Option<Forward>,
    pub(crate) purity: Purity,
    pub(crate) loss: Option<Loss>,
    pub(crate) effect: Option<Effect>,
    pub(crate) calls_back: Option<CallsBack>,
    pub(crate) harness: Option<Harness>,
    pub(crate) allocation: Option<Allocation>,
    pub(crate) computes: Option<Computes>,
    /// Whether it gets a file descriptor.
    pub(crate) takes_descriptor: bool,
    /// Its definition in `environment/streams.lir`.
    pub(crate) definition: Option<&'static str>,
    pub(crate) course: Option<Course>,
    pub(crate) marks: u64,
}

impl Function {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The function that it is another name of, or its own name.
    #[must_use]
    pub fn canonical(&self) -> &'static str {
        self.canonical
    }

    /// Its parameters, but variable ones.
    #[must_use]
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Whether it takes any number of arguments.
    #[must_use]
    pub fn is_variadic(&self) -> bool {
        self.variadic
    }

    /// Type of its result.
    #[must_use]
    pub fn result(&self) -> Type {
        self.result
    }

    /// What it does to the memory behind an argument.
    #[must_use]
    pub fn access(&self, argument: usize) -> Access {
        let parameter = self.parameters.get(argument);
        parameter.map_or(self.rest, |parameter| parameter.access)
    }

    /// The arguments, of so many, behind which it may write.
    pub fn written(&self, arguments: usize) -> impl Iterator<Item = usize> + '_ {
        (0..arguments).filter(|argument| self.access(*argument).writes())
    }

    /// How its uses are redirected.
    #[must_use]
    pub fn forward(&self) -> Forward {
        self.forward.unwrap_or(Forward::None)
    }

    /// The function that its uses are redirected to.
    #[must_use]
    pub fn model(&self) -> Option<String> {
        let prefix = match self.forward() {
            Forward::Model => MODEL_PREFIX,
            Forward::Wrapper => WRAPPER_PREFIX,
            _ => return None,
        };
        Some(format!("{prefix}{}", self.canonical))
    }

    /// Whether its result depends on the bits of its arguments alone.
    #[must_use]
    pub fn is_pure(&self) -> bool {
        self.purity != Purity::None
    }

    /// Whether it is pure, and its calls stand in expressions.
    #[must_use]
    pub fn is_call(&self) -> bool {
        self.purity == Purity::Call
    }

    /// Whether it is pure, and expressions have an operation for it.
    #[must_use]
    pub fn is_operation(&self) -> bool {
        self.purity == Purity::Operation
    }

    /// What of a name its family leaves open.
    #[must_use]
    pub fn rest_of<'n>(&self, name: &'n str) -> Option<&'n str> {
        name.strip_prefix(self.name.strip_suffix('*')?)
    }

    /// What it does with labels that it can reach, if it has no model.
    pub(crate) fn loss(&self) -> Loss {
        self.loss.unwrap_or(Loss::Given)
    }

    /// Which memory it writes; `None` if it may be any.
    #[must_use]
    pub fn effect(&self) -> Option<Effect> {
        self.effect
    }

    /// Which functions of the program it may call.
    #[must_use]
    pub fn calls_back(&self) -> CallsBack {
        self.calls_back.unwrap_or(CallsBack::Anything)
    }

    /// What it does for a harness.
    #[must_use]
    pub fn harness(&self) -> Option<Harness> {
        self.harness
    }

    /// The object that it makes.
    #[must_use]
    pub fn allocation(&self) -> Option<Allocation> {
        self.allocation
    }

    /// What it computes, where that is defined here.
    #[must_use]
    pub fn computes(&self) -> Option<Computes> {
        self.computes
    }

    /// The definition that stands for it in the picture of a program with its surroundings, without
    /// what names there begin with.
    #[must_use]
    pub fn definition(&self) -> Option<&'static str> {
        self.definition
    }

    /// Whether its result is the next byte of a stream, or −1.
    #[must_use]
    pub fn takes_character(&self) -> bool {
        matches!(self.definition, Some("getc" | "getchar"))
    }

    /// Whether it may change from where streams and descriptors are read.
    #[must_use]
    pub fn moves_places(&self) -> bool {
        if self.has(Mark::Stays) || matches!(self.forward(), Forward::Output(_)) {
            return false;
        }
        let parameters = &self.parameters;
        let takes_file = || parameters.iter().any(|one| one.access == Access::File);
        match self.effect {
            None => !self.is_pure() && self.allocation.is_none() && self.harness.is_none(),
            Some(Effect::Reads) => self.takes_descriptor,
            Some(Effect::Streams | Effect::Fills { .. }) => {
                self.has(Mark::InProcess) || self.takes_descriptor || takes_file()
            }
        }
    }

    /// Its course, where it is a function of real numbers.
    #[must_use]
    pub fn course(&self) -> Option<Course> {
        self.course
    }

    /// Takes from the function of a family what is not said here.
    pub(crate) fn inherit(&mut self, family: &Function) {
        self.loss = self.loss.or(family.loss);
        self.effect = self.effect.or(family.effect);
        self.calls_back = self.calls_back.or(family.calls_back);
        self.harness = self.harness.or(family.harness);
        self.marks |= family.marks;
    }

    /// Whether this is so.
    #[must_use]
    pub fn has(&self, mark: Mark) -> bool {
        self.marks & (1 << mark as u64) != 0
    }
}

/// What names of models in C begin with.
pub const MODEL_PREFIX: &str = "__labrys_m_";
/// What names of functions begin with that the runtime has in place of the library's.
pub const WRAPPER_PREFIX: &str = "__labrys_w_";
