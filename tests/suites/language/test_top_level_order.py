"""A file means what its forms mean one by one: random definitions of macros and variables.

Session and file share their analysis of single forms, so a difference is in how a file's forms
see each other, and in what `eval` sees.
"""

import contextlib
import io
import random
from collections.abc import Iterator

import pytest

from lambent.lang.interp.repl.session import Session
from lambent.lang.interp.run import run_text
from lambent.lang.syntax.source import Source

_NAMES = ("if", "alpha", "beta", "unless", "gamma")


def _program(rng: random.Random) -> list[str]:
    """Definitions of a few names as macros and as procedures, and uses of them in between."""
    forms: list[str] = []
    users: list[str] = []
    for number in range(24):
        name = rng.choice(_NAMES)
        match rng.randrange(8):
            case 0:
                rules = f"(syntax-rules () ((_ a b c) (vector 'syntax{number} a b c)))"
                forms.append(f"(define-syntax {name} {rules})")
            case 1:
                forms.append(f"(defmacro {name} (a b c) `(vector 'macro{number} ,a ,b ,c))")
            case 2:
                forms.append(f"(define ({name} a b c) (vector 'procedure{number} a b c))")
            case 3:
                other = _NAMES[_NAMES.index(name) - 1] if name != _NAMES[0] else "vector"
                rules = f"(syntax-rules () ((_ a b c) ({other} a b c)))"
                forms.append(f"(define-syntax {name} {rules})")
            case 4:
                forms.append(f"(define (clause{number}) (cond (#f 1) (else 2)))")
                users.append(f"clause{number}")
            case 5 if rng.random() < 0.2:
                forms.append("(define else #f)")
            case _:
                forms.append(f"(define (user{number}) ({name} 1 2 3))")
                users.append(f"user{number}")
        if rng.random() < 0.3:
            forms.append(f"(define (late{number}) (eval '({rng.choice(_NAMES)} 1 2 3)))")
            users.append(f"late{number}")
        if users:
            forms.append(f"(print (guard (e (#t 'failed)) ({rng.choice(users)})))")
    return forms


@contextlib.contextmanager
def _printed() -> Iterator[io.StringIO]:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        yield out


@pytest.mark.parametrize("seed", range(40))
def test_a_file_means_what_a_session_means(seed: int) -> None:
    forms = _program(random.Random(seed))
    with _printed() as session_out:
        session = Session(print)
        for form in forms:
            session.evaluate(Source("session", form))
    with _printed() as file_out:
        assert run_text("\n".join([*forms, "(print)"]), "file") == 0
    assert file_out.getvalue() == session_out.getvalue() + "\n", "\n".join(forms)
