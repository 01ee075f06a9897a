"""The differential test of operators: data, and the few programs that run it.

    tables/*.txt     the cases: a line has an operator and its argument lists
    families.py      the properties of each table, and how to read it
    sweep.py         tables => cases, with torch's result of each
    inputs.py        the language of the cases: seeded tensors
    lisp_call.py     a call of Python's torch => the call in Lisp
    transport.py     tensors => files that a Lisp program reads, with their strides and storages
    oracle.py        the outcome of a case in Python's torch
    driver.lisp      runs a case in a Lisp program, and prints its outcome
    programs.py      cases => programs => outcomes, as a script and as an executable
    compare.py       outcomes => differences
    choices.py       the overload of an operator that a call chooses, here and in torch
    op_info.py       torch's own sample inputs, for samples.py

`tests/suites/tensors/test_operators.py` runs it; `python -m tests.operators NAME ...` shows single
operators.
"""
