//! Compiles the thread-local part of the runtime.

fn main() {
    println!("cargo:rerun-if-changed=c/thread.c");
    cc::Build::new()
        .file("c/thread.c")
        .pic(true)
        .warnings(true)
        .compile("labrys_thread");
}
