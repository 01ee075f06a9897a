"""Programs on a second device: nothing that the library makes may be on the wrong one.

See tests/support/pretend_device.py.  All tensor programs of tests/programs run as scripts whose new
tensors are on the device, and some as executables; what they print is what they print on the CPU.
"""

import json
import re
import sys
from pathlib import Path

import pytest

from lambent.lang.pipeline import compile_file
from tests.support import model_folders
from tests.support.paths import ROOT
from tests.support.pretend_device import NAME, loaded, on_device, plain, preloaded
from tests.support.programs_run import Outcome, read_expectations, run

PROGRAMS = ROOT / "tests/programs"
_TENSORS = re.compile(r"\(tensor|tensor-|linear|\[[\d\[]|backward|load-llm|torch_|grad")

# Programs that print something else there, and why that is right.
OTHERS = {
    "backward_memory": "counts bytes that backward saves on the CPU alone",
    "catch_interrupt": "has no tensors; waits for signals",
    "checkpoints": "a checkpoint holds the states of all devices' generators",
    "devices": "tells what the CPU is",
    "deep_recursion": "has no tensors; fills the stack",
    "layer_mistakes": "an error names LibTorch's type with the device, pretendFloat",
    "leaf_gradients": "sparse gradients, which the pretend device has not",
    "exported_programs": "an exported program's tensors stay on the CPU",
    "lispe_training": 'makes tables on "cpu"',
    "memory_limits": "counts the CPU's memory",
    "memory_stress": "counts the CPU's memory",
    "model_files": "compares a model with load-tensors, which reads to the CPU",
    "operators_arguments": "quantized tensors, which the pretend device has not",
    "operators_like_pytorch": "sparse tensors, which the pretend device has not",
    "random_state": "a random state holds the states of all devices' generators",
    "stack_checks": "has no tensors; fills the stack",
    "state_dicts": "compares a model with load-tensors, which reads to the CPU",
    "state_files": "compares with load-state, which reads to the CPU",
    "tensor_generic": "sparse tensors, which the pretend device has not",
    "tensor_identity": 'moves tensors to "cpu"',
    "tensor_integer_division": "divides by zero, at which the CPU's operators trap",
    "tensor_lazy": "splits at places on the device, and LibTorch wants them on the CPU",
    "tensor_modules": "a TorchScript module's tensors stay on the CPU",
    "tensor_printing_more": "sparse tensors, which the pretend device has not",
    "tensor_reuse": "counts results that take the memory of an operand, on the CPU alone",
    "wrong_calls_guarded": "an error names the batch sizes' device, which is the CPU",
    "wrong_calls_layers": "an error names LibTorch's type with the device, pretendFloat",
    "wrong_calls_shapes": "on a GPU one-hot checks no classes",
}
# Those that run as executables, too: indexing, autograd, layers, training, data, generation.
COMPILED = ("tensor_indexing", "autograd", "training", "losses_of_models", "llm_caches", "lora")


def tensor_programs() -> list[str]:
    paths = sorted(PROGRAMS.glob("*.lisp"))
    return [path.stem for path in paths if _TENSORS.search(path.read_text(encoding="utf-8"))]


def script(path: Path, variables: dict[str, str]) -> Outcome:
    return run([sys.executable, "-m", "lambent.lang", str(path)], ROOT, variables)


def check(name: str, outcome: Outcome) -> None:
    expected = read_expectations(PROGRAMS / f"{name}.lisp")
    found = (plain(outcome.output), plain(outcome.errors), outcome.status, outcome.leaks)
    assert found == (expected.output, "", expected.status, "")


@pytest.mark.parametrize("name", [name for name in tensor_programs() if name not in OTHERS])
def test_a_program_prints_the_same(name: str) -> None:
    check(name, script(Path(f"tests/programs/{name}.lisp"), on_device()))


@pytest.mark.parametrize("name", COMPILED)
def test_its_executable_prints_the_same(name: str, tmp_path: Path) -> None:
    source, program = tmp_path / f"{name}.lisp", tmp_path / name
    text = (PROGRAMS / source.name).read_text(encoding="utf-8")
    source.write_text(f'(set-default-device! "{NAME}") {text}', encoding="utf-8")
    compile_file(str(source), program, optimize=False)
    check(name, run([str(program)], ROOT, preloaded()))


def test_the_other_programs_exist() -> None:
    assert set(OTHERS) <= {path.stem for path in PROGRAMS.glob("*.lisp")}
    assert not set(COMPILED) & set(OTHERS)


def outcome_of(text: str, back_end: str, folder: Path) -> Outcome:
    source, program = folder / "case.lisp", folder / "case"
    source.write_text(text, encoding="utf-8")
    if back_end == "script":
        return script(source, loaded())
    compile_file(str(source), program, optimize=False)
    return run([str(program)], folder, preloaded())


def test_models_compute_the_same(back_end: str, tmp_path: Path) -> None:
    text = (Path(__file__).parent / "models.lisp").read_text(encoding="utf-8")
    text = text.replace("FOLDER", str(model_folders.folder("llama"))).replace("DEVICE", NAME)
    text = text.replace("OTHER", str(model_folders.folder("mistral")))
    text = text.replace("SENTENCES", str(model_folders.folder("bert")))
    outcome = outcome_of(text, back_end, tmp_path)
    assert (outcome.status, outcome.errors, outcome.leaks) == (0, "", ""), outcome
    for k, line in enumerate(outcome.output.splitlines()):
        assert set(line.split()) == {"#t"}, (k, line)


# The device is as strict as a GPU: else the tests above would show nothing.
STRICT = f"""
(define x (tensor-to [[1.0 2.0] [3.0 4.0]] "{NAME}"))
(define cpu [[1.0 2.0] [3.0 4.0]])
(define-syntax said
  (syntax-rules () ((_ e) (print (guard (c (#t (error-object-message c))) e (quote fine))))))
(said (+ x cpu))
(said (tensor-matmul cpu x))
(said (tensor-cat (list x cpu)))
(said (tensor-index-select x 0 [0]))
(said (tensor-gather x 0 [[0 0]]))
(said (tensor-embedding x [0 1]))
(said (tensor-add! cpu x))
(said (tensor-private--foreach-add (list x) (list cpu)))
(said (+ x (tensor 2.0)))
(said (tensor-where (tensor-gt x 2) x (tensor 0.0)))
(said (tensor-ref x [0 1]))
(said (tensor-masked-fill x (tensor-gt x 2) 0.0))
(said (tensor-copy! cpu x))
(said (tensor-ref cpu (tensor-to [0 1] "{NAME}")))
(said (tensor-rand 2 :generator (make-generator 1) :device "{NAME}"))
(said (tensor-gru x (tensor-to [1 1] "{NAME}") x (list x x) #f 1 0.0 #f #f))
"""
MIXED, FINE = "mixed", "fine"
STRICT_ANSWERS = [*[MIXED] * 8, *[FINE] * 5]


def test_tensors_on_two_devices_are_an_error(back_end: str, tmp_path: Path) -> None:
    outcome = outcome_of(STRICT, back_end, tmp_path)
    lines = outcome.output.splitlines()
    kinds = [MIXED if "the tensors are on" in line else line for line in lines]
    assert kinds[:13] == STRICT_ANSWERS, outcome
    assert "on the same device" in lines[13] or "the tensors are on" in lines[13]
    assert "generator" in lines[14]
    assert f"expected a tensor on the CPU for batch-sizes, got one on {NAME}" in lines[15]


MEMORY = f"""
(define (fact name facts) (cdr (assq name facts)))
(print (available-devices))
(print (map (lambda (name) (fact name (device-properties "{NAME}"))) '(type index)))
(define before (fact 'live-bytes (device-memory "{NAME}")))
(device-peak-reset! "{NAME}")
(print before (device-cache-release! "{NAME}"))
(define (live) (- (fact 'live-bytes (device-memory "{NAME}")) before))
(define (most) (- (fact 'peak-bytes (device-memory "{NAME}")) before))
(define x (tensor-zeros '(1000 1000) :device "{NAME}"))
(print (live) (live-of-two))
(print (live) (most))
(device-peak-reset! "{NAME}")
(print (most))
(print (= (fact 'total-bytes (device-properties "{NAME}"))
          (+ (fact 'free-bytes (device-memory "{NAME}")) before (live))))
(device-synchronize "{NAME}")
(print (device-cache-release! "{NAME}"))
(set-default-device! "{NAME}")
(print (= (fact 'live-bytes (device-memory)) (+ before (live))))
"""
LIVE = """
(define (live-of-two)
  (let* ((y (tensor-add x 1)) (now (live)))
    (tensor-add! y 1)
    now))
"""


def test_the_memory_of_the_device(back_end: str, tmp_path: Path) -> None:
    outcome = outcome_of(LIVE + MEMORY, back_end, tmp_path)
    assert outcome.output.splitlines() == [
        f"(cpu {NAME})", "(pretend 0)", "0 0", "4000000 8000000", "4000000 8000000", "4000000",
        "#t", "0", "#t",
    ], outcome
    assert (outcome.status, outcome.errors, outcome.leaks) == (0, "", "")


def test_a_report_knows_the_device(tmp_path: Path) -> None:
    source = tmp_path / "case.lisp"
    source.write_text(f"(print (tensor-sum (tensor-ones 1000000 :device \"{NAME}\")))", "utf-8")
    outcome = run([sys.executable, "-m", "lambent.lang", "--memory-report", str(source)], ROOT,
                  loaded())
    report = outcome.errors.partition(f"tensor memory of {NAME}:\n")[2].splitlines()
    assert report[0].startswith("  live         "), outcome
    assert report[1].startswith("  peak         3.8 MiB (400"), outcome


def test_a_profile_knows_how_long_the_device_worked(tmp_path: Path) -> None:
    source, trace = tmp_path / "case.lisp", tmp_path / "trace.json"
    source.write_text(f'(print (tensor-item (tensor-sum (tensor-ones 1000 :device "{NAME}"))))',
                      "utf-8")
    outcome = run([sys.executable, "-m", "lambent.lang", "--profile", str(trace), str(source)],
                  ROOT, loaded())
    head, *rows = outcome.errors.splitlines()
    assert head.endswith("total ms  share    device ms"), outcome
    sums = {row.split()[0]: float(row.split()[-1]) for row in rows}
    assert 0 < sums["tensor-sum"] <= sums["all"]
    events = json.loads(trace.read_text())["traceEvents"]
    on_device = [event for event in events if event["tid"] == 3]
    assert "tensor-sum" in {event["name"] for event in on_device}
    assert all(event["dur"] > 0 and event["ts"] > 0 for event in on_device)


LOADER = f"""
(define d (tensor-dataset (tensor-arange 10) (tensor-arange 10)))
(define (show . options)
  (do-batches ((x y) (apply data-loader d :batch-size 4 :device "{NAME}" options))
    (print (tensor-device x) (tensor->list (+ x y)))))
(show)
(show :prefetch 2)
(show :prefetch 1 :transform (lambda (x y) (list (+ x 1) (- y 1))))
"""


def test_loaders_send_batches_to_the_device(back_end: str, tmp_path: Path) -> None:
    outcome = outcome_of(LOADER, back_end, tmp_path)
    batches = ["(0 2 4 6)", "(8 10 12 14)", "(16 18)"]
    assert outcome.output.splitlines() == [f"{NAME} {batch}" for batch in batches * 3], outcome
    assert (outcome.status, outcome.errors, outcome.leaks) == (0, "", "")
