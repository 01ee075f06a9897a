"""The differential test of operators: data, and the few programs that run it.

    tables/*.txt     the cases: a line gives an operator and its argument lists
    families.py      what the tables have in common, and how to read them
    sweep.py         tables => cases, with torch's word on each
    inputs.py        what the cases are written in: seeded tensors
    lisp_call.py     a call of Python's torch => the call in Lisp
    transport.py     tensors => files that a Lisp program reads, with their strides and storages
    oracle.py        what Python's torch does with a case
    driver.lisp      what a Lisp program does with it; the lines that it prints
    programs.py      cases => programs => outcomes, as a script and as an executable
    compare.py       outcomes => differences
    choices.py       which overload of an operator a call means, here and in torch
    op_info.py       torch's own sample inputs, for samples.py

`tests/suites/tensors/test_operators.py` runs it; `python -m tests.operators NAME ...` shows single
operators.
"""
