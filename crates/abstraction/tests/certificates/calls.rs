//! Certificates by calls: a set of functions that runs do not leave.

use labrys_abstraction::{Verdict, Verification, uncalled};
use labrys_analysis::ProgramAnalysis;
use labrys_program::{BranchId, FunctionId, Program};

const PROGRAM: &str = "
global @table internal constant 8 align 8 = \"\\00\\00\\00\\00\\00\\00\\00\\00\" [0 @listed + 0]
declare i32 @setjmp(ptr v0) external
define void @lost(i32 v0) internal {
b0:
  v1: i1 = icmp eq v0, i32 7
  br v1, b1, b2
b1:
  call @called(i32 1)
  call @also(v0)
  ret
b2:
  ret
}
define void @also(i32 v0) internal {
b0:
  v1: i1 = icmp eq v0, i32 8
  br v1, b1, b2
b1:
  call @lost(v0)
  ret
b2:
  ret
}
define void @listed(i32 v0) internal address_taken {
b0:
  call @called(v0)
  ret
}
define void @called(i32 v0) internal {
b0:
  v1: i1 = icmp eq v0, i32 9
  br v1, b1, b2
b1:
  ret
b2:
  ret
}
define i32 @main() external {
b0:
  v0: ptr = alloca 200, i64 1, align 16
  v1: i32 = call @setjmp(v0)
  v2: ptr = load 8, @table
  call *v2(v1)
  ret i32 0
}
";

/// What begins the line of a function that runs may enter.
const ENTERED: &str = "(set-info :entered";

fn verdicts(analysis: &ProgramAnalysis<'_>, entry: FunctionId, text: &str) -> Vec<Verdict> {
    match Verification::new(analysis, entry, text) {
        Ok(verification) => verification.verdicts().into_values().collect(),
        Err(_) => Vec::new(),
    }
}

/// It stands beside obstacles and shows what no calls lead to. Neither less of a set nor a claim of a
/// function in it is believed.
#[test]
fn a_set_of_functions_that_runs_do_not_leave() {
    let program: Program = PROGRAM.parse().expect("a program");
    let entry = program.function_named("main").expect("main");
    let analysis = ProgramAnalysis::new(&program, entry);
    assert!(!analysis.obstacles().is_empty());
    let all = (0..program.branch_count()).map(BranchId::new);
    let (claims, text) = uncalled(&analysis, all.clone()).expect("a certificate");
    assert_eq!(claims.len(), 4);
    let found = verdicts(&analysis, entry, &text);
    assert_eq!(found, [const { Verdict::Checked }; 4]);
    let entered = || text.lines().filter(|line| line.starts_with(ENTERED));
    assert_eq!(entered().count(), 3, "{text}");
    for missing in entered() {
        let less = text.replace(missing, "");
        let found = verdicts(&analysis, entry, &less);
        assert!(!found.contains(&Verdict::Checked), "{less}");
    }
    for other in all.filter(|branch| !claims.contains(branch)) {
        let name = program.branch_name(other).expect("a name");
        let more = format!("{text}(set-info :unreachable \"{name}\")\n");
        let verification = Verification::new(&analysis, entry, &more).expect("a certificate");
        let verdicts = verification.verdicts();
        assert!(matches!(verdicts[&other], Verdict::Refused(_)), "{name}");
        assert_eq!(verdicts[&claims[0]], Verdict::Checked);
    }
    for beside in ["(set-info :unit \"main\")", "(set-info :entered \"none\")"] {
        let found = verdicts(&analysis, entry, &format!("{text}{beside}\n"));
        assert!(!found.contains(&Verdict::Checked), "{beside}");
    }
}

/// A function by itself has a certificate beside a call that returns twice, unless control comes back
/// into it.
#[test]
fn nothing_is_claimed_of_a_function_into_which_control_comes_back() {
    let program: Program = PROGRAM.parse().expect("a program");
    let entry = program.function_named("main").expect("main");
    let analysis = ProgramAnalysis::new(&program, entry);
    let called = program.function_named("called").expect("a function");
    let mut all = (0..program.branch_count()).map(BranchId::new);
    let site = |branch| program.site(program.branch_site(branch)?.0);
    let own = all.find(|branch| site(*branch).is_some_and(|site| site.function == called));
    let claim = own.and_then(|branch| program.branch_name(branch));
    let claim = claim.expect("a branch");
    let verdict = |unit: &str| {
        let text = format!(
            "(set-info :labrys-certificate \"1\")\n(set-info :unreachable \"{claim}\")\n\
             (set-info :unit \"{unit}\")\n(set-logic QF_BV)\n\
             (define-fun |{unit} b0| () Bool true)\n"
        );
        verdicts(&analysis, entry, &text).pop()
    };
    assert!(matches!(verdict("called"), Some(Verdict::NotChecked(_))));
    let Some(Verdict::Refused(why)) = verdict("main") else {
        panic!("not refused");
    };
    assert_eq!(why, "control returns twice to a call in the function");
}
