"""The C between executables and the library, which they load when they start.

The linker does not bind an executable to ctorch.  If it did, the loader would end the program with
its own message when the library or LibTorch is missing, and would not notice when LibTorch has
another version.  So the library has a table of its functions, and an executable has a stub for
each, of the same name, which jumps to it; that costs as much as a call through the linker's table.
`load.c` fills the table in.

    void ct_free(ct_tensor *x);
    =>  exports.c    {..., (bridge_function)ct_free, ...}
    =>  stubs.c      void ct_free(ct_tensor *x) { ((void (*)(ct_tensor *))slots[17])(x); }
"""

import os
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from zlib import crc32

from lambent.lang.primitives.typed import typed_operators

HERE = Path(__file__).parent
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_FUNCTION = re.compile(r"^((?:const )?\w+ \**)(ct_\w+)\(([^;{}]*)\)", re.MULTILINE)
_HEAD = """/* Made by stubs_source.py. */
#include "bridge/load.h"
#include "typed.h"
"""


@dataclass(frozen=True, slots=True)
class Function:
    result: str  # "ct_tensor *"
    name: str
    parameters: tuple[str, ...]  # "ct_tensor *x"

    @property
    def declaration(self) -> str:
        return f"{self.result}{self.name}({', '.join(self.parameters) or 'void'})"

    @property
    def pointer(self) -> str:
        """The type of a pointer to it."""
        return f"{self.result}(*)({', '.join(self.parameters) or 'void'})"

    @property
    def arguments(self) -> str:
        return ", ".join(re.findall(r"\w+", parameter)[-1] for parameter in self.parameters)


@cache
def functions() -> tuple[Function, ...]:
    """Every function of the library that C may call."""
    texts = [_COMMENT.sub("", (HERE / name).read_text()) for name in ("ctorch.h", "typed.h")]
    for operator in typed_operators():
        if operator.has_function:
            texts.append(operator.declaration)
        if operator.in_place is not None:
            texts.append(operator.reusing_declaration)
    return tuple(
        Function(result, name, tuple(re.split(r",\s*", " ".join(given.split())))
                 if given.strip() != "void" else ())
        for text in texts
        for result, name, given in _FUNCTION.findall(text)
    )


def interface() -> str:
    """A checksum of all these declarations: an executable and a library fit if theirs are equal."""
    text = "".join(f"{function.declaration};\n" for function in functions())
    return f"{crc32(text.encode(), crc32((HERE / 'typed.h').read_bytes())):08x}"


def exports_source() -> str:
    """The text of exports.c, for the library."""
    lines = [_HEAD, *(f"{f.declaration};" for f in functions()), ""]
    lines += ["static const bridge_function all[] = {"]
    lines += [f"    (bridge_function){f.name}," for f in functions()]
    lines += ["};", ""]
    counted = f'"{interface()}", {len(functions())}, all'
    lines += [f"const bridge_exports ct_exports = {{{counted}}};", ""]
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Site:
    """Where an executable finds ctorch and LibTorch.

    folder: that of ctorch.  In a bundle it is relative: to the program's folder.
    torch: the folder of the torch package; None in a bundle, which has what it needs of it.
    version: LibTorch's.
    parts: the files in the folder that must have the same size as now, first ctorch itself.
    """

    folder: Path
    torch: Path | None
    version: str
    parts: tuple[tuple[str, int], ...]


def stubs_source(site: Site) -> str:
    """The text of stubs.c, for executables, with the paths and versions that they expect."""
    lines = [_HEAD, f"static bridge_function slots[{len(functions())}];", ""]
    lines += ["static const bridge_part parts[] = {"]
    lines += [f"    {{{c_string(name)}, {size}}}," for name, size in site.parts]
    lines += [
        "};",
        "",
        "const bridge_site bridge_here = {",
        f"    {c_string(site.folder)},",
        f"    {'NULL' if site.torch is None else c_string(site.torch)},",
        f"    {c_string(site.version)},",
        "    parts,",
        f"    {len(site.parts)},",
        f'    "{interface()}",',
        f"    {len(functions())},",
        "    slots,",
        "};",
    ]
    for index, f in enumerate(functions()):
        returning = "" if f.result == "void " else "return "
        call = f"(({f.pointer})slots[{index}])({f.arguments})"
        lines += ["", f"{f.declaration};", f"{f.declaration} {{ {returning}{call}; }}"]
    return "\n".join([*lines, ""])


def c_string(text: Path | str) -> str:
    """A C string literal of any bytes, as file names may contain."""
    plain = re.compile(rb"[\w /.,+-]", re.ASCII)
    characters = (bytes([byte]) for byte in os.fsencode(text))
    return '"' + "".join(
        c.decode() if plain.match(c) else f"\\{ord(c):03o}" for c in characters
    ) + '"'
