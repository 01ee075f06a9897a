"""`python -m tests.bench [--rounds N] [--quick] [SECTION | PROGRAM ...]`: print the tables, write
build/bench.json, and add a line to tests/bench/history.jsonl, beside whose last lines the figures
are printed.  A program of the language suite may be named alone: `fib nbody`."""

import argparse
import json

from tests.bench.build import OUT
from tests.bench.compile_time import (
    CompileTimes,
    compile_time_json,
    compile_time_text,
    measure_compile_time,
)
from tests.bench.history import append, comparison, figures_of, last_runs, this_run
from tests.bench.language import SIZES, Suite, claims, measure_suite, suite_json, suite_text
from tests.bench.run import SECTIONS, run, to_json, verdicts

LANGUAGE = "language"
COMPILE = "compile"
QUICK_ROUNDS = 3


def main() -> None:
    choices = [LANGUAGE, COMPILE, *SECTIONS]
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="runs of each contender")
    parser.add_argument("--no-history", action="store_true", help="keep no line of this run")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_ROUNDS} rounds")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join([*choices, *SIZES]))
    options = parser.parse_args()
    for name in options.names:
        if name not in choices and name not in SIZES:
            parser.error(f"no section or program {name}: there are {', '.join(choices)}")
    names = options.names or choices
    rounds = QUICK_ROUNDS if options.quick else options.rounds

    programs = [program for program in SIZES if program in names or LANGUAGE in names]
    suite = measure_suite(rounds, programs) if programs else None
    if suite:
        print("\n" + suite_text(suite), flush=True)
    times = measure_compile_time(QUICK_ROUNDS) if COMPILE in names else None
    if times:
        print("\n" + compile_time_text(times), flush=True)
    tables = run([name for name in names if name in SECTIONS], rounds)

    met = verdicts(tables) + _claims_met(suite) + _times_met(times)
    result = OUT.parent / "bench.json"
    figures = to_json(tables) | ({LANGUAGE: suite_json(suite)} if suite else {})
    figures |= {COMPILE: compile_time_json(times)} if times else {}
    result.write_text(json.dumps(figures, indent=2) + "\n")
    run_now = this_run(figures_of(tables, suite, times), rounds)
    print("\n" + comparison(run_now, last_runs(run_now)))
    if not options.no_history:
        append(run_now)
    print(f"\n{sum(met)} of {len(met)} targets met; figures in {result}")


def _claims_met(suite: Suite | None) -> list[bool]:
    return [claim.met for claim in claims(suite)] if suite else []


def _times_met(times: CompileTimes | None) -> list[bool]:
    return [times.met(name) for name in times.seconds] if times else []


if __name__ == "__main__":
    main()
