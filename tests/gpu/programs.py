"""Run the programs of tests/programs that use tensors on a device, and compare what they print.

    python programs.py LAMBENT FOLDER DEVICE JOBS OUT SECONDS all|EVERY|none

Each runs as a script on the CPU, and with DEVICE as its default device as a script and, all or each
EVERYth of them, as an executable.  OUT/report.txt has the first lines that differ.  A program that
ends by a signal, or whose script and executable print different texts, is a defect; one that prints
other numbers than on the CPU is only listed.
"""

import concurrent.futures
import os
import re
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

LAMBENT, FOLDER, DEVICE, JOBS = sys.argv[1], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
OUT, LIMIT, EXECUTABLES = Path(sys.argv[5]), float(sys.argv[6]), sys.argv[7]
ROOT = FOLDER.parent.parent  # of the files that programs name
BEGUN = time.monotonic()
ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1"}
TENSORS = re.compile(r"tensor|linear|\[\d|backward|load-llm")
# They limit memory, or take minutes.
LEFT_OUT = {"memory_limits", "memory_stress", "catch_interrupt", "deep_recursion", "stack_checks"}


def run(command, seconds=90):
    """The status and the lines of both streams; -99 for a program that did not end in time."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=seconds, cwd=ROOT,
                              env=ENVIRONMENT, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired as late:
        return -99, lines(late.stdout or b""), ["TIME-OUT"]
    return done.returncode, lines(done.stdout), lines(done.stderr)


def lines(text):
    plain = text.decode(errors="replace").replace("__device", "").replace(f" on {DEVICE}:0", "")
    return plain.splitlines()


def first_difference(xs, ys):
    for x, y in zip([*xs, ""], [*ys, ""], strict=False):
        if x != y:
            return f"{x[:150]!r} / {y[:150]!r}"
    return "none"


def try_program(numbered):
    number, path = numbered
    if time.monotonic() - BEGUN > LIMIT:
        return path.stem, "left out", ""
    copy = FOLDER / f"{path.stem}__device.lisp"
    copy.write_text(f'(set-default-device! "{DEVICE}") {path.read_text()}')
    cpu, script = run([LAMBENT, path]), run([LAMBENT, copy])
    executable = script
    if EXECUTABLES == "all" or (EXECUTABLES.isdigit() and number % int(EXECUTABLES) == 0):
        target = OUT / path.stem
        compiled = run([LAMBENT, "compile", copy, "-o", target], 150)
        executable = run([target]) if compiled[0] == 0 else compiled
        target.unlink(missing_ok=True)
    return path.stem, kind_of(cpu, script, executable), (
        f"status {cpu[0]} {script[0]} {executable[0]}"
        f"\n   cpu / device: {first_difference(cpu[1], script[1])}"
        f"\n   script / executable: {first_difference(script[1], executable[1])}"
        f"\n   errors: {script[2][:3]} | {executable[2][:3]}")


def kind_of(cpu, script, executable):
    if any(status < 0 or status >= 128 for status in (script[0], executable[0])):
        return "ENDED BY A SIGNAL"
    if any("Traceback" in line for line in (*script[2], *executable[2])):
        return "TRACEBACK"
    if script[:2] != executable[:2]:
        return "SCRIPT AND EXECUTABLE DIFFER"
    if script[0] != cpu[0]:
        return "fails on the device"
    return "same" if script[1] == cpu[1] else "other output"


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    paths = [path for path in sorted(FOLDER.glob("*.lisp"))
             if path.stem not in LEFT_OUT and "__device" not in path.name
             and TENSORS.search(path.read_text(errors="replace"))]
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        results = list(pool.map(try_program, enumerate(paths)))
    for path in FOLDER.glob("*__device.lisp"):
        path.unlink()
    names = defaultdict(list)
    for name, kind, _ in results:
        names[kind].append(name)
    results.sort(key=lambda result: result[1])
    report = "\n".join(f"{kind}: {name}: {text}" for name, kind, text in results)
    (OUT / "report.txt").write_text(report)
    for kind, which in sorted(names.items()):
        print(kind, len(which), "" if kind == "same" else " ".join(which))
    print("programs", len(results), "seconds", round(time.monotonic() - BEGUN))


if __name__ == "__main__":
    main()
