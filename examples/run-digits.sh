#!/bin/sh
# Train the digits network twice, as a script and as an executable, and compare what they print.
#
#     examples/run-digits.sh .venv/bin/lambent
set -eu
lambent=${1:-lambent}
examples=$(dirname "$0")
build=$examples/../build
mkdir -p "$build"

echo "==> $lambent examples/digits.lisp"
"$lambent" "$examples/digits.lisp" > "$build/digits.script.txt"
cat "$build/digits.script.txt"

echo "==> $lambent compile examples/digits.lisp -o build/digits"
"$lambent" compile "$examples/digits.lisp" -o "$build/digits"

echo "==> build/digits"
"$build/digits" "$examples/data/digits.csv" > "$build/digits.executable.txt"
cat "$build/digits.executable.txt"

if cmp "$build/digits.script.txt" "$build/digits.executable.txt"; then
    echo "==> The script and the executable printed the same bytes."
else
    echo "==> The script and the executable differ." >&2
    exit 1
fi
