"""Reads the rows of a table of comma-separated values from a port, in C.

    "1,a\\n2,b\\n"  =>  ((1 "a") (2 "b"))

The definition in Lisp finds the mistakes: it goes on where C stopped.
"""

from typing import Any

from lambent.lang.interp.native import NATIVE
from lambent.lang.interp.values.values import FALSE, Lisp, Port, String

_WHO = "read-line"  # which reads the port in Lisp
_NO_SEPARATORS = ("\"", "\n", "\r")
_UNKNOWN = -1


def csv_rows(
    path: Lisp, port: Lisp, separator: Lisp, rows: Lisp, width: Lisp, number: Lisp, value: Lisp,
    lisp: Any,
) -> Lisp:  # fmt: skip
    """The rows of a table; the parameters are those of stdlib/language/data.lisp."""
    stream = port.input if port.__class__ is Port else None
    usual = separator.__class__ is String and len(separator.text) == 1
    opened = 0
    if stream is not None and usual and separator.text not in _NO_SEPARATORS:
        fields = _UNKNOWN
        complete = wrong = False
        while True:
            rows, stream.at, fields, number, opened, wrong = NATIVE.parse_csv(
                stream.text, stream.at, separator.text, complete, rows, fields, number, value
            )
            if complete or wrong:
                break
            if not stream.read_ahead(_WHO):
                if stream.has_fault:
                    break
                complete = True
        width = FALSE if fields == _UNKNOWN else fields
    return lisp(path, port, separator, rows, width, number, opened or FALSE, value)
