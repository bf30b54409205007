//! What follows from a program and takes long to find: whoever works on the same program shares it.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

type Fact = Arc<dyn Any + Send + Sync>;

/// Facts by their types, each of them made when somebody first asks for it. Of a copy of a program,
/// which may be changed, there are none.
#[derive(Default)]
pub struct Derived(Mutex<Vec<(TypeId, Fact)>>);

impl Clone for Derived {
    fn clone(&self) -> Self {
        Derived::default()
    }
}

/// They follow from the rest of the program.
impl PartialEq for Derived {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for Derived {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Derived")
    }
}

impl Derived {
    /// What `make` makes of the program that this belongs to, without asking for another fact: one of each
    /// type is kept as long as the program is not copied. Others that ask wait meanwhile.
    pub fn fact<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> Arc<T> {
        let mut facts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = facts.iter().find(|(ty, _)| *ty == TypeId::of::<T>());
        if let Some(known) = known.and_then(|(_, fact)| fact.clone().downcast().ok()) {
            return known;
        }
        let fact = Arc::new(make());
        facts.push((TypeId::of::<T>(), fact.clone()));
        fact
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Program;

    #[test]
    fn a_fact_is_found_once_and_not_of_a_copy() {
        let mut program = Program::default();
        let count = |program: &Program| program.derived.fact(|| program.files.len());
        let first = count(&program);
        assert!(Arc::ptr_eq(&first, &count(&program)));
        let name = program.derived.fact(|| program.name.clone());
        assert_eq!((*first, &**name), (0, ""));
        let mut copy = program.clone();
        copy.files.push("/src/a.c".to_owned());
        assert_eq!(*count(&copy), 1);
        program.name.push('a');
        assert_ne!(program, copy);
        copy.files.clear();
        copy.name.push('a');
        assert_eq!(program, copy);
    }
}
