"""`python -m tests.bench [--rounds N] [SECTION ...]`: print the tables, write build/bench.json."""

import argparse
import json

from tests.bench.build import OUT
from tests.bench.run import SECTIONS, run, to_json


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="runs of each contender")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    options = parser.parse_args()
    for name in options.sections:
        if name not in SECTIONS:
            parser.error(f"no section {name}: there are {', '.join(SECTIONS)}")
    tables = run(options.sections or list(SECTIONS), options.rounds)

    result = OUT.parent / "bench.json"
    result.write_text(json.dumps(to_json(tables), indent=2) + "\n")
    verdicts = [verdict for table in tables for verdict in table.verdicts]
    missed = sum(not verdict.met for verdict in verdicts)
    print(f"\n{len(verdicts) - missed} of {len(verdicts)} targets met; figures in {result}")


if __name__ == "__main__":
    main()
