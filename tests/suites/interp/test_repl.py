"""The REPL, on a real terminal and in a pipe."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

COMMAND = [sys.executable, "-m", "lambent.lang"]


@pytest.fixture(autouse=True, params=["interpreter", "evaluator"])
def machine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAMBENT_MACHINE", "1" if request.param == "evaluator" else "0")


@pytest.fixture
def repl(tmp_path: Path) -> "Iterator[Terminal]":
    terminal = Terminal(tmp_path)
    yield terminal
    terminal.child.close(force=True)


class Terminal:
    """A REPL at its first prompt; greeting is the text before it."""

    def __init__(self, folder: Path, *words: str, term: str = "dumb") -> None:
        environment = {
            **os.environ, "XDG_STATE_HOME": str(folder / "state"), "TERM": term, "COLUMNS": "200",
        }
        self.child: pexpect.spawn[str] = pexpect.spawn(
            COMMAND[0], [*COMMAND[1:], *words], env=environment, encoding="utf-8", timeout=60,
            dimensions=(50, 200), cwd=str(folder),
        )
        self.child.expect_exact("> ")
        self.greeting = str(self.child.before).replace("\r", "")

    def enter(self, *lines: str) -> str:
        """Type an entry; return the output up to the next prompt."""
        for line in lines[:-1]:
            self.child.sendline(line)
            self.child.expect("\n[.] ")
        self.child.sendline(lines[-1])
        self.child.expect("\n> ")
        shown = str(self.child.before).replace("\r", "")
        return shown.split("\n", 1)[1] if "\n" in shown else ""

    def leave(self) -> int | None:
        self.child.sendeof()
        self.child.expect(pexpect.EOF)
        self.child.close()
        return self.child.exitstatus


def test_a_session(repl: Terminal) -> None:
    assert repl.enter("(define (square x)", "  (* x x))") == ""
    assert repl.enter("(square 12)") == "144"
    assert repl.enter('"text" \'(1 "a")') == '"text"\n(1 "a")'
    # An error shows its line in the session, and the session continues.
    assert repl.enter("(car 5)") == (
        "repl:5:1: car: expected a pair, got 5\n  5 | (car 5)\n    | ^^^^^^^"
    )
    assert repl.enter(")") == "repl:6:1: unexpected )\n  6 | )\n    | ^"
    assert repl.enter("(+ 1 2)") == "3"
    assert repl.leave() == 0


def test_a_session_begins_with_how_to_get_help_and_leave(repl: Terminal) -> None:
    assert re.match(r"Lambent \d.*\n.*help.*\n$", repl.greeting)
    assert "exit" in repl.greeting


def test_help_needs_no_brackets(repl: Terminal) -> None:
    text = repl.enter("help")
    assert "(doc car)" in text and "Ctrl-D" in text
    assert repl.enter("?") == repl.enter("(help)") == repl.enter("(doc)") == text
    assert repl.enter("(help car)") == repl.enter("(doc car)")
    # A name that the session defines hides the command.
    repl.enter("(define help 5) (define (quit) 'not-yet) (define (apropos x) x)")
    assert repl.enter("help (quit) (apropos 1)") == "5\nnot-yet\n1"


@pytest.mark.parametrize("word", ["quit", "exit", "(quit)", "(exit)"])
def test_words_that_end_the_session(word: str, repl: Terminal) -> None:
    repl.child.sendline(word)
    repl.child.expect(pexpect.EOF)
    repl.child.close()
    assert repl.child.exitstatus == 0


def test_apropos_finds_names(repl: Terminal) -> None:
    repl.enter("(define my-vector-thing 1)")
    found = repl.enter('(apropos "vector-")').split("\n")
    assert {"vector-ref", "my-vector-thing", "vector-map"} <= set(found)
    assert "no name contains zzz" in repl.enter("(apropos 'zzz)")


def test_the_last_values_have_names(repl: Terminal) -> None:
    assert "unbound variable: *1" in repl.enter("*1")
    repl.enter("'one (if #f #f) 'two")
    repl.enter("'three")
    assert repl.enter("(list *1 *2 *3 _)") == "(three two one three)"
    # In a pattern `_` is not a variable, and a name that the session defines keeps its meaning.
    repl.enter("(define-syntax second (syntax-rules () ((_ _ x) x)))")
    assert repl.enter("(second 1 2)") == "2"
    repl.enter("(define _ 'mine) (define *1 'too)")
    assert repl.enter("'more") == "more"
    assert repl.enter("(list _ *1)") == "(mine too)"


def test_the_prompt_begins_a_line(repl: Terminal) -> None:
    assert repl.enter('(display "no end")') == "no end"
    assert repl.enter('(begin (display "half") (car 5))').startswith("half\nrepl:2:")
    repl.child.sendline('(begin (display "name? ") (flush-output) (read-line))')
    repl.child.expect_exact("\r\nname? ")
    # The user's Enter has ended the line.
    assert repl.enter("Bob") == '"Bob"'


@pytest.mark.parametrize("term", ["dumb", "xterm"])
def test_end_of_input_ends_the_line(term: str, tmp_path: Path) -> None:
    repl = Terminal(tmp_path, term=term)
    repl.child.send("(list 1\r")
    repl.child.expect_exact(". ")
    repl.child.sendeof()
    repl.child.expect_exact("unclosed (")
    assert re.sub(r"\x1b\[\?2004.|\r", "", repl.child.before) == "\nrepl:1:1: "
    repl.child.expect_exact("> ")
    repl.child.sendeof()
    repl.child.expect(pexpect.EOF)
    assert re.sub(r"\x1b\[\?2004.|\r", "", repl.child.before) == "\n"
    repl.child.close()
    assert repl.child.exitstatus == 0


def test_long_results_are_cut(repl: Terminal) -> None:
    text = repl.enter("(iota 100000)")
    assert text.startswith("(0 1 2 3") and len(text) < 12_000
    assert "(write *1) writes all" in text
    assert repl.enter("(length *1)") == "100000"


def test_a_pasted_block_is_one_entry(tmp_path: Path) -> None:
    repl = Terminal(tmp_path, term="xterm")
    block = "(define (f x)\n\t(+ x\n\t\t1))\n(f 1)\n(car 'bad)\n(f 2)\n(f 3)"
    repl.child.send(f"\x1b[200~{block}\x1b[201~\r")
    repl.child.expect_exact("(the 2 forms that follow were not evaluated)")
    shown = str(repl.child.before).replace("\r", "")
    assert "2\nrepl:5:1: car: expected a pair, got bad\n" in shown
    assert "string-" not in shown  # no tab has triggered completion
    repl.child.send("(f 4)\r")
    repl.child.expect("5\r\n")
    lines = "\n".join(f"(define (f{n} x)\n  (+ x {n}))" for n in range(100))
    repl.child.send(f"\x1b[200~{lines}\n(f99 1)\x1b[201~\r")
    repl.child.expect("\n.{0,20}100\r\n")
    repl.child.close(force=True)


def test_a_tab_that_indents_completes_nothing(repl: Terminal) -> None:
    repl.child.send("(list 1\r")
    repl.child.expect("\n[.] ")
    assert repl.enter("\t2)") == "(1 2)"


def test_names_of_files_are_completed_in_strings(repl: Terminal, tmp_path: Path) -> None:
    (tmp_path / "some-file.lisp").write_text("(define loaded 'yes)")
    repl.child.send('(load "some-f\t')
    repl.child.expect_exact("some-file.lisp")
    assert repl.enter(")") == ""  # the quote is closed
    assert repl.enter("loaded") == "yes"


def test_a_program_before_the_first_prompt(tmp_path: Path) -> None:
    (tmp_path / "f.lisp").write_text(
        "(define (f x) (g x))\n(define (g x) (* 2 x))\n(print (command-line))\n'silent\n"
        '(display "half")\n(car 5)\n(define never 1)\n'
    )
    repl = Terminal(tmp_path, "-i", "f.lisp", "word")
    assert repl.greeting.split("\n", 2)[2] == (
        "(f.lisp word)\nhalf\nf.lisp:6:1: car: expected a pair, got 5\n  6 | (car 5)\n"
        "    | ^^^^^^^\n(the form that follows was not evaluated)\n"
    )
    assert repl.enter("(f 4)") == "8"
    assert "unbound variable: never" in repl.enter("never")
    assert repl.leave() == 0


@pytest.mark.parametrize(
    ("program", "entries", "output", "errors", "status"),
    [
        ("(define d 4)", "d\n(print (* 2 d))\n", "4\n8\n", "", 0),
        ("(define d 4)", "d\n(car d)\n(print 'never)\n", "4\n",
         "repl:2:1: car: expected a pair, got 4\n  2 | (car d)\n    | ^^^^^^^\n", 70),
        ("(define d 4)", "(if)\n(print 'never)\n", "",
         "repl:1:1: if: expected (if test then [else]), got (if)\n  1 | (if)\n    | ^^^^\n", 65),
        ("(print 1)\n(car 5)\n", "(print 'never)\n", "1\n",
         "f.lisp:2:1: car: expected a pair, got 5\n  2 | (car 5)\n    | ^^^^^^^\n", 70),
        ("(print 1)", "(exit 3)\n(print 'never)\n", "1\n", "", 3),
    ],
)  # fmt: skip
def test_entries_from_a_pipe_end_at_an_error(
    tmp_path: Path, program: str, entries: str, output: str, errors: str, status: int
) -> None:
    (tmp_path / "f.lisp").write_text(program)
    done = subprocess.run([*COMMAND, "-i", "f.lisp"], input=entries, capture_output=True,
                          text=True, timeout=120, cwd=tmp_path)
    assert (done.stdout, done.stderr, done.returncode) == (output, errors, status)


def test_missing_program(tmp_path: Path) -> None:
    done = subprocess.run([*COMMAND, "-i", "none.lisp"], capture_output=True, text=True,
                          timeout=120, cwd=tmp_path)
    assert (done.stderr, done.returncode) == (
        "cannot open none.lisp: No such file or directory\n", 66
    )


def test_trace_shows_earlier_entries(repl: Terminal) -> None:
    repl.enter("(define (inner x)", "  (car x))")
    repl.enter("(define (outer x) (list (inner x)))")
    assert repl.enter("(outer 5)") == (
        "repl:2:3: car: expected a pair, got 5\n"
        "  2 |   (car x))\n"
        "    |   ^^^^^^^\n"
        "  in inner, called at repl:3:25\n"
        "  in outer, called at repl:4:1"
    )


def test_interrupt_stops_the_evaluation_only(repl: Terminal) -> None:
    repl.enter("(define (forever n) (forever (+ n 1)))")
    repl.child.sendline("(begin (print 'running) (flush-output) (forever 0))")
    repl.child.expect_exact("running\r\n")
    repl.child.sendintr()
    repl.child.expect("interrupted\r\n> ")
    assert repl.enter("(+ 1 2)") == "3"
    # At the prompt it drops what has been typed.
    repl.child.sendline("(half an entry")
    repl.child.expect("\n[.] ")
    repl.child.sendintr()
    repl.child.expect_exact("> ")
    assert repl.enter("'fresh") == "fresh"


def test_interrupt_runs_after_thunks(repl: Terminal) -> None:
    repl.enter("(define p (make-parameter 1))")
    repl.child.sendline(
        "(with-exception-handler (lambda (e) 0) (lambda () (parameterize ((p 2)) (dynamic-wind"
        " (lambda () (print 'in)) (lambda () (print 'on) (flush-output) (let loop () (loop)))"
        " (lambda () (print 'out (p)))))))"
    )
    # Printed after the before-thunk: a Ctrl-C during that would not run the after-thunk.
    repl.child.expect_exact("\nin\r\non\r\n")
    repl.child.sendintr()
    repl.child.expect("out 2\r\ninterrupted\r\n> ")
    assert repl.enter("(list (p) (guard (e (#t e)) (raise 'x)))") == "(1 x)"
    # No handler stays installed.
    assert "uncaught raise: oops" in repl.enter("(raise-continuable 'oops)")


def test_names_are_completed(repl: Terminal) -> None:
    repl.enter("(define my-long-name 42)")
    repl.child.send("my-lo\t")
    repl.child.expect_exact("my-long-name")
    assert repl.enter("") == "42"
    repl.child.send("(string-pre\t")
    repl.child.expect_exact("(string-prefix?")
    assert repl.enter(' "a" "ab")') == "#t"


def test_the_history_holds_whole_entries(repl: Terminal, tmp_path: Path) -> None:
    repl.enter("(list 1", "      2)")
    repl.enter("'last")
    repl.child.send("\x1b[A\x1b[A")
    assert repl.enter("").endswith("(1 2)")
    repl.leave()
    history = (tmp_path / "state/lambent/history").read_text()
    assert history == "(list 1\\n      2)\n'last\n(list 1\\n      2)\n"
    again = Terminal(tmp_path)
    again.child.send("\x1b[A")
    assert again.enter("").endswith("(1 2)")
    again.leave()


def piped(text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        COMMAND, input=text, capture_output=True, text=True, timeout=120, cwd=folder,
        env={**os.environ, "XDG_STATE_HOME": str(folder / "state")},
    )


_SWAP = (
    '(define-syntax swap! "Exchange." '
    "(syntax-rules () ((_ a b) (let ((tmp a)) (set! a b) (set! b tmp)))))"
)

PIPED = [
    ("(define x 1)\n(+ x 1)\n", "2\n", "", 0),
    ("(list 1\n2\n)", "(1 2)\n", "", 0),
    ("(display 1)\n(exit 3)\n(display 2)\n", "1", "", 3),
    # The first error ends the program, with the status that a file would have.
    ("(print 'before)\n(car 5)\n'on\n", "before\n",
     "stdin:2:1: car: expected a pair, got 5\n  2 | (car 5)\n    | ^^^^^^^\n", 70),
    ("1\n(list 1\n", "1\n", "stdin:2:1: unclosed (\n  2 | (list 1\n    | ^\n", 65),
    ("1\n(if)\n2\n", "1\n",
     "stdin:2:1: if: expected (if test then [else]), got (if)\n  2 | (if)\n    | ^^^^\n", 65),
    # The program and what it reads come out of one buffer.
    ("(print (read-line))\nhello (\n(print (read))\n(a b)\n(read-line)\nend",
     'hello (\n(a b)\n"end"\n', "", 0),
    ("\ufeff(car 5)\n", "",
     "stdin:1:1: car: expected a pair, got 5\n  1 | (car 5)\n    | ^^^^^^^\n", 70),
    # Definitions may come after what uses them.
    ("(define (f) (g))\n(define (g) 'later)\n(f)\n", "later\n", "", 0),
    ("(define (f x)\n  \"What f does.\"\n  x)\n(doc f)\n", "(f x)\n  What f does.\n", "", 0),
    ("(doc cons)\n", "(cons car cdr)\n  A new pair.\n  (print (cons 1 2))  ; => (1 . 2)\n", "", 0),
    ("(doc 'when)\n(doc \"begin\")\n(doc (car x))\n",
     "(when test form ...)\n  The forms, if the test is true.\n"
     "  (print (when (> 2 1) 'one 'two))  ; => two\n"
     "(begin form ...)\n  One form after the other; the value is the last one's.\n"
     "  (print (begin (display \"a\") 2))  ; => a2\n",
     "stdin:3:6: doc: expected (doc name)\n  3 | (doc (car x))\n    |      ^^^^^^^\n", 65),
    ("(load \"a.lisp\")\na\n", "loaded\n7\n", "", 0),
    ("(load \"none.lisp\")\n", "",
     'stdin:1:1: load: cannot open "none.lisp": No such file or directory\n'
     '  1 | (load "none.lisp")\n    | ^^^^^^^^^^^^^^^^^^\n', 70),
    ("(define a 1) a (set! a 2) a (if #f #f)\n", "1\n2\n", "", 0),
    ("(values 1 \"a\")\n(values)\n(define-values (a . b) (values 1 2))\nb\n", "1\n\"a\"\n(2)\n", "",
     0),
    # Records of a type stay what they were when another type takes its name.
    ("(define-record-type p (make x) p? (x get))\n(define one (make 1))\n(define old p?)\n"
     "(define-record-type p (make x y) p? (x get) (y last))\n"
     "(list one (make 1 2) (p? one) (old one))\n",
     "(#<p x: 1> #<p x: 1 y: 2> #f #t)\n", "", 0),
    # Macros stay; what their templates mention may be defined later, and defined anew.
    (f"{_SWAP}\n(define a 1)\n(define tmp 2)\n(swap! a tmp)\n(list a tmp)\n(doc swap!)\n",
     "(2 1)\n(swap! a b)\n  Exchange.\n", "", 0),
    ("(define-syntax two (syntax-rules () ((_) (one 'two))))\n"
     "(define-syntax one (syntax-rules () ((_ x) (list x))))\n(two)\n"
     "(define (one x) 'procedure)\n(two)\n", "(two)\nprocedure\n", "", 0),
    ("(defmacro twice (x) `(list ,x ,x))\n(twice 'a)\n(defmacro four (x) `(twice (twice ,x)))\n"
     "(four 1)\n", "(a a)\n((1 1) (1 1))\n", "", 0),
    ("(define-syntax f (syntax-rules () ((_ x) (if))))\n(define (g) 2)\n(g)\n(f 1)\n", "2\n",
     "stdin:4:1: if: expected (if test then [else]), got (if)\n  4 | (f 1)\n    | ^^^^^\n"
     "  in the expansion of f\n", 65),
    # The old meaning is forgotten.
    ("(define-syntax f (syntax-rules () ((_ x) (if))))\n(define (f x) 2)\n(f 1)\n", "2\n", "", 0),
]


@pytest.mark.parametrize(("text", "output", "errors", "status"), PIPED)
def test_input_from_a_pipe(
    text: str, output: str, errors: str, status: int, tmp_path: Path
) -> None:
    (tmp_path / "a.lisp").write_text("(define a 7) (print 'loaded) a")
    done = piped(text, tmp_path)
    assert (done.stdout, done.stderr, done.returncode) == (output, errors, status)


def from_input(text: bytes, *words: str, folder: Path) -> tuple[bytes, bytes, int]:
    done = subprocess.run([*COMMAND, *words], input=text, capture_output=True, timeout=120,
                          cwd=folder)
    return done.stdout, done.stderr, done.returncode


WHOLE = [
    b"(print (later))\n(define (later) 1)\n",
    b"(define (later) 1)\n'nothing\n(print (later))\n(car 5)\n(print 2)\n",
    b"(print 1)\n(list 2\n",
    b"(print 1)\n\xff",
    b"(import \"a.lisp\") (print a (cdr (command-line)))\n(exit 3)\n",
    b"\xef\xbb\xbf(print 1)\n(raise 'x)\n",
]


@pytest.mark.parametrize("text", WHOLE)
def test_dash_runs_the_program_on_stdin(text: bytes, tmp_path: Path) -> None:
    """It behaves like a file, but has another name."""
    (tmp_path / "a.lisp").write_text("(define a 7)")
    (tmp_path / "stdin").write_bytes(text)
    expected = from_input(b"", "stdin", "word", folder=tmp_path)
    assert from_input(text, "-", "word", folder=tmp_path) == expected


def test_program_on_stdin_consumes_the_whole_input(tmp_path: Path) -> None:
    text = b"(print (command-line) (eof-object? (read-line)))\n"
    assert from_input(text, "-", "a", folder=tmp_path) == (b"(- a) #t\n", b"", 0)


def test_entry_that_is_not_utf8_ends_the_program(tmp_path: Path) -> None:
    expected = (b"1\n", b"stdin: not UTF-8 text (byte 2)\n", 65)
    assert from_input(b"1\n\xff\n2\n", folder=tmp_path) == expected
