"""Names that are not UTF-8, and odd ones: of sources, imports, executables, arguments and files.

Unix names are bytes.  A byte that is not UTF-8 becomes one character in a Lisp string, as Python
decodes it (surrogateescape), and becomes that byte again wherever a string leaves the program.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

NAMES = {
    "no UTF-8": b"b\xffd\xe2\x82\xc3\xa9",
    "a surrogate": b"a\xed\xb3\xbfz",
    "letters": "éß漢😀".encode(),
    "signs": b"a b'c\"d\\e$f;g#h%s{i}*?",
    "control": b"a\nb\tc\x01",
}

TEXTS = r"""
(define name (cadr (command-line)))
(define-syntax try
  (syntax-rules ()
    ((_ e) (begin (write (guard (x (#t (list 'error (error-object-message x)))) e)) (newline)))))
(try name)
(try (string-length name))
(try (map char->integer (string->list name)))
(try (string->utf8 name))
(try (string-append name "/" name))
(try (string-upcase name))
(try (equal? name (list->string (reverse (reverse (string->list name))))))
(try (equal? name (symbol->string (string->symbol name))))
(try (string->symbol name))
(try (string->keyword name))
(try (equal? name (call-with-output-string (lambda (p) (display name p)))))
(try (equal? name (read-line (open-input-string (string-append name "")))))
(try (read-string 3 (open-input-string name)))
(try (read-char (open-input-string name)))
(try (char-ready? (open-input-string name)))
(try (string->json (json->string name)))
(try (format #f "~a ~s" name name))
(try (hash-ref (let ((h (make-hash-table))) (hash-set! h name 1) h) name 2))
(try (string->number name))
(try (car name))
(try (string-ref name 1))
(try (char-alphabetic? (string-ref name 1)))
(try (string<? name "zzz"))
(try (getenv "NAME"))
(try (equal? (getenv "NAME") name))
(try (assoc "NAME" (get-environment-variables)))
(try (call-with-output-file name (lambda (p) (write name p) (newline p) (write-string name p))))
(try (file-exists? name))
(try (equal? (call-with-input-file name read-line) name))
(try (delete-file name))
(try (file-exists? name))
(try (open-input-file (string-append "gone/" name)))
(try (error name name))
(display name (current-error-port))
(error "the end:" name)
"""

TENSORS = r"""
(define name (cadr (command-line)))
(define-syntax try
  (syntax-rules ()
    ((_ e) (begin (write (guard (x (#t (list 'error (error-object-message x)))) e)) (newline)))))
(try (save-npy name [1. 2.]))
(try (load-npy name))
(try (file-exists? name))
(try (load-npy (string-append "gone/" name)))
(try (load-module (string-append "gone/" name)))
(try (tensor-to [1.] name))
(try (tensor-sum [1.] (string->keyword name) 1))
(try (tensor name))
(try (+ [1.] name))
"""


def run(command: list[bytes | str], folder: Path, name: bytes) -> tuple[bytes, bytes, int]:
    environment = {**os.environb, b"NAME": name}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=300)
    return done.stdout, done.stderr, done.returncode


def lambent(folder: Path, *words: bytes | str, name: bytes = b"") -> tuple[bytes, bytes, int]:
    return run([sys.executable, "-m", "lambent.lang", *words], folder, name)


@pytest.mark.parametrize("text", [TEXTS, TENSORS], ids=["texts", "tensors"])
def test_names_at_run_time(tmp_path: Path, text: str) -> None:
    (tmp_path / "case.lisp").write_text(text, encoding="utf-8")
    assert lambent(tmp_path, "compile", "case.lisp") == (b"", b"", 0)
    for what, name in NAMES.items():
        script = lambent(tmp_path, "case.lisp", name, name=name)
        executable = run(["./case", name], tmp_path, name)
        assert script == executable, what
        assert b"internal error" not in script[1], what
        if text is TEXTS:
            assert script[1].startswith(name + b"case.lisp:"), what
            assert script[0].count(b"#t\n") >= 6, what


def test_names_of_sources(tmp_path: Path) -> None:
    """Errors show the name; the executable has the same name, and prints what the script prints."""
    name = b"-".join(NAMES.values())
    folder = os.fsencode(tmp_path) + b"/in " + name
    os.mkdir(folder)  # noqa: PTH102 - a Path would show the name as Python does
    for file, text in (
        (name + b".lisp", b'(import "lib.lisp")\n(print (f (list 1)) (f 2))\n'),
        (b"lib.lisp", b"(define (f x) (car x))\n"),
    ):
        with open(folder + b"/" + file, "wb") as out:  # noqa: PTH123
            out.write(text)
    source = b"in " + name + b"/" + name + b".lisp"
    script = lambent(tmp_path, source)
    shown = b"in " + name + b"/lib.lisp:1:15: car: expected a pair, got 2\n"
    assert script[0] == b"" and script[1].startswith(shown) and script[2] == 70
    for further in ([], ["-g"]):
        assert lambent(tmp_path, "compile", *further, source) == (b"", b"", 0)
        assert run([b"./" + name], tmp_path, b"") == script
    assert lambent(tmp_path, "compile", source, "--emit-c", "-o", name + b".c") == (b"", b"", 0)
    emitted = lambent(tmp_path, "compile", "--emit-c", source)
    with open(os.fsencode(tmp_path) + b"/" + name + b".c", "rb") as file:  # noqa: PTH123
        assert emitted == (file.read(), b"", 0)
    gone = b"cannot open gone" + name + b": No such file or directory\n"
    assert lambent(tmp_path, "compile", b"gone" + name) == (b"", gone, 66)
