"""Every procedure as a value: primitives, operators, and those of the library.

A procedure that is called as a value runs other code than one that is called directly, in both back
ends: not inline code or a typed entry point, but an entry point that unpacks the arguments and
fills in the defaults.  So each example of the declarations runs again with its procedure taken out
of a table, where the compiler cannot know it.  And every procedure is called with arguments of many
types, wrong ones too, and with strings that contain a NUL: its result or message must be the same
in both back ends.  All of the library is compiled for that, so one program does it all.
"""

import re
import sys

import pytest

from lambent.lang.compile.build.toolchain import Options
from lambent.lang.core.modules.library import library_names, library_names_by_file
from lambent.lang.pipeline import compile_source
from lambent.lang.primitives.library import TABLE
from lambent.lang.primitives.typed import typed_operators
from lambent.lang.syntax.source import Source
from tests.suites.language.test_primitive_examples import EXAMPLES, FORM_EXAMPLES
from tests.support.binaries import build_programs
from tests.support.programs_run import Outcome, run

# Procedures that end the program, never end, differ from run to run, or have side effects.
LEFT_OUT = frozenset(
    """
    exit emergency-exit command-line features getenv get-environment-variable
    get-environment-variables current-second current-seconds current-jiffy jiffies-per-second
    random random-seed! manual-seed set-num-threads detect-anomaly! set-default-device!
    uuid-v4 uuid-v7 open-gzip-output-file open-gzip-binary-output-file call-with-gzip-output-file
    write-json-lines
    tensor-memory tensor-memory-limit! tensor-cache-limit! tensor-cache-release! device-memory
    garbage-statistics
    delete-file current-date current-time current-julian-day current-modified-julian-day
    path-absolute
    open-output-file open-binary-output-file call-with-output-file
    language-model-command model-server train-tokenizer save-llm save-sentencepiece edit-line
    save-model save-npy save-npz save-state-dict save-tensors write-csv
    """.split()  # noqa: SIM905, a table that people read
)
# Files that change the disk, or ask the system: tests/programs/ has them.
OF_THE_SYSTEM = frozenset(
    name
    for file in ("files", "globs", "processes", "signals")
    for name in library_names_by_file()[file]
)
GENERIC = (
    "", "1", "'(1 2)", '"ab"', "#\\a", "(vector 1 2)", "'a", "1 2", "'(1 2) 1", '"ab" 1',
    "(vector 1 2) 0", "car '((1) (2))", "'(3 4) car", '"ab" "b"', "#\\a #\\b", "1 '(1 2)",
    '2 "ab"', "+ 0 '(1 2)", '"ab" 0 1', "(vector 1 2) 0 1", "1 2 3", "'(1) '(2) '(3)",
    '#\\b "ab"', "-2", '"ab" -2', "'(1 2) -2", "(vector 1 2) -2", "1 2 3 4", ":a 1",
    '"ab" 1 #\\-',
    # A tensor of one element counts as a number where one is needed.
    "[0.]", "[1. 2.]", "[1.] 1", "1 [1.]", "[1. 2.] 1", "1 [1. 2.]", "[2] [2]", "[#t]",
    "'(1 2) [1]", '"ab" [1]', "(vector 1 2) [0]", "(list [1.] [0.])", "(vector [1. 2.])",
)
TENSORS = (
    "", "[1. 2.]", "[[1. 2.] [3. 4.]]", "[1. 2.] [3. 4.]", "[1. 2.] 2", "[1. 2.] 0.5", "[1 2] 0 1",
    "[[1. 2.] [3. 4.]] [[1. 2.] [3. 4.]]", "[[1. 2.] [3. 4.]] :dim 0", "'(2 3)", "2 3", "#t",
    "(list [1. 2.] [3. 4.])", "[1. 2.] [3. 4.] [5. 6.]", "[1. 2.] :no-such-name 1",
)
# Those that are not called with strings either, for the same reasons.
LEFT_OUT_OF_STRINGS = re.compile(
    r"eval|load|interaction-environment|environment|gensym|generate-symbol|"
    r"random.*|current-.*|system.*|.*-to-string|generate-.*|time.*|"
    r".*environment.*|peek-.*|read.*|char-ready\?|u8-ready\?"
)
# A string that contains a NUL must not end there, which in C is an easy mistake.
STRINGS = (
    "z", "z z", "z z z", "z s k", "'(\"\\x0;\") z", "#\\null z", "z #\\null", "z 1", "z 0 1", "1 z",
)
_STRINGS_HEAD = """
(define z "1\\x0;2")
(define s (string->symbol "float32\\x0;x"))
(define k (string->keyword "dim\\x0;x"))
"""
_HEAD = """
(define table (make-hash-table))
(define (the name) (hash-ref table name))
(define (said e) (if (error-object? e) (list 'error (error-object-message e)) (list 'raised e)))
(define (try name arguments)
  (write (cons name (length arguments)))
  (display " ")
  (write
    (guard (e (#t (said e)))
      (call-with-values (lambda () (apply (the name) arguments)) list)))
  (newline))
"""


def is_public(name: str) -> bool:
    """Whether programs see it; names with a brace belong to libraries that are not ambient."""
    return not name.startswith("%") and "{" not in name


def procedures() -> list[str]:
    """All public names of procedures, except operators."""
    primitives = {n for n, p in TABLE.items() if is_public(n) and not p.interpreted}
    return sorted({*primitives, *filter(is_public, library_names())})


def operators() -> list[str]:
    """The operators with typed entry points."""
    names = {operator.name for operator in typed_operators()}
    lisp = {"tensor-" + re.sub("_$", "!", name).replace("_", "-") for name in names}
    return sorted(lisp - {*TABLE, *library_names()})


def program() -> str:
    """The examples, and then every procedure with many arguments."""
    everything = [*procedures(), *operators()]
    entered = "\n".join(f"(hash-set! table '{name} {name})" for name in everything)
    others = [name for name in everything if name not in LEFT_OUT | OF_THE_SYSTEM]
    tensors = [name for name in others if is_of_tensors(name)]
    scalars = [name for name in others if not is_of_tensors(name)]
    parts = [_HEAD, entered, *map(example, EXAMPLES_OF_PROCEDURES)]
    parts += ['(display "--- calls")', "(newline)", "(random-seed! 1)", "(manual-seed 1)"]
    parts += [calls(scalars, GENERIC), calls(tensors, TENSORS)]
    strings = [name for name in others if not LEFT_OUT_OF_STRINGS.fullmatch(name)]
    parts += ['(display "--- strings")', "(newline)", _STRINGS_HEAD, calls(strings, STRINGS)]
    return "\n".join(parts) + "\n"


def example(name: str) -> str:
    """The example with the procedure out of the table: `((the 'car) '(1 2))`."""
    head = rf"\({re.escape(name)}(?=[\s)])"
    text = re.sub(head, lambda _: f"((the '{name})", EXAMPLES[name])
    return f'(display "--- {name}")\n(newline)\n{text}\n(newline)'


def calls(names: list[str], arguments: tuple[str, ...]) -> str:
    """Each procedure with all of the arguments, which are new each time: some change them."""
    makers = " ".join(f"(lambda () (list {text}))" for text in arguments)
    return f"""
    (for-each
      (lambda (name)
        (for-each (lambda (make) (try name (make))) (list {makers})))
      '({" ".join(names)}))"""


def is_of_tensors(name: str) -> bool:
    uses = name in TABLE and TABLE[name].symbol.startswith(("bridge_", "ct_"))
    return uses or "tensor" in name


EXAMPLES_OF_PROCEDURES = [name for name in EXAMPLES if name not in FORM_EXAMPLES]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> tuple[Outcome, Outcome]:
    """Of the script, and of the executable, which is not optimized, because its C is long."""
    folder = tmp_path_factory.mktemp("first-class")
    text, path = program(), folder / "case.lisp"
    path.write_text(text, encoding="utf-8")
    folders = [folder / back_end for back_end in ("script", "executable")]  # some write files
    for each in folders:
        each.mkdir()
    script = run([sys.executable, "-m", "lambent.lang", str(path)], folders[0])
    anf = compile_source(Source(path.name, text))
    binary = build_programs({"case": anf}, folder, Options(optimize=False, strict=True))
    return script, run([str(binary), "case"], folders[1])


def sections(outcome: Outcome) -> dict[str, str]:
    parts = [part.split("\n", 1) for part in outcome.output.split("--- ")[1:]]
    return {name: text.strip() for name, text in parts}


def test_examples_with_values(outcomes: tuple[Outcome, Outcome]) -> None:
    expected = {
        name: EXAMPLES[name].split("; =>", 1)[1].strip() for name in EXAMPLES_OF_PROCEDURES
    }
    for outcome in outcomes:
        assert (outcome.errors, outcome.status, outcome.leaks) == ("", 0, "")
        found = sections(outcome)
        assert {name: found[name] for name in expected} == expected


def test_both_back_ends_do_the_same(outcomes: tuple[Outcome, Outcome]) -> None:
    for section, least in ("calls", 14_000), ("strings", 10_000):
        script, executable = (sections(outcome)[section].splitlines() for outcome in outcomes)
        assert len(script) > least
        assert [pair for pair in zip(script, executable, strict=True) if pair[0] != pair[1]] == []
