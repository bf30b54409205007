//! The verifier: a good program spoiled in one place each time, and what it says to that.

use labrys_program::{BranchId, Constant, ConstantId, Program, SiteKind, ValueId};

const GOOD: &str = "
file \"/src/a.c\"
aggregate a0 = struct 8 [0 i32, 4 i1]
aggregate a1 = array 12 [3 x i32]
foreign x0 = \"x86_fp80\" 16
global @table internal constant 24 align 8 = \"abc\" [8 @main + 4, 16 opaque 8]
declare i32 @getchar() external
define i32 @main(i32 v0, ptr v1) external !0:1:1 {
b0:
  v2: i1 = icmp slt v0, i32 10
  br v2, b1, b2 !0:2:2
b1:
  v3: i32 = add v0, i32 10
  v4: i64 = sext v3
  v5: ptr = address v1, 0, v4 * 4
  v6: i32 = load 4, v5
  v7: a0 = intrinsic sadd.with.overflow(v6, v3)
  v8: i32 = extract v7 [0]
  v9: i1 = extract v7 [1]
  v10: i32 = select v9, i32 -1, v8
  switch v10, b3 [1 b1, 5 b2]
b2:
  v11: i32 = phi [b0 i32 0, b1 v10]
  store 4, offset(@table, 4), v11
  jump b3
b3:
  ret i32 0
b4:
  v12: i32 = add v10, i32 1
  jump b4
}
";

fn program(text: &str) -> Program {
    text.parse()
        .unwrap_or_else(|error| panic!("{error}:\n{text}"))
}

/// A change that breaks a rule.
type Spoil = fn(&mut Program);

/// What the verifier says.
fn violations(program: &Program) -> Vec<String> {
    let found = program.verify().err().unwrap_or_default();
    found
        .into_iter()
        .map(|violation| violation.to_string())
        .collect()
}

#[test]
fn a_good_program_passes() {
    assert_eq!(violations(&program(GOOD)), [""; 0]);
}

#[test]
fn spoiled_texts_are_refused() {
    let cases = [
        // Tables.
        (
            "0 i32, 4 i1",
            "0 i32, 8 i1",
            "aggregate a0: has a field outside of it",
        ),
        (
            "[0 i32, 4 i1]",
            "[0 a1, 4 i1]",
            "aggregate a0: has a field of a type that is not",
        ),
        (
            "[3 x i32]",
            "[5 x i32]",
            "aggregate a1: has a size that its length does not divide",
        ),
        (
            "24 align",
            "8 align",
            "global table: has relocations that overlap or lie outside",
        ),
        (
            "16 opaque 8",
            "15 opaque 8",
            "global table: has relocations that overlap",
        ),
        (
            "24 align",
            "2 align",
            "global table: has more bytes than its size",
        ),
        ("offset(@table, 4)", "offset(i32 3, 4)", "is ill typed"),
        ("offset(@table, 4)", "zext(i32 3, i8)", "is ill typed"),
        // Structure.
        (
            "!0:1:1",
            "!3:1:1",
            "function f1: location in an unknown file",
        ),
        ("!0:2:2", "!3:2:2", "f1 b0: location in an unknown file"),
        (
            "i32 @getchar() external",
            "a7 @getchar() external",
            "the result has an unknown type",
        ),
        (
            "sext v3",
            "sext v77",
            "f1 b1: refers to an id that is not there",
        ),
        (
            "jump b3",
            "jump b30",
            "f1 b2: refers to an id that is not there",
        ),
        ("[1 b1, 5 b2]", "[1 b0, 5 b2]", "a jump leads to the entry"),
        (
            "[b0 i32 0, b1 v10]",
            "[b0 i32 0]",
            "v11 does not fit the predecessors",
        ),
        (
            "[b0 i32 0, b1 v10]",
            "[b1 v10, b0 i32 0]",
            "v11 does not fit the predecessors",
        ),
        (
            "ret i32 0",
            "ret v10",
            "f1 b3: v10 is used where it may be undefined",
        ),
        (
            "add v0, i32 10",
            "add v6, i32 10",
            "f1 b1: v6 is used where it may be undefined",
        ),
        (
            "[b0 i32 0, b1 v10]",
            "[b0 v3, b1 v10]",
            "v3 is used where it may be undefined",
        ),
        // Types.
        ("add v0, i32 10", "add v0, i64 10", "ill typed: Binary"),
        (
            "icmp slt v0, i32 10",
            "icmp slt v1, i32 10",
            "ill typed: Compare",
        ),
        ("sext v3", "trunc v3", "ill typed: Cast"),
        ("load 4, v5", "load 8, v5", "ill typed: Load"),
        ("load 4, v5", "load 4, v4", "ill typed: Load"),
        ("store 4,", "store 2,", "ill typed: Store"),
        ("v4 * 4", "v1 * 4", "ill typed: Address"),
        (
            "overflow(v6, v3)",
            "overflow(v6, v4)",
            "ill typed: Intrinsic",
        ),
        ("extract v7 [1]", "extract v7 [2]", "ill typed: Extract"),
        ("extract v7 [1]", "extract v7 []", "ill typed: Extract"),
        (
            "select v9, i32 -1",
            "select v8, i32 -1",
            "ill typed: Select",
        ),
        (
            "[b0 i32 0, b1 v10]",
            "[b0 i8 0, b1 v10]",
            "v11 has operands of another type",
        ),
        ("ret i32 0", "ret", "ill typed: Return"),
        ("br v2,", "br v0,", "ill typed: Branch"),
        ("[1 b1, 5 b2]", "[1 b1, 4294967296 b2]", "ill typed: Switch"),
    ];
    for (before, after, expected) in cases {
        assert!(GOOD.contains(before), "{before}");
        let found = violations(&program(&GOOD.replace(before, after)));
        let hit = found.iter().any(|message| message.contains(expected));
        assert!(
            hit,
            "{before} → {after}: expected {expected:?}, found {found:#?}"
        );
    }
}

/// What the text form cannot express.
#[test]
fn spoiled_programs_are_refused() {
    let cases: [(&str, Spoil); 14] = [
        ("is there twice", |p| p.functions[0].name = "table".into()),
        ("a function has a body if and only if", |p| {
            p.functions[0].defined = true;
        }),
        ("is there twice", |p| {
            p.constants.push(Constant::Int {
                width: 32,
                bits: 10,
            });
        }),
        ("c6: not used", |p| p.constants.push(Constant::Null)),
        ("not numbered in the order of first use", |p| {
            p.constants.swap(0, 1);
            let swap = |id: &mut ConstantId| id.0 = [1, 0].get(id.index()).copied().unwrap_or(id.0);
            for block in &mut p.functions[1].blocks {
                for instruction in &mut block.instructions {
                    use labrys_program::{Operand, Operation};
                    if let Operation::Binary {
                        right: Operand::Constant(id),
                        ..
                    }
                    | Operation::Compare {
                        right: Operand::Constant(id),
                        ..
                    }
                    | Operation::Select {
                        if_true: Operand::Constant(id),
                        ..
                    } = &mut instruction.operation
                    {
                        swap(id);
                    }
                }
            }
        }),
        ("refers to a constant that is not before it", |p| {
            p.constants[0] = Constant::Offset {
                base: ConstantId(5),
                offset: 0,
            };
        }),
        ("is ill typed", |p| {
            p.constants[0] = Constant::Int { width: 4, bits: 16 }
        }),
        ("v4 is defined out of order", |p| {
            p.functions[1].blocks[1].instructions[0].result = Some(ValueId(4));
        }),
        ("10 values are defined", |p| {
            p.functions[1].blocks[4].instructions.pop();
            p.functions[1].blocks[1].instructions.pop();
            p.functions[1].blocks[1].instructions.pop();
            p.functions[1].values.pop();
        }),
        ("3 sites in bodies, 2 in table", |p| drop(p.sites.pop())),
        ("should be Site", |p| p.sites[1].oracle = true),
        ("should be Site", |p| p.sites[2].first_branch = BranchId(9)),
        ("should be Site", |p| p.sites[0].kind = SiteKind::Select),
        ("parameters are not the first values", |p| {
            p.functions[1].parameters.pop();
            p.functions[1].parameters.pop();
            p.functions[1]
                .parameters
                .push(labrys_program::Parameter::default());
        }),
    ];
    for (expected, spoil) in cases {
        let mut spoiled = program(GOOD);
        spoil(&mut spoiled);
        let found = violations(&spoiled);
        let hit = found.iter().any(|message| message.contains(expected));
        assert!(hit, "expected {expected:?}, found {found:#?}");
        // Whatever the tables hold, printing them ends.
        let _ = spoiled.to_string();
    }
}
