"""Ollama's protocol, without its package: `ollama_client.py` asks only where that is installed."""

import asyncio
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

import pytest
from aiohttp.test_utils import TestServer

from lambent.lang.embedding import Session
from lambent.lang.serve.answers import Piece
from lambent.lang.serve.app import Service, Settings
from lambent.lang.serve.engine import Deliver, Engine, Ticket
from lambent.lang.serve.faults import ApiError
from lambent.lang.serve.ollama import chat_body, embed_body, generate_body
from lambent.lang.serve.preparing import Model, Preparer
from lambent.lang.serve.request_log import RequestLog
from lambent.lang.serve.requests import CompletionRequest, Limits, Target
from tests.suites.serve.test_clients import long_context
from tests.suites.serve.test_serve import GENEROUS, Server, started
from tests.support.model_folders import folder

BERT = "bert"
EVIL = {"Origin": "https://evil.example"}
LIMITS = Limits({"tiny": Target("tiny")}, 100)
USUAL = {"model": "tiny", "temperature": 0.8, "top_k": 40, "top_p": 0.9}
HI = [{"role": "user", "content": "Hi"}]
CHAT: dict[str, Any] = {"model": "tiny", "messages": [{"role": "user", "content": "Hello " * 20}],
                        "options": {"temperature": 0, "num_predict": 6}}
TEXT: dict[str, Any] = {"prompt": "Once", "raw": True, "stream": False,
                        "options": {"temperature": 0, "num_predict": 6}}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    model = long_context(tmp_path_factory.mktemp("model") / "long")
    with started("--model", f"{BERT}={folder('bert')}", model=model,
                 names=f"tiny, {BERT}") as running:
        yield running


def asked(url: str, path: str, body: Any, headers: dict[str, str] | None = None) -> Any:
    """The status and the lines of an answer."""
    request = urllib.request.Request(
        f"{url}/api/{path}", None if body is None else json.dumps(body).encode(),
        headers or {})
    try:
        with urllib.request.urlopen(request, timeout=GENEROUS) as answer:
            return answer.status, [json.loads(line) for line in answer]
    except urllib.error.HTTPError as error:
        with error:
            return error.code, [json.load(error)]


def metric(server: Server, name: str) -> int:
    with urllib.request.urlopen(f"{server.url}/metrics", timeout=GENEROUS) as answer:
        lines = answer.read().decode().splitlines()
    return sum(int(float(line.split()[1])) for line in lines if line.startswith(f"{name}{{"))


def test_streams_count_tokens_that_were_computed_before(server: Server) -> None:
    before = metric(server, "lambent_cached_tokens_total")
    first, second = (asked(server.url, "chat", CHAT)[1] for _ in range(2))
    assert [line["message"] for line in first] == [line["message"] for line in second]
    assert metric(server, "lambent_cached_tokens_total") >= before + 16


@pytest.mark.parametrize(("path", "body"), [
    ("chat", CHAT | {"stream": False}), ("generate", TEXT), ("show", {}),
    ("embed", {"input": "x"}), ("embeddings", {"prompt": "x"}),
])
def test_a_model_may_be_called_name(server: Server, path: str, body: dict[str, Any]) -> None:
    name = BERT if path.startswith("embed") else "tiny"
    rest = {key: value for key, value in body.items() if key != "model"}
    for given in ({"name": name}, {"name": f"{name}:latest"}, {"model": name, "name": "another"}):
        assert asked(server.url, path, rest | given)[0] == 200
    status, [answer] = asked(server.url, path, rest)
    assert (status, answer) == (400, {"error": "model is missing"})


@pytest.mark.parametrize("path", ["chat", "generate", "embed", "embeddings", "show"])
def test_pages_of_other_sites(server: Server, path: str) -> None:
    """Bodies may be of any type, so a page could send them without asking."""
    status, [answer] = asked(server.url, path, CHAT, EVIL)
    assert status == 403 and "--cors allows it" in answer["error"]


def test_what_a_model_is(server: Server) -> None:
    _, [shown] = asked(server.url, "show", {"model": "tiny"})
    assert shown["details"]["family"] == shown["model_info"]["general.architecture"] == "llama"
    assert shown["details"]["quantization_level"] == "F32"
    count = shown["model_info"]["general.parameter_count"]
    assert shown["details"]["parameter_size"] == f"{count / 1e6:.2f}M"
    assert "<|start|>" in shown["template"]
    assert shown["model_info"]["llama.context_length"] > 0
    _, [listed] = asked(server.url, "tags", None)
    assert [model["details"]["family"] for model in listed["models"]] == ["llama", "bert"]
    with started("--bits", "4", model=folder("llama")) as small:
        _, [shown] = asked(small.url, "show", {"model": "tiny"})
        assert shown["details"]["quantization_level"] == "Q4"
        assert shown["model_info"]["general.parameter_count"] == count


def test_answers(server: Server) -> None:
    _, [whole] = asked(server.url, "generate", TEXT | {"model": "tiny"})
    _, lines = asked(server.url, "generate", TEXT | {"model": "tiny", "stream": True})
    assert "".join(line["response"] for line in lines) == whole["response"] != ""
    assert [line["done"] for line in lines] == [False] * (len(lines) - 1) + [True]
    for end in (whole, lines[-1]):
        assert (end["done_reason"], end["eval_count"]) == ("length", 6)
        assert 0 < end["prompt_eval_duration"] < end["total_duration"]
    _, [several] = asked(server.url, "embed", {"model": BERT, "input": ["one", "two"]})
    _, [older] = asked(server.url, "embeddings", {"model": BERT, "prompt": "two"})
    assert older["embedding"] == pytest.approx(several["embeddings"][1], abs=1e-5)
    _, [listed] = asked(server.url, "tags", None)
    assert [model["name"] for model in listed["models"]] == ["tiny", BERT]
    status, [fault] = asked(server.url, "chat", CHAT | {"model": "another"})
    assert status == 404 and "this server has tiny" in fault["error"]


@pytest.mark.parametrize(("given", "wanted"), [
    ({"model": "tiny:latest"}, {}),
    ({"keep_alive": "5m", "stream": True, "options": {"num_ctx": 9}, "tools": []}, {}),
    ({"options": {"num_predict": 5}}, {"max_tokens": 5}),
    ({"options": {"num_predict": 1000}}, {"max_tokens": 100}),
    ({"options": {"num_predict": -1, "temperature": None}}, {}),
    ({"options": {"temperature": 0, "repeat_penalty": 1.1, "stop": ["x"], "seed": 3}},
     {"temperature": 0, "repetition_penalty": 1.1, "stop": ["x"], "seed": 3}),
    ({"format": ""}, {}),
    ({"format": "json"}, {"response_format": {"type": "json_object"}}),
    ({"format": {"enum": [1]}},
     {"response_format": {"type": "json_schema", "json_schema": {"schema": {"enum": [1]}}}}),
    ({"think": False}, {"chat_template_kwargs": {"enable_thinking": False}}),
    ({"tools": [1]}, {"tools": [1]}),
    ({"messages": [{**HI[0], "images": [], "thinking": "so"}]}, {}),
])
def test_chats(given: dict[str, Any], wanted: dict[str, Any]) -> None:
    body = {"model": "tiny", "messages": HI, **given}
    assert chat_body(body, LIMITS) == USUAL | {"messages": HI} | wanted


@pytest.mark.parametrize(("given", "chats", "wanted"), [
    ({"prompt": "Hi"}, True, {"messages": HI}),
    ({"prompt": "Hi", "system": "Be"}, True,
     {"messages": [{"role": "system", "content": "Be"}, *HI]}),
    ({"prompt": "Hi", "raw": True}, True, {"prompt": "Hi", "max_tokens": -1}),
    ({"prompt": "Hi", "system": "Be"}, False, {"prompt": "Be\n\nHi", "max_tokens": -1}),
    ({"prompt": "Hi", "raw": True, "options": {"num_predict": 2}, "suffix": "", "context": []},
     True, {"prompt": "Hi", "max_tokens": 2}),
])
def test_texts(given: dict[str, Any], chats: bool, wanted: dict[str, Any]) -> None:
    assert generate_body({"model": "tiny", **given}, LIMITS, chats=chats) == USUAL | wanted


@pytest.mark.parametrize(("given", "wanted"), [
    ({"input": ["a", "b"]}, {"input": ["a", "b"], "dimensions": None}),
    ({"prompt": "a", "keep_alive": 0, "options": {}}, {"input": "a", "dimensions": None}),
    ({"input": "a", "dimensions": 3, "truncate": True}, {"input": "a", "dimensions": 3}),
])
def test_vectors(given: dict[str, Any], wanted: dict[str, Any]) -> None:
    assert embed_body({"model": "tiny", **given}, LIMITS) == {"model": "tiny", **wanted}


@pytest.mark.parametrize(("body", "said"), [
    ({"messages": HI[0]}, "messages takes a list"),
    ({"messages": [{**HI[0], "images": ["x"]}]}, "images is not supported"),
    ({"options": 3}, "options takes an object"),
    ({"options": {"num_predict": "3"}}, "options.num_predict takes an integer"),
    ({"format": "xml"}, "format takes json or a schema"),
    ({"mesages": HI}, "unknown field"),
])
def test_chats_that_are_refused(body: dict[str, Any], said: str) -> None:
    with pytest.raises(ApiError, match=said):
        chat_body({"model": "tiny", **body}, LIMITS)


@pytest.mark.parametrize(("path", "body", "said"), [
    ("chat", {"options": {"repeat_penalty": 0}}, "options.repeat_penalty takes a number from 0.01"),
    ("chat", {"options": {"temperature": 3}}, "options.temperature takes a number from 0 to 2"),
    ("chat", {"options": {"stop": [""]}}, "options.stop takes a string"),
    ("generate", {"options": {"stop": ["\ud800"]}}, "options.stop holds U+D800"),
    ("chat", {"format": {"enum": ["x" * 70_000]}}, "format takes a schema of at most"),
    ("embed", {"input": 3, "model": BERT}, "input takes a string"),
    ("embeddings", {"prompt": 3, "model": BERT}, "prompt takes a string"),
    ("embed", {"input": "", "model": BERT}, "the input has no tokens"),
    ("embed", {"input": "x", "truncate": 3, "model": BERT}, "truncate takes true or false"),
])
def test_faults_name_what_is_written(
    server: Server, path: str, body: dict[str, Any], said: str
) -> None:
    needed: dict[str, dict[str, Any]] = {"chat": {"messages": HI}, "generate": {"prompt": "x"}}
    whole = {"model": "tiny", **needed.get(path, {}), **body}
    status, [answer] = asked(server.url, path, whole)
    assert status == 400 and answer["error"].startswith(said)


def test_long_texts_are_cut_unless_they_may_not_be(server: Server) -> None:
    for path, field in (("embed", "input"), ("embeddings", "prompt")):
        body = {"model": BERT, field: "word " * 3000}
        status, [answer] = asked(server.url, path, body)
        assert status == 200
        if path == "embed":
            assert 10 < answer["prompt_eval_count"] < 3000
        status, [answer] = asked(server.url, path, body | {"truncate": False})
        assert status == 400 and "the model's context is" in answer["error"]


def test_long_texts_are_cut_before_the_engine_reads_them() -> None:
    """Others wait for the engine's thread; a text of many spaces has few tokens."""
    server = Session().eval(f'(model-server "{folder(BERT)}")')
    model = Model(server, *Model(server, 0, 0, "", False, False).call("info"))
    long, spaced = "word " * 100_000, "one " + " " * 100_000 + "two"
    preparer = Preparer(model, GENEROUS)
    texts, sizes = asyncio.run(preparer.measured((long, spaced, ""), cuts=True))
    assert long.startswith(texts[0]) and len(texts[0]) < 10_000 and texts[1:] == [spaced, ""]
    assert sizes[0] == model.context and 0 < sizes[1] < 10 and sizes[2] == 0
    vectors = [model.call("embed", [text])[0] for text in (long, texts[0])]
    assert vectors[0] == pytest.approx(vectors[1], abs=1e-6)


@pytest.mark.parametrize("field", [
    {"suffix": "x"}, {"template": "x"}, {"context": [1]}, {"images": ["x"]}])
def test_texts_that_are_refused(field: dict[str, Any]) -> None:
    with pytest.raises(ApiError, match=f"{next(iter(field))} is not supported"):
        generate_body({"model": "tiny", "prompt": "x", **field}, LIMITS, chats=True)


class Failing:
    """An engine whose memory ends after the first piece."""

    unfinished = steps = tokens = 0
    model = Model(print, 100, 100, "decoder", False, False)

    async def submit(self, request: CompletionRequest, deliver: Deliver) -> Ticket:
        piece = Piece(0, "On", new_tokens=1)
        deliver([piece])
        deliver([replace(piece, text="", reason="stop", error="too little memory")])
        return Ticket(deliver, 0, prompt_tokens=1)


# Keys that are no strings are younger than some releases of aiohttp.
@pytest.mark.filterwarnings("ignore:It is recommended to use web.RequestKey")
def test_a_stream_that_fails_ends_with_the_error() -> None:
    async def answers() -> list[Any]:
        settings = Settings(LIMITS, {"tiny": 0}, 1000, 1000, GENEROUS, None, frozenset(),
                            frozenset())
        service = Service({"tiny": cast(Engine, Failing())}, settings, RequestLog(""), 0)
        service.begin()
        async with TestServer(service.app()) as running:
            url = str(running.make_url("")).rstrip("/")
            return [await asyncio.to_thread(asked, url, "generate",
                                            {"model": "tiny", "prompt": "x", "stream": streams})
                    for streams in (True, False)]

    (status, [piece, last]), whole = asyncio.run(answers())
    assert (status, piece["response"], piece["done"]) == (200, "On", False)
    assert last == {"error": "too little memory"}
    assert whole == (500, [last])
