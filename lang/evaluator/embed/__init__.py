"""Sessions of the evaluator in Python's process: `liblambent_machine.so`, through cffi."""
