"""Every schema of the installed LibTorch, in a process without Python's torch.

Other tests compare with Python's torch, which registers hundreds more operators when it is
imported; so `every_operator.py` runs in a separate process.
"""

import subprocess
import sys

from tests.support.paths import ROOT


def test_every_operator(all_random: bool) -> None:
    options = ["--all-random"] if all_random else []
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options,
         "tests/support/every_operator.py"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
