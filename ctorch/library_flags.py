"""How to link the libraries, other than LibTorch, that ctorch needs.

    zlib_flag(("g++",))         =>  "-l:libz.so.1"            ctorch/files inflates and deflates
    standard_library(("g++",))  =>  ("-l:libstdc++.so.6",)    LibTorch's own

gcc itself needs zlib, so it is installed; its header and the name that `-lz` looks for come with a
package of their own, which may be missing.

Some g++ link C++'s own library statically, without a word, such as one that does not find
`libstdc++.so`.  LibTorch uses the shared one, so a process would have two, which free each other's
locales: it crashes at the first message that LibTorch writes.
"""

import os
import subprocess
from collections.abc import Sequence

from lambent.lang.errors import UsageFault

PACKAGE = "zlib1g"
_FLAGS = ("-l:libz.so.1", "-lz")
_STANDARD_LIBRARY = ("-l:libstdc++.so.6",)


def require_zlib(compiler: Sequence[str]) -> str:
    """The flag that links zlib; a UsageFault if none does, before minutes of compiling."""
    if flag := zlib_flag(compiler):
        return flag
    raise UsageFault(
        "tensors need zlib, once, to build the LibTorch interface: the linker does not find it",
        hint=f"sudo apt install {PACKAGE}",
    )


def zlib_flag(compiler: Sequence[str]) -> str | None:
    """The flag that links zlib: by its version where only the library itself is installed.

    A compiler that links nothing at all lacks more than zlib, as the build will tell: "-lz".
    """
    for flag in _FLAGS:
        if _links(compiler, flag):
            return flag
    return None if _links(compiler) else _FLAGS[-1]


def standard_library(compiler: Sequence[str]) -> tuple[str, ...]:
    """The flags that link the shared C++ library first; none where it has another name."""
    return _STANDARD_LIBRARY if _links(compiler, *_STANDARD_LIBRARY) else ()


def _links(compiler: Sequence[str], *flags: str) -> bool:
    """Whether an empty library links with the flags."""
    command = [*compiler, "-shared", "-x", "c", os.devnull, "-x", "none", *flags]
    done = subprocess.run([*command, f"-o{os.devnull}"], capture_output=True, check=False)
    return done.returncode == 0
