"""The families of cases, in the order in which they run."""

from tests.operators.specs import making, networks, numbers, pointwise, shapes

FAMILIES = (*pointwise.FAMILIES, *shapes.FAMILIES, *numbers.FAMILIES, *networks.FAMILIES,
            *making.FAMILIES)
