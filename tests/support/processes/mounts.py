"""Runs commands in a mount namespace of their own, after a shell script has mounted devices."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

_REFUSED = 99  # the status where nothing can be mounted
_NAMESPACE = ("unshare", "--user", "--map-root-user", "--mount")


def run_with_mounts(
    script: str, command: Sequence[str], folder: Path, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a command after the lines of `script`; skip the test where users cannot mount."""
    text = f'mount() {{ command mount "$@" || exit {_REFUSED}; }}\n{script}\nexec "$@"\n'
    try:
        done = subprocess.run(
            [*_NAMESPACE, "sh", "-c", text, "sh", *command], cwd=folder, text=True,
            env={**os.environ, **variables}, capture_output=True, timeout=600,
        )
    except FileNotFoundError:
        pytest.skip("there is no unshare")
    if done.returncode == _REFUSED or done.stderr.startswith("unshare:"):
        pytest.skip(f"nothing can be mounted here: {done.stderr}")
    return done
