"""Clients of OpenAI's protocol talk to `lambent serve` as they are, in their default modes.

Each runs in a process of its own (`clients/`), because they need packages that may not be installed
here, and other versions of packages that are.  LAMBENT_CLIENT_PACKAGES has the folders where more
packages are found; the tests of a client that is in none of them are skipped.  The model writes
nonsense, so schemas and demanded calls give its answers their structure.
"""

import functools
import importlib.machinery
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import tokenizers
import torch

from tests.suites.serve.clients.weather import ENCODER, HELLO, MODEL, NEW, USER, Weather
from tests.suites.serve.test_serve import Server, started
from tests.support.model_folders import folder, reference
from tests.support.paths import ROOT

CONTEXT = 2048  # tokens; the conversations of agents are longer than the model's usual one
PATIENCE = 300.0  # seconds for a client, whose imports alone may take a minute
BEGIN = 0  # the token that the harness puts before a text without a prompt
PACKAGES = os.environ.get("LAMBENT_CLIENT_PACKAGES", "")

Client = Callable[[str], Any]  # what the client with a name prints


def long_context(to: Path) -> Path:
    """The model, for longer conversations."""
    shutil.copytree(folder("llama"), to)
    for file, name in (("config.json", "max_position_embeddings"),
                       ("tokenizer_config.json", "model_max_length")):
        settings = json.loads((to / file).read_text("utf-8"))
        (to / file).write_text(json.dumps(settings | {name: CONTEXT}), "utf-8")
    return to


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return long_context(tmp_path_factory.mktemp("model") / "long")


@pytest.fixture(scope="module")
def server(model: Path) -> Iterator[Server]:
    words = f"{ENCODER}={folder('bert')}"
    with started("--model", words, model=model, names=f"{MODEL}, {ENCODER}") as running:
        yield running


@pytest.fixture(scope="module")
def client(server: Server, model: Path) -> Client:
    @functools.cache
    def printed(name: str) -> Any:
        url = server.url if name == "ollama" else f"{server.url}/v1"
        return run_client(name, url, *([str(model)] if name == "lm_eval" else []))

    return printed


def run_client(name: str, *words: str) -> Any:
    package = {"langchain": "langchain_openai"}.get(name, name)
    if importlib.machinery.PathFinder.find_spec(
        package, [*PACKAGES.split(os.pathsep), *sys.path]
    ) is None:
        pytest.skip(f"the package {package} is not installed")
    done = subprocess.run(
        [sys.executable, "-m", f"tests.suites.serve.clients.{name}_client", *words], cwd=ROOT,
        env={**os.environ, "PYTHONPATH": PACKAGES}, capture_output=True, text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def said(server: Server) -> str:
    """What the model answers, as OpenAI's own client gets it."""
    answer = server.client().chat.completions.create(model=MODEL, messages=USER, max_tokens=NEW,
                                                     temperature=0)
    return answer.choices[0].message.content or ""


@pytest.fixture(scope="module")
def written(server: Server) -> str:
    """How the model continues a text."""
    answer = server.client().completions.create(model=MODEL, prompt="Once", max_tokens=NEW,
                                                temperature=0)
    return answer.choices[0].text


def check_structures(values: list[Any]) -> None:
    for value in values:
        assert Weather(**value).model_dump() == value


def check_calls(values: list[Any]) -> None:
    for name, arguments in values:
        assert name == "weather" and arguments["city"] in ("Rome", "Oslo") and len(arguments) == 1


def check_vectors(server: Server, one: list[float], *hello: list[float]) -> None:
    wanted = server.client().embeddings.create(model=ENCODER, input=["one", HELLO])
    for vector, data in zip((one, hello[0]), wanted.data, strict=True):
        assert vector == pytest.approx(data.embedding, abs=1e-6)
    assert all(vector == pytest.approx(hello[0], abs=1e-6) for vector in hello)


def test_langchain(client: Client, server: Server, said: str, written: str) -> None:
    found = client("langchain")
    chats, calls, others = found["chats"], found["calls"], found["others"]
    assert chats["texts"] == [said] * 5
    assert chats["finish"] == "length"
    for usage in chats["usages"]:
        assert usage["output_tokens"] == NEW
        assert usage["total_tokens"] == usage["input_tokens"] + NEW
    check_calls(calls["calls"])
    assert calls["result"] == f"rain in {calls['calls'][0][1]['city']}"
    assert calls["after"] == "length"
    assert calls["calls"][0] == calls["calls"][1]  # the stream of the same
    check_structures(found["structures"])
    check_vectors(server, *others["vectors"])
    assert others["completions"] == [written] * 2


def test_responses_of_langchain(client: Client, said: str) -> None:
    found = client("langchain")["responses"]
    assert found["texts"] == [said] * 2
    check_calls(found["calls"])
    check_structures(found["structures"])


def test_litellm(client: Client, server: Server, said: str, written: str) -> None:
    found = client("litellm")
    chats, calls, others = found["chats"], found["calls"], found["others"]
    assert chats["texts"] == [said] * 7
    assert chats["finish"] == "length"
    whole, streamed = chats["usages"]
    assert whole == streamed
    assert whole["completion"] == NEW and whole["total"] == whole["prompt"] + NEW
    check_calls(calls["calls"])
    assert calls["calls"][0] == calls["calls"][1] and calls["after"] == "length"
    check_structures(found["structures"])
    assert others["completions"] == [written]
    check_vectors(server, *others["vectors"])
    assert others["responses"][0].startswith(said)  # it asks for 16 tokens at least
    assert others["ranks"] == [1, 0]
    assert others["models"] == [MODEL, ENCODER]


def test_instructor(client: Client) -> None:
    found = client("instructor")
    assert len(found["structures"]) >= 8
    check_structures(found["structures"])
    assert isinstance(found["objects"][0], dict)


@pytest.mark.parametrize("protocol", ["chat", "responses"])
def test_pydantic_ai(client: Client, said: str, protocol: str) -> None:
    found = client("pydantic_ai")[protocol]
    assert found["texts"] == [said] * 2
    assert len(found["structures"]) == 6
    check_structures(found["structures"])
    for agent in found["agents"]:  # which may call a tool where their answers follow a schema
        assert agent["cities"] and set(agent["cities"]) <= {"Rome", "Oslo"}
        check_structures(agent["structures"])


def test_ollama(client: Client, server: Server, said: str, written: str) -> None:
    found = client("ollama")
    assert found["texts"] == [said] * 4
    done, reason, new, prompt = found["done"]
    assert done == [False] * (len(done) - 1) + [True] and len(done) > 2
    assert (reason, new) == ("length", NEW)
    assert found["counts"] == [NEW, prompt, True, "length"]
    check_structures([found["typed"]])
    assert found["written"] == [written] * 2
    check_vectors(server, *found["vectors"])
    assert found["one"] == pytest.approx(found["vectors"][0], abs=1e-6)
    assert found["models"] == [MODEL, ENCODER] and min(found["sizes"]) > 10_000
    assert found["shown"] == [["completion", "tools"], ["embedding"]]
    errors = found["errors"]
    assert errors["model"][0] == 404 and "this server has tiny" in errors["model"][1]
    assert errors["images"] == [400, "images is not supported: only text is read"]
    assert errors["embed"][0] == 400 and "only an encoder" in errors["embed"][1]


QUESTIONS = [f"Is {number} even?" for number in range(3)]


def test_lm_eval(client: Client, server: Server, model: Path) -> None:
    """It counts tokens itself; its scores are the log-probabilities of transformers' model."""
    found = client("lm_eval")
    tokens = tokens_of(model)
    openai = server.client()
    for number, question in enumerate(QUESTIONS):
        asked: dict[str, Any] = {"model": MODEL, "max_tokens": NEW, "temperature": 0}
        chat = openai.chat.completions.create(
            messages=[{"role": "user", "content": question}], **asked)
        text = openai.completions.create(prompt=tokens(question), **asked)
        assert found["chats"]["said"][number] == [[chat.choices[0].message.content]]
        assert found["texts"]["said"][number] == [[text.choices[0].text]]
        for answer, choice in zip(("yes", "no"), found["texts"]["chosen"][number], strict=True):
            assert choice == [[approx_score(tokens(question), tokens(f"{question} {answer}")),
                               False]]
        assert found["texts"]["rolling"][number] == [
            [approx_score([BEGIN], [BEGIN, *tokens(question)])]]


def tokens_of(model: Path) -> Callable[[str], list[int]]:
    vocabulary = tokenizers.Tokenizer.from_file(str(model / "tokenizer.json"))
    return lambda text: list(vocabulary.encode(text, add_special_tokens=False).ids)


def approx_score(prompt: list[int], whole: list[int]) -> Any:
    """The log-probability of what follows the prompt, by transformers."""
    with torch.no_grad():
        logs = reference("llama")(torch.tensor([whole])).logits[0].log_softmax(-1)
    return pytest.approx(
        sum(float(logs[k - 1, whole[k]]) for k in range(len(prompt), len(whole))), abs=1e-3)
