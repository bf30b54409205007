"""Prints what pairs of runs with and without --abstraction cover: pairs.py FOLDER STRATEGY-SECONDS
PROGRAMS SEEDS."""

import itertools
import json
import statistics
import sys

OUT, HOW, PROGRAMS, SEEDS = sys.argv[1:]


def branches(program, seed, option):
    with open(f"{OUT}/{program}-{HOW}{option}-seed{seed}/summary.json") as file:
        return json.load(file)["branches"]


def row(program):
    seeds = SEEDS.split()
    alone = [branches(program, seed, "")["covered"] for seed in seeds]
    both = [branches(program, seed, "--abstraction") for seed in seeds]
    beside = [one["covered"] for one in both]
    noise = [abs(a - b) for a, b in itertools.combinations(alone, 2)]
    above = sum(b > a for a, b in zip(alone, beside))
    below = sum(b < a for a, b in zip(alone, beside))
    return [
        program,
        both[0]["total"],
        f"{statistics.median(alone):g}",
        f"{statistics.median(beside):g}",
        f"{statistics.median(noise or [0]):g}",
        f"{above} / {len(alone) - above - below} / {below}",
        min(one["unreachable"] for one in both),
    ]


COLUMNS = "program", "branches", "alone", "with", "noise", "above / equal / below", "proved"
for line in [COLUMNS, ["---"] * len(COLUMNS), *map(row, PROGRAMS.split())]:
    print("| " + " | ".join(map(str, line)) + " |")
