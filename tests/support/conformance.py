"""Every name of R7RS-small, and a program that uses it on both back ends.

    python -m tests.support.conformance > docs/r7rs.md

A name counts as tested if a program of tests/programs/r7rs/ uses it outside of quoted data: those
programs run on both back ends, which must print the same.  Names that Lambent deviates on, by
docs/language.md, are shown with the test of their error.  `make docs` writes the page, and a test
keeps it current and without gaps.
"""

from collections.abc import Iterator
from functools import cache

from lambent.lang.syntax.datum import Brackets, Datum, List, Symbol, Vector
from lambent.lang.syntax.reader import read
from lambent.lang.syntax.source import Source
from tests.support.paths import ROOT

PROGRAMS = ROOT / "tests/programs/r7rs"
ERRORS = ROOT / "tests/errors"

# Appendix A of the report, library by library.
LIBRARIES: dict[str, str] = {
    "base": """
        * + - ... / < <= = => > >= _ abs and append apply assoc assq assv begin binary-port?
        boolean=? boolean? bytevector bytevector-append bytevector-copy bytevector-copy!
        bytevector-length bytevector-u8-ref bytevector-u8-set! bytevector? caar cadr
        call-with-current-continuation call-with-port call-with-values call/cc car case cdar cddr
        cdr ceiling char->integer char-ready? char<=? char<? char=? char>=? char>? char?
        close-input-port close-output-port close-port complex? cond cond-expand cons
        current-error-port current-input-port current-output-port define define-record-type
        define-syntax define-values denominator do dynamic-wind else eof-object eof-object? eq?
        equal? eqv? error error-object-irritants error-object-message error-object? even? exact
        exact-integer-sqrt exact-integer? exact? expt features file-error? floor floor-quotient
        floor-remainder floor/ flush-output-port for-each gcd get-output-bytevector
        get-output-string guard if include include-ci inexact inexact? input-port-open?
        input-port? integer->char integer? lambda lcm length let let* let*-values let-syntax
        let-values letrec letrec* letrec-syntax list list->string list->vector list-copy list-ref
        list-set! list-tail list? make-bytevector make-list make-parameter make-string make-vector
        map max member memq memv min modulo negative? newline not null? number->string number?
        numerator odd? open-input-bytevector open-input-string open-output-bytevector
        open-output-string or output-port-open? output-port? pair? parameterize peek-char peek-u8
        positive? procedure? quasiquote quote quotient raise raise-continuable rational?
        rationalize read-bytevector read-bytevector! read-char read-error? read-line read-string
        read-u8 real? remainder reverse round set! set-car! set-cdr! square string string->list
        string->number string->symbol string->utf8 string->vector string-append string-copy
        string-copy! string-fill! string-for-each string-length string-map string-ref string-set!
        string<=? string<? string=? string>=? string>? string? substring symbol->string symbol=?
        symbol? syntax-error syntax-rules textual-port? truncate truncate-quotient
        truncate-remainder truncate/ u8-ready? unless unquote unquote-splicing utf8->string values
        vector vector->list vector->string vector-append vector-copy vector-copy! vector-fill!
        vector-for-each vector-length vector-map vector-ref vector-set! vector? when
        with-exception-handler write-bytevector write-char write-string write-u8 zero?
        import define-library""",
    "case-lambda": "case-lambda",
    "char": """
        char-alphabetic? char-ci<=? char-ci<? char-ci=? char-ci>=? char-ci>? char-downcase
        char-foldcase char-lower-case? char-numeric? char-upcase char-upper-case? char-whitespace?
        digit-value string-ci<=? string-ci<? string-ci=? string-ci>=? string-ci>? string-downcase
        string-foldcase string-upcase""",
    "complex": "angle imag-part magnitude make-polar make-rectangular real-part",
    "cxr": """
        caaaar caaadr caaar caadar caaddr caadr cadaar cadadr cadar caddar cadddr caddr cdaaar
        cdaadr cdaar cdadar cdaddr cdadr cddaar cddadr cddar cdddar cddddr cdddr""",
    "eval": "environment eval",
    "file": """
        call-with-input-file call-with-output-file delete-file file-exists? open-binary-input-file
        open-binary-output-file open-input-file open-output-file with-input-from-file
        with-output-to-file""",
    "inexact": "acos asin atan cos exp finite? infinite? log nan? sin sqrt tan",
    "lazy": "delay delay-force force make-promise promise?",
    "load": "load",
    "process-context": """
        command-line emergency-exit exit get-environment-variable get-environment-variables""",
    "read": "read",
    "repl": "interaction-environment",
    "time": "current-jiffy current-second jiffies-per-second",
    "write": "display write write-shared write-simple",
    "r5rs": "exact->inexact inexact->exact null-environment scheme-report-environment",
}

# What docs/language.md leaves out: the name, the reason, and the test of the error message.
REFUSED: dict[str, tuple[str, str]] = dict.fromkeys(
    ("string-set!", "string-fill!", "string-copy!"), ("strings are immutable", "string_set.lisp")
)

# What has a part of its meaning only: the reason, which docs/language.md explains.
_ONLY_OUT = "partly: continuations only lead out, and only before the call has returned"
_REAL = "partly: an error where the result is not a real number"
PARTLY: dict[str, str] = {
    "call-with-current-continuation": _ONLY_OUT,
    "call/cc": _ONLY_OUT,
    "make-rectangular": "partly: the imaginary part must be 0",
    "make-polar": "partly: the angle must be 0",
    "string->number": "partly: #f for complex numbers",
    **dict.fromkeys(("sqrt", "log", "expt", "asin", "acos"), _REAL),
    "guard": "partly: after-thunks run before the handler outside, and not again",
    "dynamic-wind": "partly: nothing enters a second time",
    "read": "partly: an error for complex numbers",
}

# These evaluate text while the program runs; an executable holds no evaluator.
INTERPRETER_ONLY = frozenset(
    ("eval", "environment", "load", "interaction-environment", "null-environment",
     "scheme-report-environment")
)  # fmt: skip


def names() -> list[tuple[str, str]]:
    """Every name with its library."""
    return [(name, library) for library, text in LIBRARIES.items() for name in text.split()]


@cache
def tested() -> dict[str, list[str]]:
    """For each symbol that the programs use, the programs' file names."""
    uses: dict[str, list[str]] = {}
    for path in sorted(PROGRAMS.glob("*.lisp")):
        data = read(Source(path.name, path.read_text(encoding="utf-8")))
        for name in sorted({symbol for datum in data for symbol in _symbols(datum)}):
            uses.setdefault(name, []).append(path.name)
    return uses


def _symbols(datum: Datum) -> Iterator[str]:
    """The symbols in a datum, but for quoted data."""
    match datum:
        case Symbol(name):
            yield name
        case List((Symbol("quote"), _), None):
            yield "quote"
        case List(items, tail):
            for item in items if tail is None else (*items, tail):
                yield from _symbols(item)
        case Vector(items) | Brackets(items):
            for item in items:
                yield from _symbols(item)


def gaps() -> list[str]:
    """The names that no program shows and for which no reason is given."""
    return [
        name
        for name, _ in names()
        if name not in INTERPRETER_ONLY and name not in tested() and name not in REFUSED
    ]


def _row(name: str, library: str) -> str:
    if name in REFUSED:
        reason, test = REFUSED[name]
        status, where = (f"refused: {reason}",) * 2, f"tests/errors/{test}"
    elif name in INTERPRETER_ONLY:
        status, where = ("yes", "refused when it is compiled"), "tests/suites/language/test_eval.py"
    else:
        files = tested().get(name, [])
        status = (PARTLY.get(name, "yes"),) * 2 if files else ("missing", "missing")
        where = f"tests/programs/r7rs/{_most_telling(name, files)}" if files else ""
    return f"| `{name}` | {library} | {status[0]} | {status[1]} | {where} |".replace("`|", "`\\|")


def _most_telling(name: str, files: list[str]) -> str:
    """The program whose file name fits the name best, since many programs use `define`."""
    words = [word for word in name.strip("?!*").split("-") if len(word) > 2]
    return max(files, key=lambda file: (sum(word in file for word in words), -files.index(file)))


def page() -> str:
    """docs/r7rs.md."""
    rows = [_row(name, library) for name, library in sorted(names())]
    return "\n".join(
        [
            "<!-- Generated by `make docs` from tests/support/conformance.py.  Do not edit. -->",
            "# R7RS-small, name by name",
            "",
            "Every name that the report lists, and a program that uses it.  Both back",
            "ends run each program and must print the same; [language.md](language.md) says where",
            "Lambent differs on purpose, and the table says `partly` where a name does less.",
            "",
            "| name | library | interpreter | executable | shown in |",
            "|---|---|---|---|---|",
            *rows,
            "",
        ]
    )


if __name__ == "__main__":
    print(page(), end="")
