"""Programs in a root folder that has nothing but the C library, and as another user.

    run_alone(folder, "digits", [], tmp_path)  =>  what digits/digits prints where there is no more

Only root may do so.  Otherwise programs run here, with an empty environment.
"""

import os
import re
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from lambent.lang.bundle.libraries import loaded_from

NOBODY = 65534
_LIBC = (
    "libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libutil.so.1",
)  # fmt: skip
_LOADER = re.compile(rb"/lib\d*/(ld-[\w.-]+)\0")


def run_alone(
    bundle: Path, program: str, arguments: Sequence[str], folder: Path
) -> subprocess.CompletedProcess[bytes]:
    """Run a program of a bundle.  folder: where the root is made; the bundle is moved into it and
    becomes /the bundle."""
    if not can_change_root():
        return subprocess.run(
            [bundle / program, *arguments], env={}, cwd="/", capture_output=True, timeout=300
        )
    root = folder / "root"
    if not root.exists():
        make_root(root, (bundle / program).read_bytes())
    place = root / "the bundle"
    bundle.rename(place)
    try:
        return subprocess.run(
            ["chroot", f"--userspec={NOBODY}:{NOBODY}", root, f"/the bundle/{program}", *arguments],
            env={"PATH": os.environ["PATH"]}, capture_output=True, timeout=300,
        )
    finally:
        place.rename(bundle)


@cache
def can_change_root() -> bool:
    """Whether roots can be made, with devices that can be opened."""
    if os.geteuid() != 0 or shutil.which("chroot") is None:
        return False
    with tempfile.TemporaryDirectory() as folder:
        try:
            _make_urandom(Path(folder))
            with (Path(folder) / "dev/urandom").open("rb"):
                pass
        except OSError:
            return False
        return subprocess.run(["chroot", "/", "true"], capture_output=True).returncode == 0


def make_root(root: Path, executable: bytes) -> None:
    """A root folder with the loader that the executable names, and the C library's libraries."""
    found = _LOADER.search(executable)
    assert found is not None
    files = {found[0][:-1].decode(): loaded_from(found[1].decode())}
    for name in _LIBC:
        path = loaded_from(name)
        assert path is not None, name
        files[f"{path.parent}/{name}"] = path
    for place, source in files.items():
        assert source is not None, place
        target = root / place.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        target.chmod(0o755)
    _make_urandom(root)
    root.parent.chmod(0o755)


def _make_urandom(root: Path) -> None:
    """Every root has it, and LibTorch asks it for seeds."""
    (root / "dev").mkdir(parents=True)
    (root / "dev").chmod(0o755)
    os.mknod(root / "dev/urandom", stat.S_IFCHR | 0o666, Path("/dev/urandom").stat().st_rdev)
    (root / "dev/urandom").chmod(0o666)
