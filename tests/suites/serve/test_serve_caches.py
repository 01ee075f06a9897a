"""`lambent serve`: prompts that begin alike, long prompts, small caches and drafts."""

import json
import shutil
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.suites.serve.test_serve import Server, run_here, started
from tests.support.model_folders import folder

CONTEXT = 4096
LONG = [3 + (k * k) % 390 for k in range(2000)]


@pytest.fixture(scope="module")
def long_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small model with a longer context."""
    path = tmp_path_factory.mktemp("models") / "long"
    shutil.copytree(folder("llama"), path)
    config = json.loads((path / "config.json").read_text())
    (path / "config.json").write_text(json.dumps(config | {"max_position_embeddings": CONTEXT}))
    return path


def made(server: Server, prompt: list[int], **options: Any) -> Any:
    return server.client().completions.create(
        **{"model": "tiny", "prompt": prompt, "temperature": 0, "max_tokens": 8, **options}
    )


def cached(answer: Any) -> int:
    return int(answer.usage.prompt_tokens_details.cached_tokens)


def test_the_same_beginning_is_computed_once(long_model: Path) -> None:
    with started("--max-batch", "4", "--cache-tokens", "3000", model=long_model) as server:
        first = made(server, LONG)
        again = made(server, LONG)
        assert (cached(first), cached(again)) == (0, 1984)  # whole pages, without the last token
        assert again.choices[0].text == first.choices[0].text
        longer = made(server, [*LONG, 7, 8, 9])
        assert cached(longer) == 2000
        several = made(server, LONG[:900], n=3, temperature=1.0)
        assert (cached(several), len(several.choices)) == (896, 3)
        assert cached(made(server, [5, *LONG[:1500]])) == 0
        # The pages of the oldest prompts made room.
        assert cached(made(server, LONG)) < 1984
        metrics = server.client()._client.get(f"{server.url}/metrics").text
        assert 'lambent_cached_tokens_total{model="tiny"}' in metrics
        assert 'lambent_cache_pages_used{model="tiny"} 0' in metrics


def test_a_chat_that_grows_is_computed_once(long_model: Path) -> None:
    with started(model=long_model) as server:
        client = server.client()
        messages = [{"role": "system", "content": "Answer in one word. " * 20},
                    {"role": "user", "content": "Hello there"}]
        options: dict[str, Any] = {"model": "tiny", "temperature": 0, "max_tokens": 30}
        first = client.chat.completions.create(messages=messages, **options)
        messages += [{"role": "assistant", "content": first.choices[0].message.content},
                     {"role": "user", "content": "And then?"}]
        second = client.chat.completions.create(messages=messages, **options)
        assert first.usage.prompt_tokens - 32 < cached(second) < second.usage.prompt_tokens
        response = client.responses.create(model="tiny", input=messages, max_output_tokens=4)
        assert response.usage is not None
        assert response.usage.input_tokens_details.cached_tokens > cached(second) - 16
        stream = client.chat.completions.create(
            messages=messages, stream=True, stream_options={"include_usage": True}, **options)
        assert cached(list(stream)[-1]) > cached(second) - 16


def test_scores_of_a_prompt_are_never_left_out(long_model: Path) -> None:
    with started(model=long_model) as server:
        options: dict[str, Any] = {"echo": True, "logprobs": 0, "max_tokens": 1}
        first = made(server, LONG[:200], **options)
        again = made(server, LONG[:200], **options)
        assert len(again.choices[0].logprobs.token_logprobs) == 201
        assert (cached(first), cached(again)) == (0, 0)
        assert cached(made(server, LONG[:200])) == 192


def test_a_long_prompt_does_not_stop_the_others(long_model: Path) -> None:
    with started("--max-tokens", "2000", model=long_model) as server:
        times = []
        stream = made(server, [9, 8, 7], stream=True, max_tokens=1500, logit_bias={"1": -100})
        arrivals = iter(stream)
        next(arrivals)
        other = threading.Thread(target=lambda: made(server, LONG[::-1] + LONG[:1500]))
        other.start()
        while other.is_alive():
            before = time.monotonic()
            if next(arrivals, None) is None:
                break
            times.append(time.monotonic() - before)
        other.join()
        stream.close()
        assert len(times) > 3
        assert max(times) < 3.0


@pytest.mark.parametrize("options", [
    ("--draft", "ngrams"), ("--draft", "{model}", "--draft-tokens", "3"),
])
def test_drafts_do_not_change_texts(long_model: Path, options: tuple[str, ...]) -> None:
    prompt = LONG[:40] * 3
    with started(model=long_model) as server:
        wanted = [made(server, prompt, max_tokens=60).choices[0].text,
                  made(server, prompt, max_tokens=60, temperature=0.5, seed=4).choices[0].text]
    words = [option.format(model=long_model) for option in options]
    with started(*words, model=long_model) as server:
        assert made(server, prompt, max_tokens=60).choices[0].text == wanted[0]
        if "ngrams" in words:
            assert made(server, prompt, max_tokens=60, temperature=0.5,
                        seed=4).choices[0].text == wanted[1]


@pytest.mark.parametrize("bits", ["8", "4"])
def test_small_caches(long_model: Path, bits: str) -> None:
    with started("--cache-bits", bits, model=long_model) as server:
        first = made(server, LONG[:300], max_tokens=20)
        again = made(server, LONG[:300], max_tokens=20)
        assert first.choices[0].text == again.choices[0].text
        assert cached(again) == 288


def test_texts_that_are_longer_than_the_context() -> None:
    model = folder("llama")
    context = json.loads((model / "config.json").read_text("utf-8"))["max_position_embeddings"]
    with started("--cache-window", "32", "--cache-sinks", "4", model=model) as server:
        answers = [made(server, [5 + k % 60 for k in range(context + 10)], max_tokens=40)
                   for _ in range(2)]
        assert answers[0].choices[0].text == answers[1].choices[0].text
        assert [answer.usage.prompt_tokens for answer in answers] == [context + 10] * 2
        assert all(answer.usage.completion_tokens > 0 for answer in answers)


def test_states_share_what_prompts_begin_with() -> None:
    with started(model=folder("mamba2")) as server:
        first = made(server, list(range(5, 70)), max_tokens=10)
        again = made(server, list(range(5, 70)), max_tokens=10)
        assert first.choices[0].text == again.choices[0].text
        assert (cached(first), cached(again)) == (0, 64)


@pytest.mark.parametrize("words", [
    ["--draft", "ngrams"], ["--cache-bits", "8"], ["--cache-tokens", "999"],
    ["--cache-window", "9", "--cache-sinks", "1"], ["--draft-tokens", "2"],
])
def test_options_of_language_models_alone(words: list[str]) -> None:
    encoder = str(folder("bert"))
    status, text = run_here([encoder, "--port", "0", *words])
    assert status == 70
    assert f"model-server: {words[0]} is for language models, and {encoder} is an en" in text
    status, text = run_here(["--port", "0", "--model", f"a={encoder}", "--model", f"b={encoder}",
                             *words])
    assert status == 70
    assert f"lambent: {words[0]} is for language models, and none of these is one" in text


@pytest.mark.parametrize(("words", "message", "hint"), [
    (["--cache-window", "90", "--cache-tokens", "64"],
     "batch-engine: 4 pages do not hold a text with this window", "--cache-tokens"),
    (["--cache-window", "4000", "--cache-sinks", "2"],
     "sinks do not go with this model", "leave --cache-window and --cache-sinks out"),
    (["--cache-window", "9", "--cache-sinks", "2", "--draft", "{mamba2}"],
     "a model whose layers have states cannot be drafted for", "leave --draft out"),
])
def test_errors_name_the_options(words: list[str], message: str, hint: str) -> None:
    words = [word.format(mamba2=folder("mamba2")) for word in words]
    status, text = run_here([str(folder("llama")), "--port", "0", *words])
    assert status == 70
    assert message in text
    assert hint in text
    assert " :" not in text


@pytest.mark.parametrize(("words", "said"), [
    (["--cache-sinks", "3"], "--cache-sinks are kept beside a window"),
    (["--cache-bits", "3"], "--cache-bits takes 8 or 4, got 3"),
    (["--cache-tokens", "3"], "--cache-tokens takes an integer from 16"),
    (["--draft", "nothing-here"], "cannot open nothing-here"),
])
def test_wrong_words(words: list[str], said: str) -> None:
    status, text = run_here([str(folder("llama")), *words])
    assert status in (64, 66)
    assert said in text
