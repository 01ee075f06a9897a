"""What a process that uses tensors has loaded."""

import os
import re
import subprocess
import sys
from pathlib import Path

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none

BINDING = re.compile(r"binding file \S*/libstdc\+\+\.so\.6 \[0\] to (\S*)/(\S+)")


def test_the_cxx_library_calls_its_own_functions(tmp_path: Path) -> None:
    """LibTorch's libraries export parts of one, too: with theirs, scripts crash on a GPU."""
    env = {**os.environ, "LD_DEBUG": "bindings", "LD_DEBUG_OUTPUT": str(tmp_path / "bindings")}
    command = [sys.executable, "-m", "lambent.lang", "-e", "(print (tensor-sum [1.0 2.0]))"]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "3.0\n")
    said = "".join(path.read_text(errors="replace") for path in tmp_path.glob("bindings.*"))
    libraries = [name for _, name in BINDING.findall(said)]
    assert "libc.so.6" in libraries
    assert not [name for name in libraries if name.startswith(("libtorch", "libc10"))]
