"""Programs that Lambent, Guile and Chez run."""

import subprocess
from pathlib import Path


def run_peer(folder: Path, command: str, options: tuple[str, ...], text: str) -> str:
    """What Guile (`guile`) or Chez (`scheme`) prints when it runs a program in the folder."""
    path = folder / f"{command}.scm"
    path.write_text(text)
    finished = subprocess.run([command, *options, str(path)], cwd=folder, capture_output=True,
                              text=True, timeout=600, check=False)
    if finished.stderr:
        print(f"{command}: {finished.stderr[-2000:]}")
    return finished.stdout


def answers(output: str) -> list[str]:
    """The lines that begin with @; Guile's `format` prints more when it fails."""
    return [line.removeprefix("@ ") for line in output.splitlines() if line.startswith("@ ")]
