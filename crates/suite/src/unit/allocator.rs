//! Functions that give memory, in C: drivers and tests put others in their place, which fail when
//! the input says so.

/// A function that gives memory, or a null pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocator {
    /// Its name.
    pub name: &'static str,
    result: &'static str,
    parameters: &'static str,
    arguments: &'static str,
}

/// Those that can be made to fail.
pub const ALLOCATORS: [Allocator; 5] = [
    Allocator {
        name: "malloc",
        result: "void *",
        parameters: "__SIZE_TYPE__ size",
        arguments: "size",
    },
    Allocator {
        name: "calloc",
        result: "void *",
        parameters: "__SIZE_TYPE__ count, __SIZE_TYPE__ size",
        arguments: "count, size",
    },
    Allocator {
        name: "realloc",
        result: "void *",
        parameters: "void *old, __SIZE_TYPE__ size",
        arguments: "old, size",
    },
    Allocator {
        name: "strdup",
        result: "char *",
        parameters: "const char *text",
        arguments: "text",
    },
    Allocator {
        name: "strndup",
        result: "char *",
        parameters: "const char *text, __SIZE_TYPE__ most",
        arguments: "text, most",
    },
];

impl Allocator {
    /// The declaration of it under a name, without what ends it.
    #[must_use]
    pub fn declared(&self, name: &str) -> String {
        format!("{}{name}({})", self.result, self.parameters)
    }

    /// The definition of a function in its place, which calls the one named `real` unless an
    /// expression in C says that it fails.
    #[must_use]
    pub fn defined(&self, name: &str, real: &str, fails: &str) -> String {
        let (declared, arguments) = (self.declared(name), self.arguments);
        format!("{declared} {{ return {fails} ? 0 : {real}({arguments}); }}\n")
    }
}
