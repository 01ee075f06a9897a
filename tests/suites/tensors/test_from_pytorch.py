"""Every public name of PyTorch exists, or a hint names its counterpart.

The page docs/from-pytorch.md lists them; tests/operators compares the results of the functions.
"""

import pytest

from lambent.ctorch import operator_names
from lambent.lang.core.modules.library import LibraryMacros, library_names
from lambent.lang.core.names.pytorch_names import advice, different_orders, pytorch_table
from lambent.lang.primitives.library import TABLE
from tests.support import from_pytorch
from tests.support.absent_operators import absent_operators
from tests.support.paths import DOCS

PAGE = DOCS / "from-pytorch.md"


def test_every_public_function_exists_or_is_explained() -> None:
    missing = [
        name
        for name in from_pytorch.public_names()
        if not from_pytorch.entry_of(name).here
        # PyTorch keeps the name of what LibTorch has no more, as ours the error about versions.
        and name.rpartition(".")[2] not in absent_operators()
    ]
    assert missing == []


def test_advice_never_hides_an_existing_name() -> None:
    """An operator that is hidden by an advice could not be called."""
    for name in operator_names():
        assert advice(name) is None or name in library_names() or name in TABLE, name


def test_named_procedures_exist() -> None:
    here = {*operator_names(), *library_names(), *LibraryMacros(), *TABLE}
    for text in [*pytorch_table().values(), *different_orders().values()]:
        for name in from_pytorch.procedures_in(text):
            assert name in here, f"{name} in: {text}"


def test_the_page_is_current() -> None:
    text, page = PAGE.read_text(encoding="utf-8"), from_pytorch.page()
    if text.split("\n", 1)[0] != page.split("\n", 1)[0]:
        pytest.skip("the page is of another version of PyTorch")
    assert text == page, "run `make docs`"
