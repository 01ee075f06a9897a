"""What programs read from ports.  A read that fails takes nothing from its port."""

from lambent.lang.interp.builtins.data import index
from lambent.lang.interp.builtins.ports import text_source
from lambent.lang.interp.values import ABSENT, EOF, Boolean, Lisp, String, boolean, char


def read_line(port: Lisp = ABSENT) -> Lisp:
    """Only a line feed ends a line."""
    source = text_source("read-line", port)
    searched = 0
    while True:
        start = source.at
        end = source.text.find("\n", start + searched)
        if end >= 0:
            source.at = end + 1
            return String(source.text[start:end])
        searched = len(source.text) - start
        if not source.fill("read-line"):
            rest = source.text[start:]
            source.at = len(source.text)
            return String(rest) if rest else EOF


def read_char(port: Lisp = ABSENT) -> Lisp:
    source = text_source("read-char", port)
    at = source.at
    if at == len(source.text):
        if not source.fill("read-char"):
            return EOF
        at = source.at
    source.at = at + 1
    return char(source.text[at])


def peek_char(port: Lisp = ABSENT) -> Lisp:
    source = text_source("peek-char", port)
    if source.at == len(source.text) and not source.fill("peek-char"):
        return EOF
    return char(source.text[source.at])


def is_char_ready(port: Lisp = ABSENT) -> Boolean:
    return boolean(text_source("char-ready?", port).is_ready("char-ready?"))


def read_string(k: Lisp, port: Lisp = ABSENT) -> Lisp:
    count = index("read-string", k)
    source = text_source("read-string", port)
    while len(source.text) - source.at < count and source.fill("read-string"):
        pass
    text = source.text[source.at : source.at + count]
    source.at += len(text)
    return String(text) if text or not count else EOF


def port_to_string(port: Lisp = ABSENT) -> String:
    source = text_source("port->string", port)
    while source.fill("port->string"):
        pass
    text = source.text[source.at :]
    source.at = len(source.text)
    return String(text)
