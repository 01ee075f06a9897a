"""Effects: what an operation may do besides computing its result, as one record.

    Effects.parse("reads pair, writes pair, fails")       set-car!
    Effects.parse("allocates numbers, computes with tensors, fails")       +

Each primitive declares its record with its signature, each operator of LibTorch gets one from the
alias marks of its schemas (`operator_effects.py`), and `compile/ir/operation_effects.py` has those
of the other operations of the IR.  Passes and checks ask these records; nothing is concluded from a
name.  `tests/suites/compile/test_effects.py` proves the records of the runtime's functions from
their C.

A record is an upper bound: what it does not mention cannot happen.  A declaration without a record
has `ANYTHING`.
"""

from enum import Flag, auto
from functools import cache

from lambent.lang.system.dataclass import dataclass, replace


class Memory(Flag):
    """What programs can change, and see changed."""

    __hash__ = object.__hash__  # Enum has one in Python, which takes long

    PAIR = auto()
    VECTOR = auto()
    STRING = auto()
    BYTEVECTOR = auto()
    CELL = auto()  # a variable that is captured and assigned
    TABLE = auto()  # a hash table
    RECORD = auto()
    CONDITION = auto()  # an error object, or a caught failure
    TENSOR = auto()  # the elements of tensors, their gradients, and what is recorded for these
    GLOBAL = auto()  # a top-level variable
    PORT = auto()  # ports, files, and the terminal
    DYNAMIC = auto()  # the dynamic state: parameters
    STATE = auto()  # of the process: time, the environment, LibTorch's settings
    RANDOM = auto()  # the generators of random numbers


class Allocation(Flag):
    """What an operation may allocate, apart from the text of an error."""

    __hash__ = object.__hash__  # Enum has one in Python, which takes long

    NUMBERS = auto()  # numbers that do not fit a word: a few words each, unless they are large
    MEMORY = auto()  # what is not an object: text under construction, the rows of a hash table
    OBJECTS = auto()  # all other objects, and tensors


NOTHING = Memory(0)
EVERYTHING = ~NOTHING
NO_ALLOCATION = Allocation(0)
ANY_ALLOCATION = ~NO_ALLOCATION
# The objects that hold others: what is read from them may be borrowed.
CONTAINERS = Memory.PAIR | Memory.VECTOR | Memory.RECORD


@dataclass(frozen=True, slots=True)
class Effects:
    """may_call: it may call procedures of the program.  on_tensors: it computes with tensors, too:
    of a tensor it returns a new one.  Such operations have further effects in programs that use
    tensors."""

    reads: Memory = EVERYTHING
    writes: Memory = EVERYTHING
    allocates: Allocation = ANY_ALLOCATION
    may_fail: bool = True
    may_call: bool = True
    never_returns: bool = False
    on_tensors: bool = False

    def __str__(self) -> str:
        if self == ANYTHING:
            return "anything"
        phrases = [_phrase("reads", self.reads, EVERYTHING)]
        phrases.append(_phrase("writes", self.writes, EVERYTHING))
        phrases.append(_phrase("allocates", self.allocates, ANY_ALLOCATION))
        phrases += [
            _ON_TENSORS if self.on_tensors else "",
            "fails" if self.may_fail else "",
            "calls" if self.may_call else "",
            _NEVER_RETURNS if self.never_returns else "",
        ]
        return ", ".join([phrase for phrase in phrases if phrase])

    def __or__(self, other: "Effects") -> "Effects":
        """The effects of either."""
        return Effects(
            self.reads | other.reads,
            self.writes | other.writes,
            self.allocates | other.allocates,
            self.may_fail or other.may_fail,
            self.may_call or other.may_call,
            self.never_returns and other.never_returns,
            self.on_tensors or other.on_tensors,
        )

    def in_program(self, *, tensors: bool) -> "Effects":
        """The effects in a program that uses tensors, or does not."""
        return _with_tensors(self) if self.on_tensors and tensors else self

    @property
    def is_pure(self) -> bool:
        """Whether a call whose result is not used may be left out."""
        return not (self.may_fail or self.may_call or self.never_returns or self.writes)

    @staticmethod
    def parse(text: str) -> "Effects":
        """The record of a text such as `reads pair, fails`.  The empty text has no effects."""
        effects = _parse(text)
        assert str(effects) == text, f"{effects} != {text}"
        return effects


NO_EFFECTS = Effects(NOTHING, NOTHING, NO_ALLOCATION, may_fail=False, may_call=False)
ANYTHING = Effects()


@cache
def _with_tensors(effects: Effects) -> Effects:
    reads = effects.reads | Memory.TENSOR
    return replace(effects, reads=reads, allocates=effects.allocates | Allocation.OBJECTS)


_ON_TENSORS = "computes with tensors"
_NEVER_RETURNS = "never returns"


def _phrase(verb: str, found: Flag, everything: Flag) -> str:
    if not found:
        return ""
    words = "anything" if found == everything else " ".join(_words(found))
    return f"{verb} {words}"


def _words(found: Flag) -> list[str]:
    return [member.name.lower() for member in type(found) if member in found and member.name]


@cache
def _parse(text: str) -> Effects:
    if text == "anything":
        return ANYTHING
    effects = NO_EFFECTS
    for phrase in text.split(", ") if text else []:
        verb, *words = phrase.split(" ")
        match verb:
            case "reads":
                effects = replace(effects, reads=_memory(words))
            case "writes":
                effects = replace(effects, writes=_memory(words))
            case "allocates":
                effects = replace(effects, allocates=_allocation(words))
            case "fails":
                effects = replace(effects, may_fail=True)
            case "calls":
                effects = replace(effects, may_call=True)
            case _:
                assert phrase in (_ON_TENSORS, _NEVER_RETURNS), phrase
                if phrase == _ON_TENSORS:
                    effects = replace(effects, on_tensors=True)
                else:
                    effects = replace(effects, never_returns=True)
    return effects


def _memory(words: list[str]) -> Memory:
    found = NOTHING
    for word in words:
        found |= EVERYTHING if word == "anything" else Memory[word.upper()]
    return found


def _allocation(words: list[str]) -> Allocation:
    found = NO_ALLOCATION
    for word in words:
        found |= ANY_ALLOCATION if word == "anything" else Allocation[word.upper()]
    return found


__all__ = [
    "ANYTHING",
    "ANY_ALLOCATION",
    "CONTAINERS",
    "EVERYTHING",
    "NOTHING",
    "NO_EFFECTS",
    "Allocation",
    "Effects",
    "Memory",
]
