"""Every name in a hint exists.

The tests cover each row of the tables of foreign names, each public name of PyTorch's modules and
of numpy, and each call that a message in the sources shows.
"""

import re
from functools import cache

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none
from lambent.ctorch import operator_names
from lambent.lang.core.modules.library import LibraryMacros, library_names
from lambent.lang.core.names.foreign_names import foreign_table
from lambent.lang.core.names.python_habits import habits_table
from lambent.lang.core.names.pytorch_names import different_orders, pytorch_table
from lambent.lang.core.scope import SPECIAL_FORMS, Env, Unit, unbound_hint
from lambent.lang.passes import program_scope
from lambent.lang.primitives.library import TABLE
from lambent.lang.syntax.datum import Symbol
from lambent.lang.syntax.source import Source, Span
from tests.support.paths import ROOT

# Words after a bracket in a hint that are not calls: clauses, bindings, names of the program.
NOT_CALLS = frozenset(
    ["x", "a", "f", "g", "i", "n", "test", "else", "loop", "make-point", "point-x", "e", "y",
     "form", "srfi", "port"]
)


@cache
def here() -> frozenset[str]:
    known = (*operator_names(), *library_names(), *TABLE, *SPECIAL_FORMS, *LibraryMacros())
    return frozenset([*known, "t", "import", "range"])


@cache
def env() -> Env:
    return Env(Unit(program_scope(Source("hints.lisp", ""))))


def hint_of(name: str) -> str | None:
    """The hint for a name, None for one that exists."""
    return None if name in here() else unbound_hint(symbol(name), env())


def symbol(name: str) -> Symbol:
    return Symbol(name, Span(Source("hints.lisp", name), 0, len(name)))


def unknown_in(text: str) -> list[str]:
    """The names in a hint that do not exist."""
    meant = re.findall(r"did you mean (\S+)\?", text)
    called = re.findall(r"\(([a-z][\w>!?*/<=-]*)", text)
    operators = re.findall(r"(?<![\w-])tensor-[\w:-]*\w[!?]?", text)
    known = here() | NOT_CALLS
    named = [name for name in (*meant, *called, *operators) if name not in known]
    return [name for name in named if name.removesuffix("?") not in known]  # or of a question


def test_hint_tables_name_existing_procedures() -> None:
    for table in (pytorch_table(), different_orders(), foreign_table(), habits_table()):
        for name, text in table.items():
            assert unknown_in(text) == [], f"{name} = {text}"


FOREIGN = """
    printf format! assert-equal void add1 sub1 when-let nil setq setf defun defvar mapcar println
    progn fn rest empty? for/list string-format str list* incf push pop dolist loop len dict set
    np.array np.concatenate json.loads funcall gethash nth aref elt zerop evenp consp unwind-protect
    try catch throw while-loop displayln foldl foldr bitwise-or logand regexp-match defstruct struct
    null null? eq equals list-sort! hash-table/get vector-push for foreach let-when return
    torch.optim.Adam torch.nn.utils.clip_grad_norm_ torch.utils.data.DataLoader nn.Conv2d nn.LSTM
    torch.nn.LSTM Conv2d Adam DataLoader clip_grad_norm_ nn.Foo torch.hub.load torch.optim.Foo
    torch.compile np.dot np.linalg.norm torch.linalg.svd F.softmax tensor_add Tensor.add_
    optim.lr_scheduler.StepLR shape item slice float32 adam load-pt with-no-grad make-hash .float
    .shape AutoTokenizer.from_pretrained pipeline { dim=1 self.up
""".split()  # noqa: SIM905 - a list that people read
NOTHING = frozenset(["while-loop"])  # names without a counterpart


@pytest.mark.parametrize("name", FOREIGN)
def test_names_of_other_languages_get_a_hint(name: str) -> None:
    hint = hint_of(name)
    assert hint is not None or name in here() | NOTHING
    assert unknown_in(hint or "") == []


@pytest.mark.parametrize(("name", "call"), [
    ("w.shape", "(tensor-shape w)"), ("w.item", "(tensor-item w)"), (".float", "(tensor-float x)"),
    ("w.grad", "(tensor-grad w)"), ("w.index_add_", "(tensor-index-add! w)"),
])
def test_methods_of_a_variable_get_a_hint(name: str, call: str) -> None:
    inner = env().bind([symbol("w")])[0]
    assert unbound_hint(symbol(name), inner) == f"write {call}"
    assert unbound_hint(symbol("v.frob"), inner) is None


@pytest.mark.parametrize(("name", "hint"), [
    ("loss.backward", "write (backward loss)"),
    ("opt.step", "write (optimizer-step opt), or (schedule-step! opt) for a schedule"),
    ("model.eval", "write (eval-mode! model)"),
    ("dim=1", "write (define dim 1) for a variable, :dim 1 for a keyword argument"),
    ("max_tokens=", "write (define max_tokens value) for a variable, "
                    ":max-tokens value for a keyword argument"),
    ("self.up", "write up: the fields of a module are variables in forward"),
    ("np.append", "write (tensor-cat (list a b) 0)"), ("x==3", None),
])
def test_habits_of_python_get_a_hint(name: str, hint: str | None) -> None:
    assert hint_of(name) == hint


def test_bitwise_or_is_the_inclusive_one() -> None:
    assert "bitwise-ior" in (hint_of("bitwise-or") or "")


def test_every_class_of_pytorch_modules_gets_a_hint() -> None:
    torch = pytest.importorskip("torch")
    spaces = {
        "nn": torch.nn, "torch.nn": torch.nn, "optim": torch.optim, "torch.optim": torch.optim,
    }
    for space, module in spaces.items():
        for name in dir(module):
            if name[0].isupper():
                hint = hint_of(f"{space}.{name}")
                assert hint, f"{space}.{name}"
                assert unknown_in(hint) == [], f"{space}.{name}: {hint}"


def test_hints_for_python_names_exist(all_random: bool) -> None:
    torch, numpy = pytest.importorskip("torch"), pytest.importorskip("numpy")
    spaces = {
        "torch": torch, "F": torch.nn.functional, "torch.nn.utils": torch.nn.utils,
        "torch.utils.data": torch.utils.data, "torch.cuda": torch.cuda,
        "torch.linalg": torch.linalg,
        "torch.distributions": torch.distributions, "torch.autograd": torch.autograd,
        "np": numpy, "np.linalg": numpy.linalg, "np.random": numpy.random,
    }
    for space, module in spaces.items():
        names = [name for name in dir(module) if not name.startswith("_")]
        for name in names[:: 1 if all_random else 4]:
            hint = hint_of(f"{space}.{name}")
            assert unknown_in(hint or "") == [], f"{space}.{name}: {hint}"


def literals() -> list[tuple[str, str]]:
    """Texts in the sources that show a call of an operator, with the files they are in."""
    found = []
    for pattern in ("lang/**/*.py", "ctorch/**/*.cpp", "ctorch/**/*.c", "runtime/**/*.c",
                    "stdlib/**/*.lisp"):
        for path in sorted(ROOT.glob(pattern)):
            for text in re.findall(r'"((?:[^"\\\n]|\\.)*)"', path.read_text(encoding="utf-8")):
                if re.search(r"\(tensor-\w", text) or "hint" in text:
                    found.append((str(path.relative_to(ROOT)), text))
    return found


def test_calls_in_messages_exist() -> None:
    assert len(literals()) > 50
    wrong = []
    for path, text in literals():
        names = re.findall(r"\((tensor-[\w-]+[!?]?)(?![\w-]*[{\"%])", text)
        wrong += [(path, name) for name in names if name not in here()]
    assert wrong == []
