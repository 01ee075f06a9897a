"""The table of docs/architectures.md has a row for each decoder that the library knows."""

import pytest

from tests.suites.decoders.architectures_table import BEGIN, END, PAGE, known_decoders, rounded_up


def test_the_page_names_all() -> None:
    part = PAGE.read_text("utf-8").split(BEGIN)[1].split(END)[0]
    rows = [line.split(" | ")[:3] for line in part.splitlines() if line.startswith("| `")][1:]
    assert rows == [[f"| `{kind}`", f"`{made}`", f"`{file}`"]
                    for kind, made, file in known_decoders()]


@pytest.mark.parametrize(("number", "text"), [
    (3.4e-6, "4e-06"), (9.9e-6, "1e-05"), (0.012, "2e-02"), (0.0, "0e+00"),
])
def test_numbers_are_rounded_up(number: float, text: str) -> None:
    assert rounded_up(number) == text
