"""Strings that contain a NUL: in C they must not end there.

Both back ends show data, names and source lines with a NUL; test_first_class.py calls every
procedure with such strings.  The interpreter uses Python's strings, which do not end at a NUL.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

LAMBENT = [sys.executable, "-m", "lambent.lang"]

_SAID = """
(define z "1\\x0;2")
(define s (string->symbol "float32\\x0;x"))
(define k (string->keyword "dim\\x0;x"))
(define (show name x)
  (write name)
  (display " ")
  (write (if (procedure? x) 'procedure x))
  (newline))
(define (guarded thunk)
  (guard (e ((error-object? e) (error-object-message e)) (#t (list 'raised e))) (thunk)))
(define-syntax said
  (syntax-rules ()
    ((_ name form) (show 'name (guarded (lambda () form))))))
"""


WRITTEN = _SAID + r"""
(define (f a :dim 1) (list a dim))
(define (|na\x0;me| x) (car x))
(define-record-type |po\x0;int| (make |x\x0;y|) is? (|x\x0;y| get-x))
(for-each (lambda (text) (said read (read (open-input-string text))))
  '("\"a\\x0;b\" rest" "|a\\x0;b| rest" "a\x0;b" "\x0;b" "#\\\x0;b" "#\\a\x0;b" "#\\\x0;"
    "\"a\\\x0;b\"" "\"a\x0;b\"" "|a\x0;b|" "#\x0;b" "#tr\x0;b" "#x\x0;1" "(a\x0;b .\x0; c)"
    "'\x0;b" "#;\x0;b c" "#\x0;|a|# b" "#u8(1\x0;2)" "1\x0;2" "; c\x0; d\n e" "[1\x0;2]"
    "#0=(a\x0;#0#)" "#!fold-case\x0;A" "(\x0;" "#|\x0;"))
(for-each (lambda (text) (said number (string->number text)))
  '("1\x0;2" "\x0;" "1/2\x0;3" "+inf.0\x0;" "#xff\x0;" "1.5\x0;" "1e2\x0;" "\x0;1"))
(said keyword (apply f (list 1 k 5)))
(said keyword (apply f (list 1 (string->keyword "dim") 5)))
(said variable (map getenv '("PATH\x0;" "PATH\x0;x" "\x0;PATH")))
(said name |na\x0;me|)
(said name (apply |na\x0;me| '(1 2)))
(said name (list make (make 5) |po\x0;int|))
(said name (get-x 5))
(said name |un\x0;bound|)
(said name (set! |un\x0;bound| 1))
(said quoted (list (string->symbol "quote\x0;") 'x))
(said raised (raise s))
(said error (error z z 'a))
(said assert (assert (string=? z "a")))
(said json (string->json "\"a\\u0000b\""))
(said json (string->json "{\"a\x0;\": 1}"))
(said table (let ((h (make-hash-table)))
              (hash-set! h "a\x0;a" 1)
              (hash-set! h "a\x0;b" 2)
              (list (hash->list h) (hash-ref h "a\x0;c" 'none))))
(said format (format "a\x0;~a~s" z z))
(said format (format "~\x0;"))
(said file (with-output-to-file "/tmp/lambent-nul\x0;b" (lambda () (display 1))))
(said file (save-tensors "/tmp/lambent-nul\x0;b" (list (cons "x" [1.0]))))
(said file (load-tensors "/tmp/lambent-nul\x0;b"))
(said file (save-tensors "/tmp/lambent-nul" (list (cons z [1.0]))))
(said file (load-npy "/tmp/lambent-nul\x0;b"))
(said dtype (tensor 1 :dtype s))
(said dtype (tensor 1 :dtype "float32\x0;"))
(said dtype (tensor-zeros '(2) :dtype s))
(said device (tensor 1 :device "cpu\x0;"))
(said device (tensor-zeros '(2) :device "cpu\x0;"))
(said device (set-default-device! "cpu\x0;"))
(said mode (tensor-scatter-reduce [1.0] 0 [0] [2.0] "sum\x0;"))
(said keyword (tensor-sum [1.0] k 0))
(said shown (tensor-add z [1.0]))
(display z)
(write s)
(newline)
"""

ENDS = [
    '(display "a\0b") (let ((x 5)) (car "c\0d" x))\n',
    '(define-syntax |m\\x0;n| (syntax-rules () ((_ x) (car x)))) (|m\\x0;n| 5)\n',
    "(define (|f\\x0;g| x) (+ 1 (car x))) (+ 1 (|f\\x0;g| 5))\n",
    "(raise (string->symbol \"a\\x0;b\"))\n",
    "(error \"a\\x0;b\" \"c\\x0;d\")\n",
    "(|un\\x0;bound|)\n",
    "((lambda (x) (tensor-matmul [[1.0]] x)) [[1.0] [2.0]]) \"\0\"\n",
]


def agreed(text: str, folder: Path) -> str:
    """The output, which must be the same on both back ends."""
    (folder / "a.lisp").write_text(text)
    compiled = subprocess.run(
        [*LAMBENT, "compile", "a.lisp"], cwd=folder, capture_output=True, timeout=600
    )
    assert compiled.returncode == 0, compiled.stderr
    runs = [
        subprocess.run(command, cwd=folder, capture_output=True, stdin=subprocess.DEVNULL,
                       timeout=300)
        for command in ([*LAMBENT, "a.lisp"], [folder / "a"])
    ]
    script, executable = [(run.stdout, run.stderr, run.returncode) for run in runs]
    for mine, theirs in zip(script[0].splitlines(), executable[0].splitlines(), strict=False):
        assert mine == theirs
    assert script == executable
    return script[0].decode()


def test_nul_in_data_and_names(tmp_path: Path) -> None:
    said = agreed(WRITTEN, tmp_path)
    assert 'file "save-tensors: ' in said
    assert not Path("/tmp/lambent-nul").exists()


@pytest.mark.parametrize("text", ENDS, ids=range(len(ENDS)))
def test_a_nul_in_an_error_that_ends_the_program(text: str, tmp_path: Path) -> None:
    agreed(text, tmp_path)


# Patterns of C that end a text at a NUL, and the texts for which each file may do that.
_ENDS_AT_NUL = re.compile(
    r"\bstr(n?cmp|n?casecmp|n?len|r?chr|c?spn|tod|toll?|n?dup|str|n?cpy|n?cat|tok)\("
    r"|\bato[il]\("
    r"|%s.*(\.bytes|->text|->data)"
)
_ALLOWED = {
    "digits that the runtime has written or checked": (
        "numeral.c: strtod(text, NULL)", "numeral.c: strchr(text, 'e') - 1", "numeral.c: atoi(at",
        "numeral.c: strlen(digits)", "numeral.c: strspn(text, ", "numeral.c: strtol(at",
        "values.c: rt_parse_number(result->text",
    ),
    "rt_parse_number has looked for a NUL": (
        'numeral.c: strcmp(text, "', "numeral.c: strchr(text, '/')", "numeral.c: strlen(text) + 1",
    ),
    "a set of characters, asked for one that is not NUL": (
        "print.c: strchr(plain", "print.c: c <= ' ' ||", 'print.c: strchr("+-.0123456789", *name)',
        "read.c: *escape != '\\0' ? strchr(",
        'read.c: strchr("bodxeiBODXEI"', 'read.c: strchr("+-.#0123456789", *word)',
        "record.c: symbol->text[0] != '\\0' && strchr(",
    ),
    "a literal of the runtime": (
        "list.c: strlen(path)", "read.c: strlen(names[i].name)", "read.c: strlen(other)",
        "read.c: strlen(opening)", "read.c: strlen(marks[which])",
        "symbol.c: object->size == strlen(name)",
        "bridge.c: strcmp(who", "hint.c: strcspn(at", "encoding.c: text.size == strlen(name)",
    ),
    "a C string, as rt.h defines them": (
        "text.c: strlen(string)", "edit_line.c: strlen(finished_line)",
        "symbol.c: intern(&symbols, RT_SYMBOL, utf8, strlen(utf8)",
        "symbol.c: intern(&keywords, RT_KEYWORD, utf8, strlen(utf8)", "error.c: strcmp(a->name",
        "closure.c: strcmp(name, keyword->text)", "closure.c: strchr(function->usage, ' ')",
        "keyword_hint.c: strlen(other)", "keyword_hint.c: is_near(other",
        "closure.c: strchr(self + 1, ' ')", "type_hint.c: strlen(text)",
        "type_hint.c: strstr(at, wanted.text)",
        "type_hint.c: strlen(who)",
    ),
    "the system's, or LibTorch's, which have no NUL": (
        'error.c: atol(wanted)', 'main.c: strcmp(allocation, "malloc")', "report.c: strcmp(",
        "report.c: text.bytes", "program.c: strlen(text)", "program.c: strlen(value)",
        "program.c: strchr(entry, '=')", "program.c: strlen(sign + 1)",
        "primitives.c: strlen(device)", "values.c: strlen(result->text)",
        "module_text.c: atol(digits)", 'module_text.c: strncmp(described.bytes, "a tensor "',
        "status_line.c: strcmp(kind", "machine.c: strlen(found)", "machine.c: strrchr(path, '/')",
        "machine.c: strrchr(found, '/')", "machine.c: strlen(path)", "machine.c: strlen(text)",
        "files.c: strcmp(name, ",
        "files.c: strlen(name)", "files.c: strlen(text)", "processes.c: strlen(text)",
        "library.c: strlen(path)", "regexp.c: strlen(error->message)",
        "conversions.c: strlen(instead)", "digest.c: strcmp(kinds[i].name, name)",
        "conversions.c: strncmp(name, ",   # has only letters, digits and the like
    ),
    "commands, of which stdlib/system/processes.lisp looks for a NUL": (
        "processes.c: strchr(name, '/')", "processes.c: strchr(at, ':')", "processes.c: strlen(at)",
        "processes.c: strncmp(*variable, ",
    ),
    "a name for messages, which has been looked at": ("port.c: strdup(name)", "calls.c: rt_fail("),
}


def test_no_string_ends_at_a_nul() -> None:
    allowed = [row.split(": ", 1) for rows in _ALLOWED.values() for row in rows]
    files = [*(ROOT / "runtime").rglob("*.[ch]"), *(ROOT / "ctorch/bridge").glob("*.[ch]")]
    files.remove(ROOT / "ctorch/bridge/load.c")  # it has no Lisp strings
    found = [
        (file.name, line)
        for file in files for line in file.read_text().splitlines() if _ENDS_AT_NUL.search(line)
    ]
    assert [
        f"{name}: {line.strip()}"
        for name, line in found
        if not any(name == file and part in line for file, part in allowed)
    ] == []
    stale = [
        (file, part) for file, part in allowed
        if not any(name == file and part in line for name, line in found)
    ]
    assert stale == []
