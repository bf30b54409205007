//! Which links are made as clang does, with the rest of the build put off.

use labrys_cc::container::Executable;

use crate::project::Project;

const MAIN: &str =
    "int twice(int); int main(int argc, char **argv) { return twice(argc) + **argv * 0; }";
const TWICE: &str = "int twice(int n) { return n > 5 ? 7 : 2 * n; }";

fn project() -> Project {
    let project = Project::new(&[
        ("main.c", MAIN),
        ("twice.c", TWICE),
        (
            "twice.s",
            ".globl twice\ntwice: lea (%rdi,%rdi), %eax\n ret\n",
        ),
        ("all.map", "{ global: *; };"),
    ]);
    project.defer("-c @main.c -o @main.o");
    project.defer("-c @twice.c -o @twice.o");
    project.tool("clang-19", "-c @twice.c -o @native.o");
    project.tool("ar", "rc @libtwice.a @twice.o");
    project.tool("ar", "rc @libnative.a @native.o");
    project.tool("ar", "rc @libmixed.a @twice.o @native.o");
    project
}

#[test]
fn a_link_is_put_off_if_it_can_be_made_without_the_files_of_the_build() {
    let project = project();
    let lines = [
        ("@main.o @twice.o", true),
        ("@main.c @twice.c -lm", true),
        ("@main.o @libtwice.a", true),
        ("@main.o -L@ -ltwice", true),
        (
            "@main.o -Wl,--whole-archive @libtwice.a -Wl,--no-whole-archive",
            true,
        ),
        ("--labrys-whole @main.o @twice.o", false),
        ("@main.o @twice.s", true),
        ("@main.o @native.o", true),
        ("@main.o -L@ -lnative", true),
        ("@main.o @libmixed.a", true),
        ("@main.o @twice.o -Wl,--version-script=@all.map", false),
        ("@main.o @twice.o -Wl,--version-script,@all.map", false),
    ];
    for (line, deferred) in lines {
        project.defer(&format!("{line} -o @program"));
        match Executable::open(&project.path("program")).expect("an executable") {
            Executable::Whole(_) => assert!(!deferred, "{line}"),
            Executable::Deferred(found) => {
                assert!(deferred, "{line}");
                let link = String::from_utf8_lossy(found.link());
                let files = ["libtwice.a", "twice.o", "libnative.a", "libmixed.a"];
                assert!(!files.iter().any(|file| link.contains(file)), "{link}");
            }
        }
        let status = crate::project::run(&project.path("program"), &["x"]).status;
        assert_eq!(status.code(), Some(4), "{line}");
    }
}
