"""The package list equals the folders, and the wheel contains the files that are not Python."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from lambent.ctorch import build
from tests.support.paths import ROOT

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
    # No Python is in the examples: they are packages only so that the wheel has them.
    on_disk += [f"lambent.examples{inner}" for inner in ("", ".container", ".data", ".lib")]
    assert sorted(listed) == sorted(on_disk)


def test_every_folder_with_data_is_a_package() -> None:
    for folder in FOLDERS:
        for file in (ROOT / folder).rglob("*"):
            if file.suffix in (*DATA, ".py"):
                assert (file.parent / "__init__.py").exists(), f"{file.parent} has no __init__.py"


def test_one_range_of_torch_in_all_places() -> None:
    """pip, ctorch and the documents name the same range, and the tests run with a torch in it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    required = [
        package
        for packages in (project["dependencies"], *project["optional-dependencies"].values())
        for package in packages if package.startswith("torch")
    ]
    assert required == [f"torch{build.supported_range()}"]
    (pinned,) = re.findall(r"^torch==(\d+)\.(\d+)", (ROOT / "constraints.txt").read_text(), re.M)
    assert build.OLDEST <= tuple(map(int, pinned)) <= build.NEWEST


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the clone, because setuptools writes files beside its input and packs old ones."""
    copy = tmp_path_factory.mktemp("copy")
    for path in ROOT.iterdir():
        if path.is_file() and path.name != ".git":
            shutil.copy(path, copy / path.name)
    for folder in (*FOLDERS, ".ci", "docs", "examples", "tests"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def files_in(folder: Path, *parts: str) -> set[str]:
    return {
        str(file.relative_to(folder))
        for part in parts
        for file in (folder / part).rglob("*")
        if file.is_file()
    }


@pytest.fixture(scope="module")
def source_distribution(copy: Path) -> Path:
    everything = files_in(copy, ".")
    code = "import sys, setuptools.build_meta as b; b.build_sdist(sys.argv[1])"
    subprocess.run([sys.executable, "-c", code, "dist"], cwd=copy, check=True, capture_output=True)
    (archive,) = (copy / "dist").glob("*.tar.gz")
    with tarfile.open(archive) as file:
        file.extractall(copy / "dist", filter="data")
    (folder,) = (copy / "dist").glob("*/")
    assert everything <= files_in(folder, "."), sorted(everything - files_in(folder, "."))
    strangers = files_in(folder, ".") - everything
    assert {name for name in strangers if ".egg-info/" not in name} == {"PKG-INFO", "setup.cfg"}
    return folder


@pytest.fixture(scope="module")
def wheel(source_distribution: Path) -> Path:
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-build-isolation", "--no-deps",
         "--wheel-dir", source_distribution.parent, source_distribution],
        check=True,
    )
    (made,) = source_distribution.parent.glob("*.whl")
    return made


@pytest.mark.slow
def test_wheel_carries_the_data_files(copy: Path, wheel: Path) -> None:
    inside = set(zipfile.ZipFile(wheel).namelist())
    expected = {
        f"lambent/{name}".replace("lang/package/", "")
        for name in files_in(copy, *FOLDERS)
        if name.endswith((*DATA, ".py"))
    }
    expected |= {f"lambent/{name}" for name in files_in(copy, "examples")}
    assert expected <= inside, sorted(expected - inside)
    strangers = {name for name in inside if not name.startswith(("lambent/", "lambent-"))}
    assert not strangers, "nothing outside lambent/ goes to site-packages"


def install(wheel: Path, folder: Path) -> Path:
    """Install the wheel alone, in a new environment, beside this one's packages that it needs."""
    for command in (["venv", "--without-pip", folder / "venv"],
                    ["pip", "--python", folder / "venv", "install", "--quiet", "--no-deps",
                     wheel]):
        subprocess.run([sys.executable, "-m", *command], check=True)
    (site,) = (folder / "venv").glob("lib/python3*/site-packages")
    for name in ("lark", "cffi", "torch"):
        spec = importlib.util.find_spec(name)
        if spec and spec.submodule_search_locations:
            (site / name).symlink_to(spec.submodule_search_locations[0])
    backend = importlib.util.find_spec("_cffi_backend")  # a file beside the package cffi
    assert backend is not None and backend.origin is not None
    (site / Path(backend.origin).name).symlink_to(backend.origin)
    return folder / "venv" / "bin" / "lambent"


@pytest.mark.slow
def test_what_is_installed_from_the_wheel_runs(wheel: Path, tmp_path: Path) -> None:
    """Nothing of this repository is on the path; other packages come from this environment."""
    lambent = install(wheel, tmp_path)
    program = tmp_path / "a.lisp"
    program.write_text("(print (map (lambda (x) (* x x)) '(1 2)))\n")

    def run(*command: str | Path) -> str:
        return subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=True
        ).stdout

    assert run(lambent, program) == "(1 4)\n"
    run(lambent, "compile", program, "-o", "a")
    assert run(tmp_path / "a") == "(1 4)\n"
    run(lambent, "examples", "-o", "copies")
    assert files_in(tmp_path, "copies") == {f"copies/{name.removeprefix('examples/')}"
                                            for name in files_in(ROOT, "examples")}
    assert run(lambent, "copies/hello.lisp") == run(lambent, ROOT / "examples/hello.lisp")
    compared = subprocess.run([lambent, "bench", ".", "--compare"], capture_output=True, text=True)
    assert (compared.returncode, compared.stdout, compared.stderr) == (
        64, "", "lambent: bench --compare runs only in a checkout of Lambent\n"
        "hint: lambent bench FOLDER measures Lambent alone\n")


@pytest.mark.slow
def test_a_wheel_with_ctorch_needs_no_compiler(wheel: Path, tmp_path: Path) -> None:
    """Tensors and tokenizers are available at once; nothing is built, no library analysed."""
    made = subprocess.run(
        [sys.executable, "-m", "lambent.lang.bundle.wheel", wheel, tmp_path], check=True,
        capture_output=True, text=True,
    ).stdout.strip()
    assert re.fullmatch(r"lambent-\S+-(cp\d+)-\1-linux_\w+\.whl", Path(made).name)
    lambent = install(Path(made), tmp_path)
    program = tmp_path / "a.lisp"
    program.write_text("(print (tensor-sum (tensor '(1.5 2.5))))\n"
                       "(print (encode (sentencepiece-tokenizer '(\"<unk>\" \"▁\" \"a\")"
                       " '(0 -1 -2) '(2 1 1)) \"a a\"))\n", "utf-8")
    env = {"PATH": "/nowhere", "CC": "", "CXX": "", "LAMBENT_CACHE": str(tmp_path / "cache")}

    def run(*words: str | Path) -> tuple[str, str]:
        done = subprocess.run([lambent.with_name("python"), "-m", "lambent.lang", *words],
                              cwd=tmp_path, env=env, capture_output=True, text=True)
        return done.stdout, done.stderr

    blind = ("import sys; from lambent.lang.core.modules import library as l; l._analysed = None; "
             "l.load_library = None; from lambent.lang.interp.run import run_file, NATIVE; "
             "sys.exit(run_file(sys.argv[1], []) if NATIVE else 9)")
    command = [lambent.with_name("python"), "-c", blind, program]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "4.0\n(1 2 1 2)\n", "")
    assert run(program) == ("4.0\n(1 2 1 2)\n", "")
    said, _ = run("doctor")
    carried = tmp_path.resolve() / "venv"
    assert re.search(rf"^ok       ctorch        {carried}/\S+/lambent/built/ctorch/2", said, re.M)
    assert not (tmp_path / "cache/ctorch").exists()


@pytest.mark.slow
def test_a_wheel_for_another_torch_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = build.find_torch()
    monkeypatch.setattr(build, "CARRIED", tmp_path / "lambent" / "built")
    other = tmp_path / "lambent/built/ctorch" / build.carried_name(torch)
    shutil.copytree(build.built(), other)
    (tmp_path / "torch").mkdir()
    assert build._carried(torch) is None  # LibTorch would not be found from there
    (tmp_path / "torch").rmdir()
    (tmp_path / "torch").symlink_to(torch.folder)
    assert build._carried(torch) == other
    assert build._carried(build.Torch(torch.folder, "2.14.0")) is None
    with (other / build.LIBRARY).open("r+b") as file:
        file.truncate(1000)
    assert build._carried(torch) is None
