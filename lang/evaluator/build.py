"""Makes the evaluators: `python -m lambent.lang.evaluator.build`.

From then on programs and the REPL run there.  It takes seconds where the library is compiled.
"""

from lambent.lang.evaluator.run_code import has_tensors
from lambent.lang.evaluator.start import evaluator_path, library_path


def main() -> None:
    """That for programs without tensors and, with LibTorch, the other one; and the shared library
    for Python programs."""
    for tensors in (False, True) if has_tensors() else (False,):
        evaluator_path(tensors)
    library_path()


if __name__ == "__main__":
    main()
