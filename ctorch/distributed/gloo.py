"""Whether gloo_abi.h declares the Gloo that a LibTorch contains, before it is compiled against it.

LibTorch contains Gloo without its headers.  What can be compared is read from the version's own
files: its header of c10d, which uses Gloo, and the names that its library defines.

    check(torch)    raises a UsageFault that names what does not fit
"""

import re
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Protocol

from lambent.lang.errors import UsageFault

ABI = "ctorch/distributed/gloo_abi.h"
# The headers of Gloo that c10d includes; gloo_abi.h stands for each.
HEADERS = ("algorithm", "common/error", "context", "rendezvous/store", "transport/device")
# The classes of Gloo that c10d's header names.  gloo_abi.h declares them.
CLASSES = ("Context", "rendezvous::Store", "transport::Device", "transport::UnboundBuffer")
# What compiled code may call or refer to: gloo::Context::setTimeout(std::chrono::milliseconds).
SYMBOLS = (b"_ZN4gloo7Context10setTimeoutENSt6chrono8durationIlSt5ratioILl1ELl1000EEEE",)
C10D = b"_ZTVN4c10d16ProcessGroupGlooE"
HEADER = Path("torch", "csrc", "distributed", "c10d", "ProcessGroupGloo.hpp")


class Torch(Protocol):
    """build.Torch."""

    @property
    def lib(self) -> Path: ...
    @property
    def include(self) -> Path: ...
    @property
    def version(self) -> str: ...


def is_there(torch: Torch) -> bool:
    """Whether LibTorch was built with c10d and Gloo: headers are always there."""
    return not _missing(torch, (C10D,))


def check(torch: Torch) -> None:
    header = torch.include / HEADER
    try:
        text = _without_comments(header.read_text(encoding="utf-8"))
    except OSError as error:
        raise _refusal(torch, f"{header}: {error.strerror}") from None
    included = set(re.findall(r"#\s*include\s*[<\"]gloo/([\w/]+)\.h[>\"]", text))
    named = set(re.findall(r"\bgloo::((?:\w+::)*\w+)", text))
    if extra := sorted(included - set(HEADERS)):
        raise _refusal(torch, f"{HEADER.name} includes gloo/{extra[0]}.h")
    if extra := sorted(named - set(CLASSES)):
        raise _refusal(torch, f"{HEADER.name} uses gloo::{extra[0]}")
    if missing := _missing(torch, SYMBOLS):
        raise _refusal(torch, f"libtorch_cpu.so does not define {missing[0].decode()}")


def _without_comments(text: str) -> str:
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)


def _missing(torch: Torch, symbols: tuple[bytes, ...]) -> list[bytes]:
    """Those that LibTorch has no symbol for."""
    with (torch.lib / "libtorch_cpu.so").open("rb") as file, mmap(
        file.fileno(), 0, access=ACCESS_READ
    ) as library:
        return [name for name in symbols if library.find(b"\0" + name + b"\0") < 0]


def _refusal(torch: Torch, what: str) -> UsageFault:
    return UsageFault(
        f"torch {torch.version} contains another Gloo than {ABI} declares: {what}",
        hint="LAMBENT_ANY_TORCH is for trying other versions: extend the declarations first",
    )
