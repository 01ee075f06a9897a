"""The kernels for GPUs compute what the operators' own loops do: their text runs on the CPU here.

tests/gpu/ runs them on a GPU.
"""

import itertools
import re
import subprocess
from pathlib import Path

from lambent.ctorch import build, conversions_source
from tests.support.paths import ROOT

KERNELS = {
    0: ("rms_norm", "gate_up", "rotate", "paged_write"),
    1: ("attend", "join"),
    2: ("quantized_product", "unpack_rows"),
}
# Elements of a head, and the queries of a block, that check.cpp uses.
HEADS = ((64, 3), (80, 1), (16, 8), (256, 4))


def _source() -> str:
    """The text of the kernels, without its quotes."""
    text = (ROOT / "ctorch/cuda/kernels_source.h").read_text()
    match = re.search(r'R"cuda\((.*)\)cuda"', text, re.DOTALL)
    assert match
    return match[1]


def _instances() -> str:
    """The kernels in each dtype and size, each in a namespace of its own."""
    parts = []
    for program, element in itertools.product(KERNELS, range(3)):
        for head in HEADS if program == 1 else (None,):
            values = {"PROGRAM": program, "ELEMENT": element}
            if head is not None:
                values |= {"WIDTH": head[0], "GROUP": head[1]}
            parts.append(_instance(values, KERNELS[program]))
    return "\n".join(parts)


def _instance(values: dict[str, int], names: tuple[str, ...]) -> str:
    definitions = " ".join(f"-D{name}={value}" for name, value in values.items())
    undefined = (*values, "MINUS_INFINITY", "NOT_A_NUMBER", "LANES", "THREADS", "AT_ONCE",
                 "PARTIAL", "ROWS")
    return "\n".join((
        f"namespace kernels_{'_'.join(map(str, values.values()))} {{",
        *(f"#define {name} {value}" for name, value in values.items()),
        '#include "kernels.inc"',
        *(f'ADDED("{definitions}", {name})' for name in names),
        *(f"#undef {name}" for name in undefined),
        "}",
    ))


def test_they_compute_what_the_loops_of_the_cpu_do(tmp_path: Path) -> None:
    (tmp_path / "kernels.inc").write_text(_source())
    (tmp_path / "instances.h").write_text(_instances())
    (tmp_path / conversions_source.FILE_NAME).write_text(conversions_source.conversions_source())
    torch, compiler, folder = build.find_torch(), build.find_compiler(), build.built()
    assert compiler is not None
    flags = ("-O1" if flag == "-O2" else flag for flag in build.CXX_FLAGS)
    subprocess.run(
        [*compiler, *flags, "-isystem", torch.include, f"-I{ROOT / 'ctorch'}",
         f"-I{ROOT / 'tests/cuda_kernels'}", f"-I{tmp_path}",
         ROOT / "tests/cuda_kernels/check.cpp", ROOT / "ctorch/cuda/kernels.cpp",
         folder / build.LIBRARY, f"-L{torch.lib}", *(f"-l{name}" for name in build.LIBRARIES),
         *(f"-Wl,-rpath,{place}" for place in (torch.lib, folder)), "-o", tmp_path / "check"],
        check=True,
    )
    done = subprocess.run([tmp_path / "check"], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("", 0), done.stderr
