"""The header with the opcodes is that which the emitter's table makes."""

from lambent.lang.evaluator.opcodes import header
from tests.support.paths import ROOT


def test_header_has_opcodes() -> None:
    path = ROOT / "lang/evaluator/machine/opcodes.h"
    assert path.read_text() == header()
