"""The command `python -m lambent.lang.mypyc`."""

import sys

from lambent.lang.errors import LispError, render
from lambent.lang.mypyc.building import build, check_sources


def main() -> int:
    try:
        check_sources()
        print(f"compiled passes: {build()}")
        return 0
    except LispError as error:
        print(render(error), file=sys.stderr)
        return error.status


if __name__ == "__main__":
    sys.exit(main())
