"""The package list is the disk, and the wheel carries what is not Python."""

import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("lang", "runtime", "ctorch", "stdlib")
DATA = (".lark", ".h", ".c", ".cpp", ".lisp")


def test_package_list_is_the_disk() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    on_disk = [
        f"lambent.{file.parent.relative_to(ROOT)}".replace(os.sep, ".")
        for folder in FOLDERS
        for file in (ROOT / folder).rglob("__init__.py")
    ]
    on_disk[on_disk.index("lambent.lang.package")] = "lambent"  # the package itself
    assert sorted(listed) == sorted(on_disk)


def test_every_folder_with_data_is_a_package() -> None:
    for folder in FOLDERS:
        for file in (ROOT / folder).rglob("*"):
            if file.suffix in (*DATA, ".py"):
                assert (file.parent / "__init__.py").exists(), f"{file.parent} has no __init__.py"


@pytest.mark.slow
def test_wheel_carries_the_data_files(tmp_path: Path) -> None:
    copy = tmp_path / "copy"  # setuptools leaves build/ behind, and takes old files from it
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        copy.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, copy / name)
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-build-isolation", "--no-deps",
         "--wheel-dir", tmp_path, copy],
        check=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    inside = set(zipfile.ZipFile(wheel).namelist())
    expected = {
        f"lambent/{file.relative_to(copy)}".replace("lang/package/", "")
        for folder in FOLDERS
        for file in (copy / folder).rglob("*")
        if file.suffix in (*DATA, ".py")
    }
    assert expected <= inside, sorted(expected - inside)
    strangers = {name for name in inside if not name.startswith(("lambent/", "lambent-"))}
    assert not strangers, "nothing outside lambent/ goes to site-packages"
