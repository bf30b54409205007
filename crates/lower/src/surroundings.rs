//! What surrounds the bitcode of a program and is not in it: what the link line says, what runs
//! before `main` and behind it, and assembly.

use std::collections::BTreeSet;

use labrys_library::{CallsBack, Mark, named, own_row};
use labrys_llvm::{Block, LLVMLinkage, LLVMOpcode, LLVMTypeKind, Module, Value};
use labrys_program::{Caveat, Program, RelocationTarget, Started};

use crate::promises;

/// Bytes of a wide character of the C library.
const WIDE: u64 = 4;

/// What the link line says of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Linking {
    /// Functions that run before `main`, and those that run behind it.
    pub started: Vec<(String, Started)>,
    /// Whether floats near zero are zero.
    pub flushes: bool,
    /// Whether names get other meanings.
    pub renames: bool,
    /// Symbols that the linker wraps.
    pub wrapped: Vec<String>,
    /// Symbols that native code of the link does not define itself.
    pub imports: BTreeSet<String>,
    /// Symbols that it defines.
    pub provides: BTreeSet<String>,
    /// Symbols that it names where some of it runs before `main`.
    pub early: BTreeSet<String>,
}

/// Text attributes of functions that the link line starts.
const BEFORE: &str = "labrys-before-main";
const AFTER: &str = "labrys-after-main";

/// Sections of addresses of functions that run with the program.
const SECTIONS: [(&str, Started); 5] = [
    (".preinit_array", Started::Before),
    (".init_array", Started::Before),
    (".ctors", Started::Before),
    (".fini_array", Started::After),
    (".dtors", Started::After),
];
/// The section of what runs first of the program, behind the runtime's own.
const FIRST: &str = ".init_array.00001";
/// The same, as LLVM writes them.
const LISTS: [(&str, Started); 2] = [
    ("llvm.global_ctors", Started::Before),
    ("llvm.global_dtors", Started::After),
];

/// The list of what is kept though nothing seems to use it.
const USED: &str = "llvm.used";

/// A `main` without a result gives the program a status that nobody chose, another one in each
/// build: such a program ends with 0.
pub(crate) fn define_status(module: &Module) {
    let is_void = |main: &Value<'_>| {
        let result = main.global_type().function_result();
        !main.is_declaration() && result.kind() == LLVMTypeKind::LLVMVoidTypeKind
    };
    let Some(body) = module.function("main").filter(is_void) else {
        return;
    };
    body.rename("main.body");
    body.set_linkage(LLVMLinkage::LLVMInternalLinkage);
    let types: Vec<_> = body.params().into_iter().map(Value::ty).collect();
    let main = module.declare("main", module.int(32), &types);
    let builder = module.builder();
    builder.at_end(module.define_body(main));
    let _ = builder.call(body, &main.params());
    builder.ret(module.const_int(32, 0));
}

/// Notes in a module what the link line says.
pub(crate) fn note(module: &Module, linking: &Linking) {
    for (name, started) in &linking.started {
        let Some(function) = module.function(name) else {
            continue;
        };
        let name = match started {
            Started::Before => BEFORE,
            _ => AFTER,
        };
        module.add_text_attribute(function, name, "");
    }
    let Some(main) = module.function("main") else {
        return;
    };
    if linking.flushes {
        promises::mark(module, main, Caveat::FlushedFloats);
    }
    if linking.renames {
        promises::mark(module, main, Caveat::RenamedSymbols);
    }
    let imports = |mark| linking.imports.iter().any(|name| named(name, mark));
    let of_marks = [
        (Mark::Concurrent, Caveat::NativeThreads),
        (Mark::SetsLocale, Caveat::NativeLocale),
        (Mark::SetsRounding, Caveat::NativeRounding),
    ];
    for (_, caveat) in of_marks.iter().filter(|(mark, _)| imports(*mark)) {
        promises::mark(module, main, *caveat);
    }
    let mut rows = linking.imports.iter().filter_map(|name| own_row(name));
    if rows.any(|row| row.calls_back() == CallsBack::Signals) {
        promises::mark(module, main, Caveat::NativeSignals);
    }
    if linking.provides.iter().any(|name| is_of_library(name)) {
        promises::mark(module, main, Caveat::NativeLibrary);
    }
    if linking.early.iter().any(|name| is_seen(module, name)) {
        promises::mark(module, main, Caveat::NativeStart);
    }
}

/// Whether the C library has a function of this name, of which something is known.
fn is_of_library(name: &str) -> bool {
    let row = own_row(name);
    row.is_some_and(|row| row.harness().is_none() && !row.has(Mark::OtherLibrary))
}

/// Whether a module defines a function or a variable of this name that other code sees.
fn is_seen(module: &Module, name: &str) -> bool {
    let found = module.function(name).or_else(|| module.global(name));
    let aliases = module.aliases();
    let mut found = found.into_iter().chain(aliases);
    found.any(|one| {
        one.name() == name
            && !one.is_declaration()
            && one.linkage() != LLVMLinkage::LLVMInternalLinkage
    })
}

/// Has what runs before all libraries run after them, first of the program: the runtime is ready
/// then, and each run has its own input.
pub(crate) fn delay(module: &Module) {
    for global in module.globals() {
        if global.section().starts_with(SECTIONS[0].0) {
            global.set_section(FIRST);
        }
    }
}

/// Adds to a program what surrounds its bitcode.
pub(crate) fn describe(module: &Module, program: &mut Program) {
    start_by_sections(module, program);
    let functions = module.functions();
    for (value, function) in functions.iter().zip(&mut program.functions) {
        if module.has_text_attribute(*value, BEFORE) {
            function.started = Started::Before;
        } else if module.has_text_attribute(*value, AFTER) {
            function.started = Started::After;
        }
        function.returns_twice = value.has_attribute("returns_twice");
    }
    for resolver in module.ifuncs().into_iter().filter_map(Value::resolver) {
        let resolver = resolver.aliased_object().unwrap_or(resolver);
        let place = functions.iter().position(|value| *value == resolver);
        if let Some(place) = place {
            program.functions[place].started = Started::Before;
        }
    }
    program.caveats = caveats(module).into_iter().collect();
}

/// Functions whose addresses stand in lists of what runs with the program.
fn start_by_sections(module: &Module, program: &mut Program) {
    for (value, global) in module.globals().into_iter().zip(&program.globals) {
        let section = value.section();
        let by_section = SECTIONS.iter().find(|(name, _)| section.starts_with(name));
        let list = LISTS.iter().find(|(name, _)| global.name == *name);
        let Some((_, started)) = by_section.or(list) else {
            continue;
        };
        let relocations = global.initializer.iter();
        for relocation in relocations.flat_map(|initializer| &initializer.relocations) {
            if let RelocationTarget::Function(id, _) = relocation.target {
                program.functions[id.index()].started = *started;
            }
        }
    }
}

/// Keeps the functions and variables that assembly names: no build may leave them out, and whoever
/// looks for uses finds one.
pub(crate) fn keep_named(module: &Module) {
    let mut texts = assembly_of_functions(module);
    texts.push(module.assembly());
    let words: BTreeSet<&str> = texts.iter().flat_map(|text| words(text)).collect();
    let all = module.functions().into_iter().chain(module.globals());
    let named = all.filter(|one| !one.is_declaration() && words.contains(&*one.name()));
    let mut used: Vec<Value<'_>> = named.collect();
    if used.is_empty() {
        return;
    }
    let old = module.global(USED);
    let known = old.and_then(Value::initializer);
    let known = known.into_iter().flat_map(Value::operands);
    let further: Vec<Value<'_>> = known.filter(|one| !used.contains(one)).collect();
    used.extend(further);
    let list = module.const_array(used[0].ty(), &used);
    if let Some(old) = old {
        old.delete_global();
    }
    let kept = module.declare_global(USED, list.ty());
    kept.set_initializer(list);
    kept.set_linkage(LLVMLinkage::LLVMAppendingLinkage);
    kept.set_section("llvm.metadata");
}

/// The texts of assembly in functions.
fn assembly_of_functions(module: &Module) -> Vec<String> {
    const CALLS: [LLVMOpcode; 3] = [
        LLVMOpcode::LLVMCall,
        LLVMOpcode::LLVMInvoke,
        LLVMOpcode::LLVMCallBr,
    ];
    let functions = module.functions().into_iter();
    let instructions = functions
        .flat_map(Value::blocks)
        .flat_map(Block::instructions);
    let calls = instructions.filter(|instruction| CALLS.contains(&instruction.opcode()));
    let called = calls
        .map(Value::called)
        .filter(|called| called.is_assembly());
    called.map(Value::assembly_text).collect()
}

fn caveats(module: &Module) -> BTreeSet<Caveat> {
    let mut caveats = promises::marks(module);
    if module.assembly().lines().any(defines_something) {
        caveats.insert(Caveat::Assembly);
    }
    let naked = |function: &Value<'_>| function.has_attribute("naked");
    let assembly = assembly_of_functions(module);
    let controls = assembly.iter().any(|text| changes_control(text));
    if controls || module.functions().iter().any(naked) {
        caveats.insert(Caveat::Control);
    }
    let wide = module.flag("wchar_size");
    if wide.is_some_and(|size| size != WIDE) {
        caveats.insert(Caveat::ShortWide);
    }
    caveats
}

/// The words of assembly that may be names; `$$name` is the address of `name`.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && !"_.$".contains(c));
    words.map(|word| word.trim_start_matches('$'))
}

/// Whether a line of assembly outside of functions does more than to describe.
fn defines_something(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    let describes = [".symver", ".ident", ".file"];
    !word.is_empty() && !word.starts_with('#') && !describes.contains(&word)
}

/// Whether assembly may go on elsewhere, move the stack, call the system, or change how floats are
/// computed.
fn changes_control(text: &str) -> bool {
    // Registers and instructions; jumps to a label of the assembly itself are no matter.
    const WORDS: [&str; 16] = [
        "call", "callq", "ret", "retq", "syscall", "sysenter", "int", "jmp", "jmpq", "ldmxcsr",
        "vldmxcsr", "fldcw", "fldenv", "frstor", "fxrstor", "xrstor",
    ];
    const STACK: [&str; 3] = ["%rsp", "%esp", "%rbp"];
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut words = text.split(|c| !is_word(c));
    words.any(|word| WORDS.contains(&word)) || STACK.iter().any(|name| text.contains(name))
}

#[cfg(test)]
mod tests {
    use super::{changes_control, defines_something, words};

    #[test]
    fn names_in_assembly() {
        let text = "movq $$table, %rax\n\tincl counter+4(%rip); call f.cold@PLT";
        let found: Vec<&str> = words(text).collect();
        for name in ["table", "counter", "f.cold"] {
            assert!(found.contains(&name), "{name}: {found:?}");
        }
    }

    #[test]
    fn assembly_that_changes_control() {
        for text in [
            "call f",
            "movq %rsp, $0",
            "ldmxcsr $0",
            "syscall",
            "int $$3",
        ] {
            assert!(changes_control(text), "{text}");
        }
        for text in [
            "",
            "bswap $0",
            "nop",
            "movl $$2, x(%rip)",
            "rdtsc",
            "interrupted",
        ] {
            assert!(!changes_control(text), "{text}");
        }
        assert!(defines_something(".globl f"));
        assert!(!defines_something(".symver old, f@V1"));
    }
}
