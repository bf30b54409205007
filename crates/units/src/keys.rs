//! What units depend on: what they are called with, and what of the program matters to them. A unit
//! that an earlier hunt explored is explored already if all of that is as it was.
//!
//! Law: if what a unit needs [holds](Keys::holds), it does the same on the same inputs. Of functions
//! that its runs never called nothing matters.

use std::collections::{BTreeMap, BTreeSet};

use labrys_llvm::Module;
use labrys_suite::Needs;
use labrys_suite::unit::Entry;

use crate::fingerprint::{Fingerprints, hash};
use crate::{Drivers, MAIN_OF_PROGRAM, Request, STUB, describe};

/// How functions of drivers are called, but for doubles.
const GENERATED: &str = "labrys_";

/// Functions that run before `main` and behind it.
const AROUND_MAIN: [&str; 2] = ["llvm.global_ctors", "llvm.global_dtors"];

/// Numbers of all that the units of a request may depend on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keys {
    /// By the function that is called.
    pub units: BTreeMap<String, Key>,
    /// Of each function of the program by itself.
    pub functions: BTreeMap<String, String>,
    /// Of each function that has a stub: what the stub makes.
    pub stubs: BTreeMap<String, String>,
}

/// The numbers of a unit, hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// Of what it is called with, and what runs before.
    pub called: String,
    /// Of all that it can come to.
    pub all: String,
    /// The functions that stubs stand for.
    pub stubs: BTreeSet<String>,
}

impl Keys {
    /// Of the units of a request that have a driver.
    #[must_use]
    pub fn of(module: &Module, request: &Request, missing: &BTreeSet<String>) -> Self {
        let drivers = describe(module, request, missing);
        let numbers = Fingerprints::of(module);
        let made = drivers.stubs.iter();
        let stubs: BTreeMap<String, String> = made
            .map(|stub| {
                let called = numbers.head(&stub.function);
                let number = hash(&format!("{called}\n{:?}", stub.leaves));
                (stub.function.clone(), number)
            })
            .collect();
        let around = AROUND_MAIN.map(|list| numbers.number(list, &[]));
        let unit = |entry: &Entry| {
            let mut named = request.entries.iter().zip(&request.around);
            let around_entry = named.find(|(name, _)| **name == entry.function);
            let names = around_entry.map_or(&request.stubs, |(_, around)| &around.stubs);
            let own = names.iter().filter(|name| stubs.contains_key(*name));
            let own: BTreeSet<String> = own.cloned().collect();
            let number = numbers.number(&entry.function, names);
            let made: Vec<_> = own.iter().map(|name| (name, &stubs[name])).collect();
            let entry = Entry {
                source: None,
                ..entry.clone()
            };
            Key {
                called: hash(&format!("{around:?}\n{entry:?}\n{:?}", request.bounds)),
                all: hash(&format!("{number}\n{made:?}")),
                stubs: own,
            }
        };
        let entries = drivers.unit.entries.iter();
        Keys {
            units: entries
                .map(|one| (one.function.clone(), unit(one)))
                .collect(),
            functions: numbers
                .functions()
                .map(|name| (name.to_owned(), numbers.alone(name)))
                .collect(),
            stubs,
        }
    }

    /// What of the program matters to a unit: all that it can come to, if it is not known what its runs
    /// called.
    #[must_use]
    pub fn needs(&self, unit: &str, ran: Option<&Ran>) -> Option<Needs> {
        let key = self.units.get(unit)?;
        let numbers = |names: &BTreeSet<String>, of: &BTreeMap<String, String>| {
            let numbers = names
                .iter()
                .map(|name| Some((name.clone(), of.get(name)?.clone())));
            numbers.collect::<Option<BTreeMap<String, String>>>()
        };
        let needs = ran.and_then(|ran| {
            Some(Needs::Ran {
                functions: numbers(&ran.functions, &self.functions)?,
                stubs: numbers(&ran.stubs, &self.stubs)?,
            })
        });
        let needs = needs.filter(|needs| self.holds(unit, needs));
        Some(needs.unwrap_or_else(|| Needs::All(key.all.clone())))
    }

    /// Whether what matters to a unit is as it was.
    #[must_use]
    pub fn holds(&self, unit: &str, needs: &Needs) -> bool {
        let Some(key) = self.units.get(unit) else {
            return false;
        };
        match needs {
            Needs::All(number) => *number == key.all,
            Needs::Ran { functions, stubs } => {
                let mut functions = functions.iter();
                let mut stubs = stubs.iter();
                functions.all(|(name, number)| {
                    let runs = name == unit || !key.stubs.contains(name);
                    runs && self.functions.get(name) == Some(number)
                }) && stubs.all(|(name, number)| {
                    key.stubs.contains(name) && self.stubs.get(name) == Some(number)
                })
            }
        }
    }
}

/// The functions of a program that runs of a unit called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// Those that ran.
    pub functions: BTreeSet<String>,
    /// Those for which a stub ran.
    pub stubs: BTreeSet<String>,
}

impl Drivers {
    /// What runs of a unit called, by the names of functions in the program with these drivers.
    #[must_use]
    pub fn ran<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Ran {
        let entries = self.unit.entries.iter();
        let doubles: BTreeSet<&str> = entries
            .flat_map(|entry| &entry.doubles)
            .map(|double| double.name.as_str())
            .collect();
        let is_double = |name: &str| {
            let parts = ["", "_errors", "_results"].iter();
            let mut stems = parts.filter_map(|part| name.strip_suffix(part));
            stems.any(|stem| doubles.contains(stem))
        };
        let mut ran = Ran::default();
        for name in names {
            let number = name
                .strip_prefix(STUB)
                .and_then(|number| number.parse().ok());
            match number.and_then(|number: usize| self.stubs.get(number)) {
                Some(stub) => {
                    ran.stubs.insert(stub.function.clone());
                }
                None if name == MAIN_OF_PROGRAM => {
                    ran.functions.insert("main".to_owned());
                }
                None if name == "main" || name.starts_with(GENERATED) || is_double(name) => {}
                None => {
                    ran.functions.insert(name.to_owned());
                }
            }
        }
        ran
    }
}
