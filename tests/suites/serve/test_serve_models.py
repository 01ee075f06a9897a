"""Several models behind one port, adapters by request, and what a server says of itself."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from lambent.lang.embedding import Session
from lambent.lang.errors import UsageFault
from lambent.lang.interp.embed.to_python import Symbol
from lambent.lang.serve.options import parse
from tests.suites.serve.test_serve import (
    CHAT,
    GENEROUS,
    TEXT,
    USER,
    Server,
    asked,
    started,
    stream_request,
)
from tests.support.model_folders import folder

SCALE = 16 / 4  # alpha / rank


def copied(name: str, to: Path) -> Path:
    shutil.copytree(folder(name), to)
    return to


def write_adapter(to: Path, seed: int, layers: tuple[str, ...]) -> Path:
    """An adapter of a few layers in the files of Python's peft."""
    to.mkdir()
    generator = torch.Generator().manual_seed(seed)
    weights = load_file(folder("llama") / "model.safetensors")
    tensors = {}
    for layer in layers:
        rows, columns = weights[f"{layer}.weight"].shape
        for part, shape in (("A", (4, columns)), ("B", (rows, 4))):
            tensors[f"base_model.model.{layer}.lora_{part}.weight"] = 0.1 * torch.randn(
                shape, generator=generator)
    save_file(tensors, to / "adapter_model.safetensors")
    (to / "adapter_config.json").write_text(json.dumps({
        "peft_type": "LORA", "r": 4, "lora_alpha": 16, "bias": "none", "modules_to_save": None,
        "target_modules": sorted({layer.rsplit(".", 1)[1] for layer in layers}),
    }), "utf-8")
    return to


def write_merged(to: Path, adapter: Path) -> Path:
    """The model whose weights have the adapter in them."""
    copied("llama", to)
    weights, changes = load_file(to / "model.safetensors"), load_file(
        adapter / "adapter_model.safetensors")
    for name in [name for name in changes if ".lora_A." in name]:
        layer = name.removeprefix("base_model.model.").replace(".lora_A", "")
        weights[layer] += SCALE * changes[name.replace("_A.", "_B.")] @ changes[name]
    save_file(weights, to / "model.safetensors", {"format": "pt"})
    return to


LAYERS = (("model.layers.0.self_attn.q_proj", "model.layers.1.mlp.down_proj"),
          ("model.layers.0.self_attn.v_proj", "model.layers.0.self_attn.q_proj",
           "model.layers.1.mlp.up_proj"))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    top = tmp_path_factory.mktemp("models")
    words = []
    for name, seed, layers in (("red", 1, LAYERS[0]), ("blue", 2, LAYERS[1])):
        adapter = write_adapter(top / name, seed, layers)
        words += ["--adapter", f"tiny:{name}={adapter}",
                  "--model", f"{name}={write_merged(top / f'{name}-merged', adapter)}"]
    bert = folder("bert")
    with started(*words, "--model", f"bert={bert}", "--model", f"cross={cross_encoder(top)}",
                 "--log", str(top / "log"), names="tiny, red, blue, bert, cross") as running:
        yield running
    lines = [json.loads(line) for line in (top / "log").read_text("utf-8").splitlines()]
    assert [line["id"] for line in lines] == list(range(1, len(lines) + 1))
    assert {"time", "method", "path", "status", "seconds"} <= set(lines[0])
    assert "Hello" not in (top / "log").read_text("utf-8")


def cross_encoder(top: Path) -> Path:
    from transformers import BertConfig, BertForSequenceClassification

    to = copied("bert", top / "cross")
    config = BertConfig.from_pretrained(to, num_labels=1)
    torch.manual_seed(3)
    BertForSequenceClassification(config).save_pretrained(to)
    return to


def post(server: Server, path: str, **body: Any) -> dict[str, Any]:
    status, answer = asked(server, "POST", path, json.dumps(body).encode())
    assert status == 200, answer
    return answer


def said(server: Server, model: str, **more: Any) -> str:
    answer = post(server, TEXT, model=model, prompt="Once upon", max_tokens=12, temperature=0,
                  **more)
    assert answer["model"] == model + (f":{more['adapter']}" if more else "")
    return str(answer["choices"][0]["text"])


# Models and adapters.


def test_models_and_adapters(server: Server) -> None:
    found = {model.id: model for model in server.client().models.list()}
    assert sorted(found) == ["bert", "blue", "cross", "red", "tiny", "tiny:blue", "tiny:red"]
    assert asked(server, "GET", "/v1/models/tiny:red")[1]["parent"] == "tiny"
    status, fault = asked(server, "POST", TEXT, b'{"model": "tiny:green", "prompt": "a"}')
    assert (status, fault["error"]["code"]) == (404, "model_not_found")
    assert "tiny, red, blue" in fault["error"]["message"]


def test_an_adapter_is_as_good_as_merged(server: Server) -> None:
    texts = {name: said(server, name) for name in ("tiny", "red", "blue")}
    assert len(set(texts.values())) == 3
    for _ in range(2):
        for name in ("red", "blue"):
            assert said(server, f"tiny:{name}") == texts[name]
        assert said(server, "tiny") == texts["tiny"]
    assert said(server, "tiny", adapter="red") == texts["red"]


def test_adapters_at_once(server: Server) -> None:
    """Requests of all models and adapters go on side by side."""
    from concurrent.futures import ThreadPoolExecutor

    names = ["tiny", "tiny:red", "tiny:blue", "red", "blue"] * 3
    with ThreadPoolExecutor(len(names)) as pool:
        texts = list(pool.map(lambda name: said(server, name), names))
    for k, name in enumerate(names):
        assert texts[k] == said(server, name)
    assert texts[1] == texts[3] and texts[2] == texts[4]


@pytest.mark.parametrize(("change", "what"), [
    ({"bias": "all"}, "changes biases"), ({"modules_to_save": ["lm_head"]}, "replaces whole"),
])
def test_adapters_that_change_the_model(tmp_path: Path, change: dict[str, Any], what: str) -> None:
    adapter = write_adapter(tmp_path / "a", 1, LAYERS[0])
    path = adapter / "adapter_config.json"
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), **change}), "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "lambent.lang", "serve", str(folder("llama")), "--port", "0",
         "--adapter", f"a={adapter}"], capture_output=True, text=True, timeout=GENEROUS)
    assert (done.stdout, done.returncode) == ("", 70)
    assert what in done.stderr and "hint: merge-lora!" in done.stderr


# Vectors and ranks.


DOCUMENTS = ["one", "the gradient of a tensor", "another text", "hello there"]


@pytest.mark.parametrize("model", ["cross", "bert"])
def test_rerank(server: Server, model: str) -> None:
    given = [{"text": DOCUMENTS[0]}, *DOCUMENTS[1:]]
    answer = post(server, "/v1/rerank", model=model, query="hello", documents=given,
                  return_documents=True)
    results = answer["results"]
    scores = [result["relevance_score"] for result in results]
    assert scores == sorted(scores, reverse=True)
    assert sorted(result["index"] for result in results) == [0, 1, 2, 3]
    assert all(result["document"]["text"] == DOCUMENTS[result["index"]] for result in results)
    [first] = post(server, "/v1/rerank", model=model, query="hello", documents=DOCUMENTS,
                   top_n=1)["results"]
    assert first == {name: results[0][name] for name in ("index", "relevance_score")}
    for result in results:
        expected = (cross_score if model == "cross" else cosine)(
            server, "hello", DOCUMENTS[result["index"]])
        assert result["relevance_score"] == pytest.approx(expected, abs=1e-5)


def cross_score(server: Server, query: str, text: str) -> float:
    import tokenizers
    from transformers import BertForSequenceClassification

    path = cross_folder(server)
    pair = tokenizers.Tokenizer.from_file(f"{path}/tokenizer.json").encode(query, text)
    model = BertForSequenceClassification.from_pretrained(path).eval()
    with torch.no_grad():
        made = model(torch.tensor([pair.ids]), token_type_ids=torch.tensor([pair.type_ids]))
    return float(torch.sigmoid(made.logits[0, 0]))


def cross_folder(server: Server) -> str:
    words = [word for word in server.process.args if str(word).startswith("cross=")]  # type: ignore[union-attr]
    return str(words[0]).removeprefix("cross=")


def cosine(server: Server, a: str, b: str) -> float:
    data = post(server, "/v1/embeddings", model="bert", input=[a, b])["data"]
    x, y = (torch.tensor(entry["embedding"]) for entry in data)
    return float(torch.cosine_similarity(x, y, dim=0))


def test_fewer_dimensions(server: Server) -> None:
    whole, short = (
        torch.tensor(post(server, "/v1/embeddings", model="bert", input="Hello", **more)
                     ["data"][0]["embedding"]) for more in ({}, {"dimensions": 8}))
    assert short.tolist() == pytest.approx((whole[:8] / whole[:8].norm()).tolist(), abs=1e-6)


@pytest.mark.parametrize(("model", "path", "body", "wrong"), [
    ("tiny", "/v1/rerank", {"query": "a", "documents": ["b"]}, "generates text"),
    ("cross", "/v1/embeddings", {"input": "a"}, "ranks texts"),
    ("cross", TEXT, {"prompt": "a"}, "only a language model generates text"),
    ("cross", "/v1/rerank", {"documents": ["b"]}, "query is missing"),
    ("cross", "/v1/rerank", {"query": "a", "documents": []}, "documents takes 1 to 2048"),
    ("cross", "/v1/rerank", {"query": "a", "documents": [1]}, "documents[0] takes a string"),
    ("cross", "/v1/rerank", {"query": "a", "documents": ["b"], "top_n": 0}, "top_n takes"),
    ("bert", "/v1/embeddings", {"input": "a", "dimensions": 1000}, "dimensions is 1000, but"),
])
def test_wrong_models(
    server: Server, model: str, path: str, body: dict[str, Any], wrong: str
) -> None:
    status, fault = asked(server, "POST", path, json.dumps({"model": model, **body}).encode())
    assert (status, wrong in fault["error"]["message"]) == (400, True), fault


# What a server says of itself.


def metrics(server: Server) -> dict[str, float]:
    with urllib.request.urlopen(f"{server.url}/metrics", timeout=GENEROUS) as answer:
        assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        text = answer.read().decode()
    assert text.endswith("\n")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    sample = re.compile(r'[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [0-9.e+-]+')
    assert all(sample.fullmatch(line) for line in lines), lines
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


def test_metrics(server: Server) -> None:
    before = metrics(server)
    post(server, CHAT, model="tiny", messages=USER, max_tokens=5, logit_bias={"1": -100})
    asked(server, "POST", CHAT, b"{")
    asked(server, "GET", "/secret/path")
    after = metrics(server)

    def grown(name: str) -> float:
        return after[name] - before.get(name, 0)

    chat = 'endpoint="/v1/chat/completions"'
    assert grown(f'lambent_requests_total{{{chat},model="tiny",status="200"}}') == 1
    assert grown(f'lambent_requests_total{{{chat},model="",status="400"}}') == 1
    assert grown('lambent_requests_total{endpoint="other",model="",status="404"}') == 1
    assert grown('lambent_generated_tokens_total{model="tiny"}') == 5
    assert grown('lambent_prompt_tokens_total{model="tiny"}') > 5
    assert grown('lambent_first_token_seconds_count{model="tiny"}') == 1
    assert grown(f'lambent_request_seconds_bucket{{{chat},model="tiny",le="+Inf"}}') == 1
    assert grown('lambent_steps_total{model="tiny"}') >= 4
    assert after['lambent_cache_pages{model="tiny"}'] > 0
    assert after['lambent_requests_unfinished{model="tiny"}'] == 0
    assert not any("secret" in name for name in after)


def test_readiness(server: Server) -> None:
    assert asked(server, "GET", "/ready") == (200, {"status": "ok"})


@contextmanager
def process_of(*words: str) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(
        [sys.executable, "-m", "lambent.lang", "serve", *words], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def free_port() -> int:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def test_before_the_model_is_loaded() -> None:
    port = free_port()
    with process_of(str(folder("llama")), "--port", str(port)) as process:
        server, deadline = Server(process, f"http://127.0.0.1:{port}"), time.monotonic() + GENEROUS
        states = []
        while "ok" not in states and time.monotonic() < deadline:
            try:
                status, answer = asked(server, "GET", "/ready")
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.05)
                continue
            states.append(answer["status"])
            assert status == (200 if states[-1] == "ok" else 503)
            if states == ["loading"]:
                assert asked(server, "GET", "/health")[1]["status"] == "loading"
                status, fault = asked(server, "POST", TEXT, b'{"model": "tiny"}')
                assert (status, fault["error"]["code"]) == (503, "loading")
        assert states[0] == "loading" and states[-1] == "ok"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_running_requests_finish(number: signal.Signals) -> None:
    """After SIGTERM; the port is free at once."""
    import socket

    with started("--max-tokens", "120", "--drain", "60") as server:
        with socket.create_connection(("127.0.0.1", server.port), GENEROUS) as connection:
            connection.sendall(stream_request(110))
            begin = connection.recv(1000)
            server.process.send_signal(number)
            deadline = time.monotonic() + GENEROUS
            while time.monotonic() < deadline:
                try:
                    socket.create_connection(("127.0.0.1", server.port), 1).close()
                except OSError:
                    break
            socket.create_server(("127.0.0.1", server.port)).close()
            answer = begin
            while part := connection.recv(65536):
                answer += part
        assert (b"data: [DONE]" in answer) == (number == signal.SIGTERM)
        output, errors = server.process.communicate(timeout=GENEROUS)
        assert (output, errors, server.process.returncode) == ("", "", 0)


# Reasoning.


THINKING = "{% for m in messages %}{{ m['content'] }}{% endfor %}<think>\n"


def with_template(to: Path, template: str) -> Path:
    copied("llama", to)
    path = to / "tokenizer_config.json"
    settings = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**settings, "chat_template": template}), "utf-8")
    return to


def test_reasoning_has_a_field(tmp_path: Path) -> None:
    """A template that begins it: the model of these tests never ends it."""
    path = with_template(tmp_path / "thinking", THINKING)
    with started("--model", f"thinking={path}", names="tiny, thinking") as server:
        options: dict[str, Any] = {"model": "thinking", "messages": USER, "max_tokens": 9,
                                   "temperature": 0, "logit_bias": {"1": -100}}
        [choice] = server.client().chat.completions.create(**options).choices
        thought = choice.message.reasoning_content
        assert (choice.message.content, choice.finish_reason) == ("", "length")
        chunks = [chunk.choices[0].delta for chunk in
                  server.client().chat.completions.create(**options, stream=True)]
        assert "".join(getattr(chunk, "reasoning_content", "") for chunk in chunks) == thought
        assert not any(chunk.content for chunk in chunks)
        made = server.client().responses.create(
            model="thinking", input="Hello there", max_output_tokens=9, temperature=0,
            extra_body={"logit_bias": {"1": -100}})
        assert [item.type for item in made.output] == ["reasoning"]
        assert made.output[0].content[0].text == thought and made.output_text == ""
        assert made.usage is not None and made.usage.output_tokens_details.reasoning_tokens > 0
        # A schema leaves no room for it.
        [choice] = server.client().chat.completions.create(
            **options | {"max_tokens": 60, "response_format": {
                "type": "json_schema", "json_schema": {"name": "x", "schema": {"enum": [22]}}}},
        ).choices
        assert choice.message.content == "22"


def test_reasoning_and_calls(tmp_path: Path) -> None:
    """A grammar stands for a model that thinks of a call, and then makes two."""
    path = with_template(tmp_path / "thinking", THINKING)
    session = Session()
    server = session.eval(f'(model-server "{path}")')
    calls = '[TOOL_CALLS][{"name": "f"}, {"name": "f"}]'
    written = f"<think>\nA [TOOL_CALLS]?\n</think>\n\nSo: {calls}"
    grammar = session.eval(f"(make-grammar '((all {json.dumps(written)})))")
    ids = server(Symbol("text-ids"), "Hello", 100)
    options = {"max-tokens": 100, "reasoning": True, "tool-names": ["f"], "temperature": 0}
    server(Symbol("submit"), ids, json.dumps(options), grammar, False)
    events = []
    while server(Symbol("busy")):
        events += server(Symbol("step"))
    assert "".join(event[8] for event in events) == "A [TOOL_CALLS]?"
    assert "".join(event[1] for event in events) == "So: "
    assert [call[0] for call in events[-1][6]] == ["f", "f"]
    assert events[-1][9] > 3


# The words of the command.


@pytest.mark.parametrize(("words", "wrong"), [
    (["--model", "a"], "--model takes NAME=FOLDER"),
    (["--model", "a:b=."], "--model takes NAME=FOLDER"),
    (["--model", "a=.", "--model", "a=."], "two models have the name a"),
    (["--model", "a=.", "--name", "b"], "--name is for FOLDER"),
    (["--model", "a=.", "--adapter", "b:c=."], "--adapter b:c=. names no model; there are a"),
    (["--model", "a=.", "--model", "b=.", "--adapter", "c=."], "names no model"),
    (["--model", "a=.", "--adapter", "c"], "--adapter takes NAME=FOLDER"),
    ([".", "--adapter", "c=.", "--adapter", "c=."], "have the name c"),
])
def test_wrong_models_of_the_command(words: list[str], wrong: str) -> None:
    with pytest.raises(UsageFault) as found:
        parse(words)
    assert wrong in found.value.message


def test_words_of_several_models() -> None:
    options = parse(["--model", "a=.", "--adapter", "x=.", "--adapter", "a:y=/"])
    assert (options.models, options.adapters) == ({"a": "."}, {"a": {"x": ".", "y": "/"}})
