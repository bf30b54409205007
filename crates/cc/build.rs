//! Tells the crate what it is built from. Executables and objects that are kept have that in their
//! names, so that every command of one build of Labrys finds what another one made.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

use sha2::{Digest, Sha256};

/// The crates that decide how a program is built, with all that they are made of.
const ROOTS: [&str; 2] = ["cc", "runtime"];

/// Folders in a crate that are no part of it when it is built.
const APART: [&str; 3] = ["tests", "benches", "examples"];

/// What the compiler was told.
const SETTINGS: [&str; 5] = [
    "PROFILE",
    "OPT_LEVEL",
    "DEBUG",
    "TARGET",
    "CARGO_ENCODED_RUSTFLAGS",
];

fn main() -> io::Result<()> {
    let own = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let crates = own.parent().expect("a folder of crates");
    let mut hash = Sha256::new();
    for name in with_dependencies(crates)? {
        for path in entries(&crates.join(name))? {
            let is_apart = APART.iter().any(|apart| path.ends_with(apart));
            if !is_apart {
                println!("cargo:rerun-if-changed={}", path.display());
                add(&mut hash, &path)?;
            }
        }
    }
    let lock = crates.with_file_name("Cargo.lock");
    println!("cargo:rerun-if-changed={}", lock.display());
    add(&mut hash, &lock)?;
    for name in SETTINGS {
        hash.update(env::var(name).unwrap_or_default());
        hash.update([0]);
    }
    let rustc = env::var_os("RUSTC").expect("set by cargo");
    hash.update(Command::new(rustc).arg("-vV").output()?.stdout);
    let digits = hash.finalize();
    let digits: String = digits.iter().map(|byte| format!("{byte:02x}")).collect();
    println!("cargo:rustc-env=LABRYS_SOURCES={digits}");
    Ok(())
}

/// The crates of the workspace that the roots are made of, by the names of their folders.
fn with_dependencies(crates: &Path) -> io::Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    let mut open: Vec<String> = ROOTS.map(str::to_owned).into();
    while let Some(name) = open.pop() {
        let manifest = fs::read_to_string(crates.join(&name).join("Cargo.toml"))?;
        let dependencies = manifest.lines().filter_map(|line| {
            let name = line.strip_prefix("labrys-")?;
            name.split(['.', ' ', '=']).next()
        });
        if found.insert(name) {
            open.extend(dependencies.map(str::to_owned));
        }
    }
    Ok(found)
}

/// What is in a folder, in order.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = entries.collect::<io::Result<Vec<PathBuf>>>()?;
    paths.sort_unstable();
    Ok(paths)
}

/// Adds a file, or all that is in a folder.
fn add(hash: &mut Sha256, path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return entries(path)?.iter().try_for_each(|path| add(hash, path));
    }
    let content = fs::read(path)?;
    hash.update(path.file_name().unwrap_or_default().as_encoded_bytes());
    hash.update((content.len() as u64).to_le_bytes());
    hash.update(content);
    Ok(())
}
