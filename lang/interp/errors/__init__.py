"""From Python exceptions to Lisp errors.

    faults.py     the exceptions that builtins raise
    messages.py   the message of an exception that Python itself raised
    trace.py      location, trace and hint of an error
    caught.py     failures as values, for `%try`
    quoting.py    hints that quote the program
"""
