"""`lambent bench FOLDER --compare`, from its words to the exit status."""

import sys
from pathlib import Path

from lambent.lang.errors import LispError
from lambent.lang.system.outputs import write_text
from tests.bench.compare.chart import chart
from tests.bench.compare.judging import judged
from tests.bench.compare.options import parse
from tests.bench.compare.report import json_text, table
from tests.bench.compare.running import SHOWN, measure, task_of


def compare(words: list[str]) -> int:
    """Measure the peers and print the table; an error if outputs disagree or Lambent failed."""
    options = parse(words)
    task = task_of(options)
    rows = []
    for peer in options.peers:
        if sys.stderr.isatty():
            print(f"measuring {SHOWN[peer]} ...", file=sys.stderr, flush=True)
        rows.append(measure(peer, task))
    result = judged(rows, task)
    print(table(result, task), flush=True)
    if options.json:
        write_text(Path(options.json), json_text(result, task))
    if options.svg:
        write_text(Path(options.svg), chart(result, task))
    wrong = [one.row.name for one in result if one.agrees is False]
    if wrong:
        raise LispError(f"lambent: the outputs of {', '.join(wrong)} differ from the reference",
                        hint="speeds of programs that compute something else mean nothing")
    failed = [row for row in rows if row.peer in ("script", "executable") and row.figures is None]
    if failed:
        raise LispError(f"lambent: {failed[0].name} failed: {failed[0].reason}")
    return 0
