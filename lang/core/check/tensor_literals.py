"""The shape of tensor expressions, as far as the text determines it.

    [[1 2] [3 4]]  =>  Grid((2, 2), 1 2 3 4)
    [[1 2] x]      =>  Grid((2,), Grid((2,), 1 2) x): the elements are stacked at run time
    [[1 2] [3]]    =>  SyntaxFault at [3]
"""

from lambent.lang.errors import SyntaxFault
from lambent.lang.syntax.datum import Boolean, Brackets, Datum, Number
from lambent.lang.system.dataclass import dataclass

_MOST_DIMENSIONS = 64  # LibTorch's own limit


@dataclass(frozen=True, slots=True)
class Grid:
    """A regular block of expressions in row-major order."""

    shape: tuple[int, ...]
    elements: "tuple[Datum | Grid, ...]"


@dataclass(frozen=True, slots=True)
class _Sizes:
    """first: the sizes that the text says.  open: more may follow at run time."""

    first: tuple[int, ...]
    open: bool

    def fits(self, other: "_Sizes") -> bool:
        shorter, longer = sorted((self, other), key=lambda each: len(each.first))
        same = longer.first[: len(shorter.first)] == shorter.first
        return same and (shorter.open or len(shorter.first) == len(longer.first))


def grid(brackets: Brackets) -> Grid:
    """The block of a tensor expression; a SyntaxFault if it is ragged."""
    _sizes(brackets)
    return _grid(brackets)


def _grid(brackets: Brackets) -> Grid:
    rows = [item for item in brackets.items if isinstance(item, Brackets)]
    grids = [_grid(row) for row in rows]
    count = len(brackets.items)
    if rows and len(rows) == count and len({block.shape for block in grids}) == 1:
        elements = tuple([element for block in grids for element in block.elements])
        return Grid((count, *grids[0].shape), elements)
    blocks = iter(grids)
    return Grid(
        (count,),
        tuple([next(blocks) if isinstance(i, Brackets) else i for i in brackets.items]),
    )


def _sizes(datum: Datum, outer: int = 0) -> _Sizes:
    """outer: how many brackets there are around it."""
    match datum:
        case Brackets(_, span) if outer == _MOST_DIMENSIONS:
            raise SyntaxFault(f"a tensor has at most {_MOST_DIMENSIONS} dimensions", span)
        case Brackets(items):
            return _sizes_of_rows(items, outer + 1)
        case Number() | Boolean():
            return _Sizes((), open=False)
    return _Sizes((), open=True)


def _sizes_of_rows(items: tuple[Datum, ...], outer: int) -> _Sizes:
    best = _Sizes((), open=True)
    for item in items:
        sizes = _sizes(item, outer)
        if not sizes.fits(best):
            raise SyntaxFault(
                f"ragged tensor literal: expected {_noun(best)}, got {_noun(sizes)}", item.span
            )
        if len(sizes.first) > len(best.first) or not sizes.open:
            best = sizes
    if not items:
        return _Sizes((0,), open=False)
    return _Sizes((len(items), *best.first), best.open)


def _noun(sizes: _Sizes) -> str:
    """`a number`, `a row of 2`, `a block of (2 3)`."""
    match sizes.first:
        case ():
            return "a number"
        case (length,):
            return f"a row of {length}"
        case lengths:
            return f"a block of ({' '.join(map(str, lengths))})"
