"""All programs of `tests/programs` and `tests/errors` on the evaluator, and what share of them does
what is expected: `python -m tests.stress.evaluator_sweep [WORD ...]`, for those with such names.
"""

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.support.evaluator_programs import (
    differences,
    evaluator_programs,
    place_of,
    run_code,
)


def main(words: Sequence[str]) -> int:
    """Prints a line for each program that is refused or differs, then the counts."""
    paths = [p for p in evaluator_programs() if not words or any(w in p.stem for w in words)]
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            kind, said = _judge(path, Path(folder))
            counts[kind] += 1
            if said:
                print(f"{kind}: {path.parent.name}/{path.stem}: {said}", flush=True)
    print(", ".join(f"{kind} {count}" for kind, count in sorted(counts.items())))
    return 1 if counts["differs"] else 0


def _judge(path: Path, scratch: Path) -> tuple[str, str]:
    """How a program does, and what there is to say of it."""
    os.chdir(place_of(path)[0])
    try:
        outcome = run_code(path, scratch)
    except Exception as error:  # a crash of the emitter is a result, too
        return "crashes", f"{type(error).__name__}: {error}"
    if outcome is None:
        return "front end", ""
    if isinstance(outcome, str):
        return "refused", outcome
    different = differences(path, outcome)
    return ("differs", "; ".join(different)) if different else ("as expected", "")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
