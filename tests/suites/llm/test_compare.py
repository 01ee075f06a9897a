"""`lambent bench --compare`: what may be compared, the table, JSON and chart, wrong words."""

import contextlib
import io
import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from lambent.lang.cli import main
from tests.bench.compare.chart import chart
from tests.bench.compare.judging import judged
from tests.bench.compare.options import Options, parse
from tests.bench.compare.report import json_text, table
from tests.bench.compare.running import Row, Task, measure, task_of
from tests.support.model_folders import folder


def figures(**more: Any) -> dict[str, Any]:
    return {
        "dtype": "float32", "load_seconds": 0.5, "cold_start_seconds": 1.0,
        "first_token_seconds": 0.01, "prefill_tokens_per_second": 6400.0,
        "tokens_per_second": 50.0, "variation": 0.02, "peak_bytes": 300_000_000,
        "ids": [1, 2, 3, 4], "probe": [0.5, -2.0, 1.0], **more,
    }


TASK = Task(Options("a<b", tokens=4), "float32", [1] * 64)
ROWS = [
    Row("script", figures()),
    Row("executable", figures(tokens_per_second=100.0, probe=[0.5, -2.0, 1.0002])),
    Row("torch", figures(ids=[1, 2, 9, 9])),
    Row("torch-compiled", figures(probe=[0.5, -2.0, 1.5])),
    Row("transformers", reason="the package transformers is not installed"),
    Row("llama.cpp", figures(dtype="float16")),
]


def test_precision_and_outputs() -> None:
    found = judged(ROWS, TASK)
    assert [(one.row.peer, one.verdict, one.agrees) for one in found] == [
        ("script", "2/4 tokens, logits within 0 %", True),
        ("executable", "2/4 tokens, logits within 0.01 %", True),
        ("torch", "reference", True),
        ("torch-compiled", "logits differ by 25 %", False),
        ("transformers", "the package transformers is not installed", None),
        ("llama.cpp", "refused: it runs float16, not float32", None),
    ]
    nan = judged([Row("torch", figures()), Row("script", figures(probe=[float("nan")] * 3))], TASK)
    assert nan[1].agrees is False
    short = judged([Row("torch", figures()), Row("script", figures(probe=[0.5]))], TASK)
    assert short[1].agrees is False


def test_reports() -> None:
    found = judged(ROWS, TASK)
    lines = table(found, TASK).splitlines()
    assert lines[1].split("  ")[0] == "program"
    assert len({line.index("tokens/s") for line in lines[1:2]}) == 1
    assert "100.0" in lines[3]
    assert lines[-1] == "llama.cpp: refused: it runs float16, not float32"
    data = json.loads(json_text(found, TASK))
    assert [entry.get("tokens_per_second") for entry in data["programs"]] == [
        50.0, 100.0, 50.0, 50.0, None, None,
    ]
    assert data["prompt_tokens"] == 64
    drawn = ET.fromstring(chart(found, TASK))
    space = "{http://www.w3.org/2000/svg}"
    texts = [element.text for element in drawn.iter(f"{space}text")]
    assert texts[0] is not None
    assert texts[0].startswith("a<b, float32")
    bars = [float(bar.attrib["width"]) for bar in drawn.iter(f"{space}rect")][1:5]
    assert bars[1] == pytest.approx(2 * bars[0], abs=0.2)  # of tokens/s


def test_a_peer_that_fails(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "odd", "vocab_size": 9}')
    options = Options(str(tmp_path), repeats=1, tokens=2, prompt_tokens=2, timeout=100)
    row = measure("torch", task_of(options))
    assert row.reason == "the plain loop knows llama, mistral, qwen2, qwen3, not odd"
    assert measure("script", task_of(options)).reason.startswith("status 70: lambent: load-")
    missing = Options(str(tmp_path), python="/no/python")
    assert measure("torch", task_of(missing)).reason == (
        "cannot run /no/python: No such file or directory"
    )


@pytest.mark.parametrize(("words", "status", "said"), [
    ([], 64, "lambent: no folder is given\nhint: usage: lambent bench FOLDER --compare"),
    (["/no/such"], 66, "lambent: cannot open /no/such: No such file or directory\n"),
    ([str(Path(__file__).parent)], 66, "is not the folder of a model\n"),
    ([".", "--peers", "jax"], 64, "--peers takes names among script, executable, torch, "),
    ([".", "--bits", "8"], 64, "--bits cannot be compared"),
    ([".", "--repeats", "0"], 64, "--repeats takes an integer from 1 to 1000000, got 0\n"),
    ([".", "--dtype", "int8"], 64, "--dtype takes float32, bfloat16 or float16, got int8\n"),
    ([".", "--best"], 64, "unknown option: --best\n"),
])
def test_wrong_words(words: list[str], status: int, said: str) -> None:
    errors = io.StringIO()
    with contextlib.redirect_stderr(errors):
        assert main(["bench", "--compare", *words]) == status
    assert said in errors.getvalue()


def test_words() -> None:
    options = parse([str(folder("llama")), "--compare", "--tokens=7", "--peers", "torch,script"])
    assert (options.tokens, options.peers) == (7, ("torch", "script"))


@pytest.mark.parametrize("name", ["llama", "llama3-rope", "qwen2", "qwen3"])
def test_all_peers_agree(name: str, all_random: bool) -> None:
    if not all_random:
        pytest.skip("it runs each model in five programs: --all-random")
    options = Options(str(folder(name)), tokens=16, prompt_tokens=16, repeats=1)
    peers = ("script", "executable", "torch", "torch-compiled", "transformers")
    rows = [measure(peer, task_of(options)) for peer in peers]
    assert all(row.figures is not None for row in rows), rows
    for one in judged(rows, task_of(options)):
        assert one.verdict == "reference" or one.verdict.startswith("16/16 tokens, "), one
