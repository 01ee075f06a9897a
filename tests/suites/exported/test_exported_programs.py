"""Packages of torch.export, .pt2: loaded and called as Python calls them, on both back ends.

Python exports the modules of exported_models.py, and calls what it has exported; a program loads
the packages, calls them with the same arguments, and saves what they return.
"""

import copy
import json
import zipfile
from pathlib import Path
from random import Random
from typing import Any

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from safetensors.torch import load_file, save_file  # noqa: E402
from torch.export.pt2_archive._package import package_pt2  # noqa: E402

from tests.suites.exported.exported_models import Row, rows  # noqa: E402
from tests.support.ctorch_calls import FailedError, procedure  # noqa: E402
from tests.support.programs_run import command_of, run  # noqa: E402

# PyTorch warns of what tests want, such as weights that are views, and of itself.
pytestmark = pytest.mark.filterwarnings("ignore")

_PROGRAM = """
(define results '())
(define (save! name x)
  (cond ((tensor? x) (set! results (cons (cons name x) results)))
        ((hash-table? x)
         (for-each (lambda (key) (save! (string name "." key) (hash-ref x key))) (hash-keys x)))
        ((list? x)
         (let loop ((k 0) (x x))
           (unless (null? x)
             (save! (string name "." k) (car x))
             (loop (+ k 1) (cdr x)))))
        (else (print name x))))
(define given (load-tensors "given.safetensors"))
(define (the name) (hash-ref given name))
%s
(save-tensors "out.safetensors" results)
"""


def _lisp(value: Any, name: str, tensors: dict[str, Any]) -> str:
    """The value as Lisp text; its tensors are in a file."""
    match value:
        case torch.Tensor():
            tensors[name] = value.clone()
            return f'(the "{name}")'
        case dict():
            items = (f'"{key}" {_lisp(x, f"{name}.{key}", tensors)}' for key, x in value.items())
            return f"(make-table {' '.join(items)})"
        case tuple() | list():
            items = (_lisp(x, f"{name}.{k}", tensors) for k, x in enumerate(value))
            return f"(list {' '.join(items)})"
        case _:
            return repr(value)


def _flat(value: Any, name: str, tensors: dict[str, Any], others: list[str]) -> None:
    match value:
        case torch.Tensor():
            tensors[name] = value.detach()
        case None:
            others.append(f"{name} #f")
        case int() | float():
            others.append(f"{name} {value}")
        case tuple() | list():
            for k, x in enumerate(value):
                _flat(x, f"{name}.{k}", tensors, others)
        case _:
            for key, x in value.items():
                _flat(x, f"{name}.{key}", tensors, others)


def _call(name: str, row: Row, tensors: dict[str, Any]) -> str:
    arguments = [_lisp(x, f"{name}.{k}", tensors) for k, x in enumerate(row.called_with)]
    keywords = [f":{key} {value!r}" for key, value in row.keywords.items()]
    return f"""
(let ((m (load-module "{name}.pt2")))
  (save! "{name}" (call-module m {" ".join([*arguments, *keywords])}))
  (save! "{name}-buffers" (map cdr (module-buffers m))))"""


_TABLE = """
(define (make-table . entries)
  (let ((table (make-hash-table)))
    (let loop ((entries entries))
      (unless (null? entries)
        (hash-set! table (car entries) (cadr entries))
        (loop (cddr entries))))
    table))
"""


def test_models(back_end: str, tmp_path: Path) -> None:
    given: dict[str, Any] = {}
    expected: dict[str, Any] = {}
    others: list[str] = []
    calls = []
    for name, row in rows().items():
        program = row.program()
        torch.export.save(program, tmp_path / f"{name}.pt2")
        calls.append(_call(name, row, given))
        module = program.module()
        result = module(*copy.deepcopy(row.called_with), **row.keywords)
        _flat(result, name, expected, others)
        buffers = [tensor for key, tensor in module.named_buffers() if "constant" not in key]
        for k, buffer in enumerate(buffers):
            expected[f"{name}-buffers.{k}"] = buffer
    save_file({key: x.contiguous() for key, x in given.items()}, tmp_path / "given.safetensors")
    text = _TABLE + _PROGRAM % "\n".join(calls)
    outcome = run(command_of(text, back_end, tmp_path), tmp_path)
    assert (outcome.status, outcome.errors, outcome.leaks) == (0, "", ""), outcome
    assert sorted(outcome.output.splitlines()) == sorted(others)
    found = load_file(tmp_path / "out.safetensors")
    missing = {key for key in expected if "-buffers" not in key} - set(found)
    assert missing == set()
    for key, tensor in found.items():
        if key not in expected:
            continue
        wanted = expected[key]
        assert (tensor.dtype, tensor.shape) == (wanted.dtype, wanted.shape), key
        torch.testing.assert_close(tensor, wanted, rtol=1e-5, atol=1e-6, msg=key)


_TRAINING = """
(define m (load-module "net.pt2"))
(define given (load-tensors "given.safetensors"))
(define x (hash-ref given "x"))
(define y (hash-ref given "y"))
(print (map car (module-parameters m)))
(define optimizer (sgd (map cdr (module-parameters m)) :lr 0.1))
(define (loss) (tensor-mean (tensor-square (hash-ref (call-module m x y) "sum"))))
(define first (tensor-item (loss)))
(dotimes (k 10) (zero-grad optimizer) (backward (loss)) (optimizer-step optimizer))
(save-tensors "out.safetensors" (module-parameters m))
(print m (exported-program? m) (torchscript-module? m) (module-methods m))
"""


def test_training(back_end: str, tmp_path: Path) -> None:
    row = rows()["net"]
    program = row.program()
    torch.export.save(program, tmp_path / "net.pt2")
    x, y = row.called_with
    save_file({"x": x, "y": y}, tmp_path / "given.safetensors")
    outcome = run(command_of(_TRAINING, back_end, tmp_path), tmp_path)
    names = [name for name, _ in program.named_parameters()]
    assert outcome.output.splitlines() == [
        f"({' '.join(names)})", '#<exported-program model> #t #f (model)'
    ], outcome
    module = program.module()
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    for _ in range(10):
        optimizer.zero_grad()
        module(x, y, scale=2.0)["sum"].square().mean().backward()
        optimizer.step()
    found = load_file(tmp_path / "out.safetensors")
    for name, parameter in module.named_parameters():
        torch.testing.assert_close(found[name], parameter.detach(), rtol=1e-5, atol=1e-6)


_SEVERAL = """
(define m (load-module "two.pt2"))
(print m (module-methods m))
(print (call-module-method m "small" [[1. 2. 3. 4.]]))
(print (map car (module-parameters m)))
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(print (message (lambda () (call-module m [[1. 2. 3. 4.]]))))
(print (message (lambda () (call-module-method m "third" 1))))
"""


def test_several_models(back_end: str, tmp_path: Path) -> None:
    torch.manual_seed(1)
    large, small = torch.nn.Linear(4, 8), torch.nn.Linear(4, 1)
    small.weight.data.fill_(1.0)
    small.bias.data.fill_(0.5)
    x = torch.randn(1, 4)
    package_pt2(
        str(tmp_path / "two.pt2"),
        exported_programs={"large": torch.export.export(large, (x,)),
                           "small": torch.export.export(small, (x,))})
    outcome = run(command_of(_SEVERAL, back_end, tmp_path), tmp_path)
    assert outcome.output.splitlines() == [
        "#<exported-program large and 1 more> (large small)", "[[10.5]]",
        "(large.weight large.bias small.weight small.bias)",
        'call-module: the package has no model "forward"',
        'call-module-method: the package has no model "third"',
    ], outcome


_COMPILED = """
(define m (load-module "net.pt2"))
(define given (load-tensors "given.safetensors"))
(define result (call-module m (hash-ref given "x") (hash-ref given "y") :scale 2.0))
(save-tensors "out.safetensors"
              (list (cons "sum" (hash-ref result "sum"))
                    (cons "right" (cadr (hash-ref result "parts")))))
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(print (message (lambda () (module-parameters m))))
(print (message (lambda () (call-module m (hash-ref given "x")))))
"""


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package of AOTInductor, which takes a minute to compile."""
    from torch._inductor import aoti_compile_and_package

    folder = tmp_path_factory.mktemp("compiled")
    row = rows()["net"]
    program = row.program()
    aoti_compile_and_package(program, package_path=str(folder / "net.pt2"))
    x, y = row.called_with
    save_file({"x": x, "y": y}, folder / "given.safetensors")
    result = program.module()(x, y, scale=2.0)
    save_file({"sum": result["sum"].detach().contiguous(),
               "right": result["parts"][1].detach().contiguous()}, folder / "expected.safetensors")
    return folder


def test_compiled_models(back_end: str, compiled: Path) -> None:
    outcome = run(command_of(_COMPILED, back_end, compiled), compiled)
    assert (outcome.status, outcome.errors, outcome.leaks) == (0, "", ""), outcome
    assert outcome.output.splitlines() == [
        "module-parameters: a compiled model keeps its tensors to itself",
        "call-module: argument 2 is missing",
    ]
    found, expected = (load_file(compiled / f"{name}.safetensors") for name in ("out", "expected"))
    for name, tensor in expected.items():
        torch.testing.assert_close(found[name], tensor, rtol=1e-4, atol=1e-5)


# Damaged packages.


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("package") / "net.pt2"
    torch.export.save(rows()["control"].program(), path)
    return path


def _rewritten(package: Path, path: Path, change: dict[str, bytes | None]) -> Path:
    """The package with other contents of some files; None leaves a file out."""
    with zipfile.ZipFile(package) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            short = name.split("/", 1)[1]
            data = change.get(short, old.read(name))
            if data is not None:
                new.writestr(name, data)
    return path


def _refusal(path: Path) -> str:
    with pytest.raises(FailedError) as failed:
        procedure("load-module", str(path))
    return str(failed.value)


def _json(package: Path, short: str) -> Any:
    with zipfile.ZipFile(package) as archive:
        return json.loads(archive.read(f"net/{short}"))


def _model(package: Path, path: Path, change: Any) -> Path:
    model = _json(package, "models/model.json")
    change(model)
    return _rewritten(package, path, {"models/model.json": json.dumps(model).encode()})


def test_damaged_packages(package: Path, tmp_path: Path) -> None:
    path = tmp_path / "net.pt2"

    def refused(change: Any) -> str:
        return _refusal(_model(package, path, change))

    def graph(model: Any) -> Any:
        return model["graph_module"]["graph"]

    assert 'has no file "net/data/weights/weight_0"' in _refusal(
        _rewritten(package, path, {"data/weights/weight_0": None}))
    assert "are in the format of PyTorch 2.8 or older" in _refusal(
        _rewritten(package, path, {"data/weights/model_weights_config.json": None}))
    assert "does not lie within the 4 bytes of its storage" in _refusal(
        _rewritten(package, path, {"data/weights/weight_0": b"\0\0\0\0"}))
    assert "the package holds no model" in _refusal(
        _rewritten(package, path, {"models/model.json": None}))
    assert "not in little-endian order" in _refusal(
        _rewritten(package, path, {"byteorder": b"big"}))
    assert "only version 8 of the format" in refused(
        lambda model: model["schema_version"].update(major=9))
    assert 'the operator "torch.ops.mine.relu.default" does not exist here' in refused(
        lambda model: graph(model)["nodes"][0].update(target="torch.ops.mine.relu.default"))
    assert 'the operator "torch.ops.higher_order.scan" does not exist here' in refused(
        lambda model: graph(model)["nodes"][0].update(target="torch.ops.higher_order.scan"))
    assert 'no node before this one is called "later"' in refused(
        lambda model: graph(model)["nodes"][0]["inputs"][0].update(
            arg={"as_tensor": {"name": "later"}}))
    assert "the operator has no such argument" in refused(
        lambda model: graph(model)["nodes"][0]["inputs"][0].update(name="others"))
    assert 'arguments of the kind "as_custom_obj" are not supported' in refused(
        lambda model: graph(model)["nodes"][0]["inputs"][0].update(arg={"as_custom_obj": {}}))
    assert "the program's own signature is missing" in refused(
        lambda model: model["graph_module"].update(module_call_graph=[]))


def _mutated(value: Any, dice: Random) -> Any:
    """The value with one part changed, left out or exchanged."""
    if isinstance(value, dict) and value and dice.random() < 0.9:
        key = dice.choice(list(value))
        return {**value, key: _mutated(value[key], dice)}
    if isinstance(value, list) and value and dice.random() < 0.9:
        k = dice.randrange(len(value))
        return [*value[:k], _mutated(value[k], dice), *value[k + 1 :]]
    return dice.choice([None, 0, -1, 2**62, 1.5, "", "x", [], {}, [value], {"as_int": 3}, True])


@pytest.mark.parametrize("short", ["models/model.json", "data/weights/model_weights_config.json"])
def test_mutated_packages(package: Path, tmp_path: Path, short: str) -> None:
    """Nothing that a file says may end the process: loading fails, or the program runs."""
    dice, loaded, path = Random(7), 0, tmp_path / "net.pt2"
    contents = _json(package, short)
    for _ in range(300):
        text = json.dumps(_mutated(contents, dice)).encode()
        _rewritten(package, path, {short: text})
        try:
            procedure("load-module", str(path))
            loaded += 1
        except FailedError as failure:
            assert str(path) in str(failure)
    assert 0 < loaded < 300
