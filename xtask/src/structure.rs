//! The structure of the sources: crates, modules, circles, long functions, scattered types.
//!
//! - A *circle* is a set of modules of one crate that use each other, directly or through others.
//!   Parent and child may use each other. A use of a re-exported name is a use of the module that
//!   defines it.
//! - A function is *long* with more than [`MAX_FUNCTION`] lines, unless its body is one flat
//!   `match`: arms of at most [`MAX_ARM`] lines and little around them.
//! - A type is *scattered* if its own methods stand outside the file or folder that defines it,
//!   or in more than [`MAX_SHARDS`] files.
//!
//! Law: all three lists are empty; tidy checks it.

mod circles;
mod functions;
mod modules;
mod types;

use std::path::Path;

use crate::source::{self, Source};
use modules::Crate;

/// Most lines of a function.
const MAX_FUNCTION: usize = 60;
/// Most lines of an arm in a flat `match`.
const MAX_ARM: usize = 12;
/// Most lines of a function around its flat `match`.
const MAX_AROUND: usize = 16;
/// Most files with methods of one type.
const MAX_SHARDS: usize = 3;

/// The measured structure of one crate.
#[derive(Debug)]
struct Measured {
    name: String,
    modules: usize,
    circles: Vec<String>,
    long_functions: Vec<String>,
    scattered_types: Vec<String>,
}

/// Prints the structure; an error if it is against the law.
pub(crate) fn print(root: &Path) -> Result<(), String> {
    let crates = measure(&source::files(root).map_err(|error| error.to_string())?);
    println!(
        "{:<12} {:>7} {:>7} {:>14} {:>15}",
        "crate", "modules", "circles", "long functions", "scattered types"
    );
    let mut problems = Vec::new();
    for measured in crates {
        println!(
            "{:<12} {:>7} {:>7} {:>14} {:>15}",
            measured.name,
            measured.modules,
            measured.circles.len(),
            measured.long_functions.len(),
            measured.scattered_types.len()
        );
        measured.add_to(&mut problems);
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(problems.join("\n"))
    }
}

/// Adds what is against the law, a line each.
pub(crate) fn problems(sources: &[Source], problems: &mut Vec<String>) {
    for measured in measure(sources) {
        measured.add_to(problems);
    }
}

impl Measured {
    fn add_to(self, problems: &mut Vec<String>) {
        problems.extend(self.circles);
        problems.extend(self.long_functions);
        problems.extend(self.scattered_types);
    }
}

fn measure(sources: &[Source]) -> Vec<Measured> {
    let crates = modules::crates(sources);
    crates.iter().map(measure_crate).collect()
}

fn measure_crate(sources: &Crate) -> Measured {
    let circles = circles::circles(&modules::uses(sources));
    let circle = |modules: &Vec<String>| {
        format!(
            "{}: a circle of modules: {}",
            sources.folder,
            modules.join(", ")
        )
    };
    Measured {
        name: sources.name.clone(),
        modules: sources.files.len(),
        circles: circles.iter().map(circle).collect(),
        long_functions: sources.files.iter().flat_map(functions::long).collect(),
        scattered_types: types::scattered(sources),
    }
}
