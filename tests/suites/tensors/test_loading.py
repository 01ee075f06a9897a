"""What a process that uses tensors has loaded."""

import os
import re
import subprocess
from pathlib import Path

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none
from tests.support.programs_run import command_of

BINDING = re.compile(r"binding file \S*/libstdc\+\+\.so\.6 \[0\] to (\S*)/(\S+)")


@pytest.mark.parametrize("kind", ["script", "executable", "interpreter"])
def test_the_cxx_library_calls_its_own_functions(kind: str, tmp_path: Path) -> None:
    """LibTorch's libraries export parts of one, too: with theirs, programs crash on a GPU."""
    env = {**os.environ, "LD_DEBUG": "bindings", "LD_DEBUG_OUTPUT": str(tmp_path / "bindings")}
    if kind == "interpreter":
        env["LAMBENT_MACHINE"] = "0"
    back_end = "executable" if kind == "executable" else "script"
    command = command_of("(print (tensor-sum [1.0 2.0]))", back_end, tmp_path)
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "3.0\n")
    said = "".join(path.read_text(errors="replace") for path in tmp_path.glob("bindings.*"))
    libraries = [name for _, name in BINDING.findall(said)]
    assert "libc.so.6" in libraries
    assert not [name for name in libraries if name.startswith(("libtorch", "libc10"))]
