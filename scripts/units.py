"""Covers the functions of one library and checks the tests: see scripts/units."""

import glob
import json
import os
import subprocess
import sys

top, name, out, *words = sys.argv[1:]
sources = [word for word in words if not word.startswith("-")]
flags = [word for word in words if word.startswith("-")]
command = [f"{top}/target/release/labrys", "cover", *sources, "--all-functions", "--json", "--quiet"]
command += ["--time-per-function", os.environ.get("TIME", "10s"), "--out", out]
command += [f"--cc-flag={flag}" for flag in flags]
done = subprocess.run(command, capture_output=True, text=True)
if done.returncode > 1:
    sys.exit(f"{name}: {done.stderr.strip()}")
result = json.loads(done.stdout)

total = covered = dead = failing = 0
for function in result["functions"]:
    branches = function["summary"]["branches"]
    total += branches["total"]
    covered += branches["covered"]
    dead += branches["unreachable"]
    failing += any(failure["confirmed"] for failure in function["summary"]["failures"])

good = bad = tests = 0
for path in sorted(glob.glob(f"{out}/*/tests/test_*.c") + glob.glob(f"{out}/tests/test_*.c")):
    text = open(path, errors="replace").read()
    tests += text.count("\nTEST(")
    own = text.split(" in ", 1)[1].split(",", 1)[0]
    others = [source for source in sources if os.path.abspath(source) != own]
    for compiler in ["gcc", "clang-19"]:
        program = f"{out}/program"
        build = [compiler, "-Wall", "-Wextra", "-Werror", *flags, "-I.", path, "-o", program]
        # Warnings of the library itself are not those of the test.
        objects = []
        for number, source in enumerate(others):
            objects.append(f"{out}/{number}.{compiler}.o")
            if not os.path.exists(objects[-1]):
                subprocess.run([compiler, "-w", *flags, "-c", source, "-o", objects[-1]], check=True)
        build[-2:-2] = [*objects, "-lm"]
        built = subprocess.run(build, capture_output=True, text=True)
        run = None
        if built.returncode == 0:
            run = subprocess.run([program], capture_output=True, text=True, timeout=60)
        if run and run.returncode == 0:
            good += 1
        else:
            bad += 1
            print(f"{path} {compiler}: {(run or built).stderr[:400]}", file=sys.stderr)

share = 100 * (covered + dead) / max(total, 1)
print(
    f"{name}: {len(result['functions'])} functions ({len(result['left_out'])} without a driver), "
    f"{covered} of {total} branches covered, {dead} dead ({share:.1f} %), {failing} functions fail; "
    f"{tests} tests, {good} builds pass, {bad} do not"
)
sys.exit(bad > 0)
