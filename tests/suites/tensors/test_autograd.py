"""Gradients, compared with those of torch.func for the same functions and tensors.

Python's torch is imported only by tests.  tests/programs/autograd_*.lisp tests that the back ends
agree; this module tests that both are right.
"""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

A = [[2.0, 0.5, -0.25], [0.5, 1.5, 0.75], [-0.25, 0.75, 3.0]]
X = [0.3, -1.2, 0.7]
V = [1.0, -2.0, 0.5]

PRELUDE = f"""
(define a (tensor '{A} :dtype 'float64))
(define x (tensor '{X} :dtype 'float64))
(define v (tensor '{V} :dtype 'float64))
(define (layer a x) (tanh (@ a x)))
(define (energy a x) (tensor-sum (square (layer a x))))
(define (wave x) (tensor-sum (* x x (sin x))))
(define soft-plus
  (custom-gradient (lambda (x) (log (+ 1 (exp x))))
                   (lambda (g x y) (* g (tensor-sigmoid x)))))
(define (say x)
  (cond ((tensor? x) (write (tensor->list x)))
        ((pair? x) (display "(") (for-each say x) (display ")"))
        (else (write x)))
  (newline))
""".replace("[", "(").replace("]", ")").replace(",", "")


def layer(a: Any, x: Any) -> Any:
    return torch.tanh(a @ x)


def energy(a: Any, x: Any) -> Any:
    return layer(a, x).square().sum()


def wave(x: Any) -> Any:
    return (x * x * torch.sin(x)).sum()


def soft_plus(x: Any) -> Any:
    return torch.nn.functional.softplus(x)


F = torch.func
ROWS: list[tuple[str, Callable[[Any, Any, Any], Any]]] = [
    ("((grad energy :argnum '(0 1)) a x)",
     lambda a, x, v: F.grad(energy, argnums=(0, 1))(a, x)),
    ("((value-and-grad energy :argnum 1) a x)",
     lambda a, x, v: F.grad_and_value(energy, argnums=1)(a, x)[::-1]),
    ("((jacobian layer :argnum '(0 1)) a x)",
     lambda a, x, v: F.jacrev(layer, argnums=(0, 1))(a, x)),
    ("((hessian energy :argnum '(0 1)) a x)",
     lambda a, x, v: F.hessian(energy, argnums=(0, 1))(a, x)),
    ("((hessian wave) x)", lambda a, x, v: F.hessian(wave)(x)),
    ("((jacobian (hessian wave)) x)", lambda a, x, v: F.jacrev(F.hessian(wave))(x)),
    ("((jacobian (lambda (x) (tensor-softmax x 0))) x)",
     lambda a, x, v: F.jacrev(lambda x: torch.softmax(x, 0))(x)),
    ("((grad tensor-logdet) a)", lambda a, x, v: F.grad(torch.logdet)(a)),
    ("((hessian tensor-logsumexp) x 0)",
     lambda a, x, v: F.hessian(lambda x: torch.logsumexp(x, 0))(x)),
    ("((hessian (lambda (x) (tensor-dot x (tensor-linalg-solve a x)))) x)",
     lambda a, x, v: F.hessian(lambda x: torch.dot(x, torch.linalg.solve(a, x)))(x)),
    ("((cadr (vjp layer a x)) v)", lambda a, x, v: F.vjp(layer, a, x)[1](v)),
    ("(jvp layer (list a x) (list (* a a) v))",
     lambda a, x, v: F.jvp(layer, (a, x), (a * a, v))),
    ("((grad (lambda (x) (tensor-dot x ((grad (lambda (y) (tensor-sum (sin (* x y))))) x)))) x)",
     lambda a, x, v: F.grad(
         lambda x: torch.dot(x, F.grad(lambda y: torch.sin(x * y).sum())(x)))(x)),
    ("((grad (lambda (x) (energy a ((grad wave) x)))) x)",
     lambda a, x, v: F.grad(lambda x: energy(a, F.grad(wave)(x)))(x)),
    ("((grad (lambda (t) (wave (* t x)))) 0.5)",
     lambda a, x, v: F.grad(lambda t: wave(t * x))(torch.tensor(0.5, dtype=torch.float64))),
    ("((hessian (lambda (x) (tensor-sum (soft-plus (* x v))))) x)",
     lambda a, x, v: F.hessian(lambda x: soft_plus(x * v).sum())(x)),
    ("((jacobian (lambda (x) (soft-plus (@ a x)))) x)",
     lambda a, x, v: F.jacrev(lambda x: soft_plus(a @ x))(x)),
]  # fmt: skip


def numbers_in(text: str) -> list[float]:
    return [float(word) for word in text.replace("(", " ").replace(")", " ").split()]


def flat(answer: Any) -> list[float]:
    if isinstance(answer, tuple | list):
        return [number for part in answer for number in flat(part)]
    return answer.reshape(-1).tolist()  # type: ignore[no-any-return]


def run(command: list[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> list[list[list[float]]]:
    """The numbers that the program prints for each row, as a script and as an executable."""
    program = tmp_path_factory.mktemp("autograd") / "gradients.lisp"
    calls = [f'(say {call}) (display "--")' for call, _ in ROWS]
    program.write_text("\n".join([PRELUDE, *calls]))
    lambent = [sys.executable, "-m", "lambent.lang"]
    run([*lambent, "compile", str(program), "-o", str(program.with_suffix(""))])
    texts = [run([*lambent, str(program)]), run([str(program.with_suffix(""))])]
    return [[numbers_in(part) for part in text.split("--")] for text in texts]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("row", range(len(ROWS)), ids=[call for call, _ in ROWS])
def test_gradients_agree_with_torch(answers: list[list[list[float]]], row: int) -> None:
    tensors = [torch.tensor(data, dtype=torch.float64) for data in (A, X, V)]
    expected = flat(ROWS[row][1](*tensors))
    for said in answers:
        assert said[row] == pytest.approx(expected, rel=1e-10, abs=1e-12)

