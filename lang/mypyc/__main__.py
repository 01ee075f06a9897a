"""The command `python -m lambent.lang.mypyc`."""

import sys

from lambent.lang.cancelling import cancelled_by_ctrl_c
from lambent.lang.errors import EXIT_INTERRUPT, LispError, render
from lambent.lang.mypyc.building import build


def main() -> int:
    """Compile the passes; the exit status."""
    try:
        with cancelled_by_ctrl_c():
            print(f"compiled passes: {build()}")
        return 0
    except LispError as error:
        print(render(error), file=sys.stderr)
        return error.status
    except KeyboardInterrupt:
        return EXIT_INTERRUPT


if __name__ == "__main__":
    sys.exit(main())
