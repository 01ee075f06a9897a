"""Have mypyc write C, in a process of its own: it keeps state, and exits at errors.

    python -m lambent.lang.mypyc.to_c TREE NAME SOURCE ...    writes TREE/libraries.json

TREE: a folder in which the packages have the names that they are imported by.
"""

import json
import os
import sys
from pathlib import Path

_OPTIONS = ("--ignore-missing-imports", "--explicit-package-bases", "--namespace-packages",
            "--no-error-summary", "--cache-dir", "types")


def main() -> None:
    """Write libraries.json: for each library its name, C sources, flags, folders of headers."""
    from mypyc.build import mypycify

    tree, name, *sources = sys.argv[1:]
    os.chdir(tree)
    extensions = mypycify([*_OPTIONS, *sources], opt_level="1", debug_level="0", multi_file=True,
                          group_name=name, target_dir="c")
    libraries = [
        {"name": each.name, "sources": [str(Path(s).resolve()) for s in each.sources],
         "includes": [str(Path(i).resolve()) for i in each.include_dirs],
         "flags": each.extra_compile_args}
        for each in extensions
    ]
    Path("libraries.json").write_text(json.dumps(libraries), encoding="utf-8")


if __name__ == "__main__":
    main()
