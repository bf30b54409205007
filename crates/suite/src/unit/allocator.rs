//! Functions that give memory, in C: drivers and tests put others in their place, which fail when
//! the input says so.

use serde::{Deserialize, Serialize};

/// What the name of a function begins with that takes the place of one that gives memory.
pub const IN_PLACE: &str = "labrys_allocation_";

/// A function that gives memory, or a null pointer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allocator {
    /// Its name.
    pub name: String,
    /// The type of its result in C.
    pub result: String,
    /// Its parameters in C, each with its type and its name.
    pub parameters: Vec<(String, String)>,
}

impl Allocator {
    /// The declaration of it under a name, without what ends it.
    #[must_use]
    pub fn declared(&self, name: &str) -> String {
        let parameters = self.parameters.iter();
        let parameters = parameters.map(|(ty, name)| format!("{ty} {name}"));
        let parameters: Vec<String> = parameters.collect();
        format!("{} {name}({})", self.result, parameters.join(", "))
    }

    /// The definition of a function in its place, which calls the one named `real` unless an
    /// expression in C says that it fails.
    #[must_use]
    pub fn defined(&self, name: &str, real: &str, fails: &str) -> String {
        let arguments = self.parameters.iter().map(|(_, name)| name.as_str());
        let arguments = arguments.collect::<Vec<_>>().join(", ");
        let declared = self.declared(name);
        format!("{declared} {{ return {fails} ? 0 : {real}({arguments}); }}\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_function_takes_its_place() {
        let parameter = |name: &str| ("long".to_owned(), name.to_owned());
        let calloc = Allocator {
            name: "calloc".to_owned(),
            result: "void *".to_owned(),
            parameters: vec![parameter("count"), parameter("size")],
        };
        assert_eq!(
            calloc.defined("mine", "calloc", "late()"),
            "void * mine(long count, long size) { return late() ? 0 : calloc(count, size); }\n"
        );
    }
}
