"""The library's Core is kept on disk unchanged, and a damaged file is not used."""

from pathlib import Path

import pytest

from lambent.lang.core.denotation import Macro
from lambent.lang.core.ir import Define, Global
from lambent.lang.core.modules import cached_library, library
from lambent.lang.core.modules.library import library_definition, load_library
from lambent.lang.core.traverse import walk


def test_cached_library_equals_the_analysed_one() -> None:
    for form in load_library().forms:
        assert isinstance(form, Define)
        kept = library_definition(form.name)
        assert repr(kept) == repr(form)  # compared as text, because a NaN is not equal to itself
        spans = [(node.span.location, node.span.text) for node in walk(kept)]
        assert spans == [(node.span.location, node.span.text) for node in walk(form)]


def test_damaged_cached_library_is_rebuilt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAMBENT_CACHE", str(tmp_path))
    made = []

    def make() -> cached_library.CachedLibrary:
        made.append(1)
        return cached_library.CachedLibrary(
            {"f": b"1"}, {"f": ("g",)}, {"list": ("f",)}, ("while",)
        )

    first = cached_library.cached_library(make)
    assert cached_library.cached_library(make) == first
    assert len(made) == 1
    [path] = (tmp_path / "core").iterdir()
    path.write_bytes(path.read_bytes()[:-1])
    assert cached_library.cached_library(make) == first
    assert len(made) == 2
    path.chmod(0o666)  # others could have written to it
    assert cached_library.cached_library(make) == first
    assert len(made) == 3
    for number, nothing in enumerate((b"", bytes(4), bytes(9))):  # files that a crash leaves
        path.write_bytes(nothing)
        assert cached_library.cached_library(make) == first
        assert len(made) == 4 + number


def test_names_are_uses() -> None:
    uses = library._cached().uses["assoc"]
    found = {node.name for node in walk(library_definition("assoc")) if isinstance(node, Global)}
    assert set(uses) == found - {"assoc"} | ({"assoc"} & set(uses))


def test_macros_mean_without_an_analysis_what_they_mean_in_the_library() -> None:
    macros, analysed = library._macro_scope("").names, library._library()[1].names
    for name, meaning in analysed.items():
        if isinstance(meaning, Macro):
            alone = macros[name]
            assert isinstance(alone, Macro)
            assert (alone.usage, alone.doc) == (meaning.usage, meaning.doc), name
        elif isinstance(name, str):
            assert macros[name] == meaning
