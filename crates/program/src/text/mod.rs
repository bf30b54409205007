//! The text form of a program: `Display` prints it, `FromStr` parses it.
//!
//! Law: for every program that the verifier accepts, `parse(print(p)) = p`.
//!
//! ```text
//! program "name"                                   ; a comment
//! hash "00…"                                       ; SHA-256 of the frozen bitcode
//! caveat "assembly"                                ; what the model does not show
//! file "/src/a.c"                                  ; files, types, constants: numbered in order
//! aggregate a0 = struct 16 [0 i64, 8 ptr]          ; offset and type of each field
//! aggregate a1 = array 40 [10 x i32]
//! foreign x0 = "x86_fp80" 16
//! global @table internal constant 24 align 8 = "abc\00" [8 @main + 4, 16 opaque 8]
//! global @stdin external 8 align 8
//! declare i32 @puts(ptr v0) external
//! define i32 @main(i32 v0, ptr v1 byval 16, ...) external address_taken noreturn !0:1:2 {
//! b0:
//!   v2: i1 = icmp slt v0, i32 10 !0:2:9
//!   br #0 v2, b1, b2 !0:2:3
//! b1:
//!   v3: i32 = call @puts(offset(@table, 2))
//!   jump b2
//! b2:
//!   v4: i32 = phi [b0 i32 0, b1 v3]
//!   ret v4
//! }
//! site #0 branch f1 b0 !0:2:3
//! ```
//!
//! Values and blocks are numbered in the order of the text. A branch goes to the block of
//! "true" first. The numbers of sites (`#0`) may be left out everywhere together with the
//! `site` lines; then the parser numbers the sites and derives the table.
//!
//! Constants: `i32 -5`, `float 0x3f800000`, `double 0x…` (bit patterns), `null`, `@symbol`,
//! `offset(c, 8)`, `zext(c, i64)`, `add(c, c)`, `{a0 c, c}`, `zero a0`, `undef i8`,
//! `poison i8`, `opaque x0 constant "vector"`.

mod body_printer;
mod lex;
mod parser;
mod print;
mod words;

pub use lex::ParseError;
