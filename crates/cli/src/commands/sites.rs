//! `labrys sites`: the decisions of a program with their places in the source.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use labrys_program::{Program, Site, SiteId};
use serde_json::json;

use crate::output::console::print_with;
use crate::output::problem::{Problem, status};
use crate::wiring::build::Builder;
use crate::wiring::subject::{BuildOptions, Stock, is_source, model};

/// Options of `labrys sites`.
#[derive(Args, Debug)]
#[command(about = "List the decisions of a program with their places in the source")]
pub(crate) struct Sites {
    /// Executable built by labrys-cc, or C sources, which may be of a library
    #[arg(required = true, value_name = "PROGRAM|FILE.c")]
    pub(crate) program: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) build: BuildOptions,

    /// Print one JSON object per site
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
}

/// Does what the command says; the exit status.
pub(crate) fn sites(options: &Sites) -> Result<u8, Problem> {
    let builder = Builder::waiting(false);
    let program = match options.program.as_slice() {
        [path] if !is_source(path) => model(path, &options.build)?,
        sources => Stock::open(sources, &options.build, &builder)?.program()?,
    };
    print_with(|out| write_all(out, &program, options.json))?;
    Ok(status::DONE)
}

fn write_all(out: &mut dyn Write, program: &Program, json: bool) -> io::Result<()> {
    let repeating: BTreeSet<_> = program.repeating_branches().collect();
    for (index, site) in program.sites.iter().enumerate() {
        let id = SiteId::new(index);
        let repeats = repeating.contains(&site.first_branch);
        if json {
            writeln!(out, "{}", record(program, id, site, repeats))?;
        } else {
            writeln!(out, "{}", line(program, id, site, repeats))?;
        }
    }
    Ok(())
}

fn place(program: &Program, site: &Site) -> Option<String> {
    let at = site.location?;
    let file = program.file(at.file)?;
    Some(format!("{file}:{}:{}", at.line, at.column))
}

fn function<'p>(program: &'p Program, site: &Site) -> &'p str {
    let function = program.function(site.function);
    function.map_or("?", |function| function.name.as_str())
}

fn line(program: &Program, id: SiteId, site: &Site, repeats: bool) -> String {
    let kind = match (site.oracle, repeats) {
        (true, _) => " oracle",
        (_, true) => " clean-up",
        _ => "",
    };
    format!(
        "{:<7} {:<6} {:>3} directions  branch {:<6} {} {}{kind}",
        id.to_string(),
        site.kind.name(),
        site.kind.directions(),
        site.first_branch.0,
        place(program, site).unwrap_or_else(|| "unknown place".to_owned()),
        function(program, site),
    )
}

fn record(program: &Program, id: SiteId, site: &Site, repeats: bool) -> serde_json::Value {
    json!({
        "site": id.0,
        "kind": site.kind.name(),
        "directions": site.kind.directions(),
        "first_branch": site.first_branch.0,
        "function": function(program, site),
        "location": place(program, site),
        "oracle": site.oracle,
        "clean_up": repeats,
    })
}
