"""The interpreter: compiles Core to Python code objects and runs them.

Its root holds what runs a program: `run.py` (scripts), `machine.py` (global variables),
`library.py` (the library's code), `world.py` (`eval`, sessions), `code_cache.py` (code kept between
runs).

    emit/        Core to Python's `ast`
    values/      Lisp values in Python
    builtins/    the primitives
    io/          ports, reading and printing
    errors/      Python exceptions to Lisp errors: messages, locations, traces
    interrupts/  Ctrl-C
    repl/        the REPL, and programs on the standard input
    embed/       `import lambent` in Python programs

It may use `lang/syntax`, `lang/core`, `lang/primitives`, `lang/system`, `lang/reference` and
`ctorch`, and never `lang/compile`.
"""
