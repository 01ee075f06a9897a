"""Sounds in requests: OpenAI's client sends them, and so do clients that mean no good."""

import contextlib
import io
import json
import random
import socket
import struct
import time
import urllib.error
import urllib.request
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import pytest
import torch

from lambent.lang.errors import LispError
from lambent.lang.serve.faults import ApiError
from lambent.lang.serve.multipart import Upload, boundary_of, form_of
from lambent.lang.serve.requests import Target
from lambent.lang.serve.transcriptions import TranscriptionRequest, hearing_fault
from tests.suites.seq2seq.timed_whisper import heard_segments, write_timed_whisper
from tests.suites.serve.test_serve import GENEROUS, Server, started

TINY = "tiny"
RATE = 16000
_BODY = (
    b'--b\r\nContent-Disposition: form-data; name="model"\r\n\r\ntiny\r\n'
    b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n'
    b"Content-Type: audio/wav\r\n\r\n\0\xff\r\n\r\n--b--\r\n"
)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_timed_whisper(tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="module")
def server(model: Path) -> Iterator[Server]:
    with started("--max-audio", "200000", "--max-waiting", "2", model=model) as running:
        yield running


@pytest.fixture(scope="module")
def sound() -> torch.Tensor:
    return torch.rand(24000, generator=torch.Generator().manual_seed(2)) * 2 - 1


def _wav(data: bytes, *, tag: int = 3, bits: int = 32, rate: int = RATE) -> bytes:
    form = struct.pack("<HHIIHH", tag, 1, rate, rate * bits // 8, bits // 8, bits)
    body = b"WAVEfmt " + struct.pack("<I", len(form)) + form
    body += b"data" + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", len(body)) + body


def _file(sound: torch.Tensor) -> tuple[str, bytes]:
    return "speech.wav", _wav(sound.numpy().tobytes())


def test_openai_client(server: Server, model: Path, sound: torch.Tensor) -> None:
    client = server.client().audio
    options: dict[str, Any] = {"model": TINY, "file": _file(sound), "language": "en"}
    verbose = client.transcriptions.create(**options, response_format="verbose_json",
                                           timestamp_granularities=["segment"])
    wanted = heard_segments(model, sound, most=None, language="en", task="transcribe")
    assert verbose.segments is not None and len(wanted) > 2
    for segment, (start, end, _) in zip(verbose.segments, wanted, strict=True):
        assert (segment.start, segment.end) == pytest.approx((start, end), abs=0.021)
        assert segment.avg_logprob < 0 < segment.no_speech_prob < 1
        assert segment.temperature == 0 and segment.compression_ratio > 0
    assert float(verbose.duration) == 1.5 and verbose.language == "en"
    text = "".join(segment.text for segment in verbose.segments).strip()
    assert client.transcriptions.create(**options).text == verbose.text == text
    assert client.transcriptions.create(**options, response_format="text") == f"{text}\n"
    srt = client.transcriptions.create(**options, response_format="srt")
    assert str(srt).startswith("1\n00:00:00,")
    vtt = client.transcriptions.create(**options, response_format="vtt")
    assert str(vtt).startswith("WEBVTT\n\n00:00:00.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # newer clients warn
        english = client.translations.create(model=TINY, file=_file(sound),
                                             response_format="verbose_json")
    assert [segment.start for segment in english.segments or ()]
    sampled = client.transcriptions.create(**options, temperature=0.9, prompt="one")
    assert isinstance(sampled.text, str)


@pytest.mark.parametrize(("data", "message"), [
    (b"ID3\x04" + bytes(50), "\"speech.wav\" is of the format MP3, not WAV; ffmpeg"),
    (b"no sound", "is not a WAV file"),
    (b"", "is not a WAV file"),
    (_wav(b"abcd", tag=6, bits=8), "cannot read samples of format 6"),
    (_wav(bytes(40000), tag=1, bits=8, rate=1), "has 1 samples a second"),
    (_wav(bytes(16), rate=44101), "has no small ratio"),
])
def test_sounds_that_are_refused(server: Server, data: bytes, message: str) -> None:
    with pytest.raises(openai.BadRequestError) as error:
        server.client().audio.transcriptions.create(model=TINY, file=("speech.wav", data))
    assert message in error.value.message
    assert (error.value.param, error.value.code) == ("file", "invalid_audio")


def test_times_of_words(server: Server, model: Path, sound: torch.Tensor) -> None:
    client = server.client().audio
    options: dict[str, Any] = {"model": TINY, "file": _file(sound), "language": "en",
                               "response_format": "verbose_json"}
    words = client.transcriptions.create(**options, timestamp_granularities=["word"])
    assert words.segments is None and words.words is not None and len(words.words) > 3
    assert "".join(words.text.split()) == "".join("".join(word.word.split())
                                                  for word in words.words)
    assert all(0 <= word.start <= word.end <= 1.5 for word in words.words)
    both = client.transcriptions.create(**options, timestamp_granularities=["word", "segment"])
    assert both.words == words.words and both.segments
    assert client.transcriptions.create(**options).words is None


def test_sounds_without_sense_are_heard(server: Server) -> None:
    for numbers in ([float("nan")] * 800, [1e38, -1e38] * 800, []):
        data = _wav(struct.pack(f"<{len(numbers)}f", *numbers))
        answer = server.client().audio.transcriptions.create(model=TINY, file=("x.wav", data))
        assert isinstance(answer.text, str)


@pytest.mark.parametrize(("fields", "message"), [
    ({"response_format": "mp3"}, "response_format takes one of json"),
    ({"language": "tlh"}, "unknown language"),
    ({"temperature": 3}, "temperature takes a number from 0 to 1"),
    ({"timestamp_granularities": ["word"]}, "times of words are in answers of the"),
    ({"timestamp_granularities": ["letter"]}, "takes word, segment or both, got .*letter"),
    ({"extra_body": {"colour": "red"}}, "unknown field"),
])
def test_fields_that_are_refused(
    server: Server, sound: torch.Tensor, fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(openai.BadRequestError, match=message) as error:
        server.client().audio.transcriptions.create(model=TINY, file=_file(sound), **fields)
    assert error.value.param == next(iter(fields.get("extra_body", fields)))


@pytest.mark.parametrize(("options", "message", "fault"), [
    ({}, 'load-wav: "/tmp/x.wav" has no samples', (400, "file", "invalid_audio")),
    ({}, "resample: 1 to 3 has no small ratio", (400, "file", "invalid_audio")),
    ({"language": "prompt"}, 'transcribe: unknown language "prompt"',
     (400, "language", "unsupported")),
    ({"prompt": "x"}, "transcribe: the model takes no :prompt", (400, "prompt", "unsupported")),
    ({"prompt": "x", "task": "translate"}, "transcribe: it takes no :language or :task",
     (400, None, "unsupported")),
    ({"prompt": "x"}, "transcribe: takes a tensor, got 3", (500, None, "generation_failed")),
    ({"words": True}, "transcribe-result: the times of words need alignment_heads",
     (400, "timestamp_granularities", "unsupported")),
    ({"language": "en"}, "tensor-to: too little memory", (500, None, "generation_failed")),
])
def test_whose_fault_it_is(
    options: dict[str, Any], message: str, fault: tuple[int, str | None, str]
) -> None:
    request = TranscriptionRequest(TINY, Target(TINY), Upload("a.wav", memoryview(b"")), options,
                                   "json")
    found = hearing_fault(request, LispError(message, hint="try"), "/tmp/x.wav")
    assert (found.status, found.param, found.code) == fault
    assert found.message == message.replace("/tmp/x.wav", "a.wav") + "; try"


def _status(server: Server, body: bytes, headers: dict[str, str]) -> tuple[int, str]:
    request = urllib.request.Request(
        f"{server.url}/v1/audio/transcriptions", body,
        {"Content-Type": "multipart/form-data; boundary=b"} | headers)
    try:
        with urllib.request.urlopen(request, timeout=GENEROUS) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)["error"]["message"]


def test_other_sites_and_sizes(server: Server) -> None:
    assert _status(server, _BODY, {"Origin": "https://evil.example"})[0] == 403
    assert _status(server, _BODY, {"Content-Type": "multipart/form-data"})[0] == 400
    assert _status(server, _BODY, {"Content-Type": "text/plain"})[0] == 415
    status, message = _status(server, _BODY + bytes(200_000), {})
    assert (status, message) == (413, "the body is larger than 200000 bytes")
    chats = server.client().chat.completions
    with pytest.raises(openai.BadRequestError, match="only a language model generates text"):
        chats.create(model=TINY, messages=[{"role": "user", "content": "x"}])


def _begin(server: Server, stack: contextlib.ExitStack, body: bytes, size: int) -> socket.socket:
    """A connection that has sent the head of a request, and that of its body."""
    connection = stack.enter_context(
        socket.create_connection(("127.0.0.1", server.port), timeout=GENEROUS))
    connection.sendall(b"POST /v1/audio/transcriptions HTTP/1.1\r\nHost: localhost\r\n"
                       b"Content-Type: multipart/form-data; boundary=b\r\n"
                       b"Content-Length: %d\r\n\r\n" % size + body)
    return connection


def _answer(connection: socket.socket) -> bytes:
    answer = b""
    while not answer.endswith(b"}}") and (part := connection.recv(1000)):
        answer += part
    return answer


def test_a_few_forms_are_received_at_once(server: Server) -> None:
    with contextlib.ExitStack() as stack:
        silent = [_begin(server, stack, _BODY[:10], len(_BODY)) for _ in range(4)]
        time.sleep(0.5)
        patient = _begin(server, stack, _BODY, len(_BODY))
        patient.settimeout(1.0)
        with pytest.raises(TimeoutError):
            patient.recv(1)
        silent[0].close()
        patient.settimeout(GENEROUS)
        assert b" 400 " in _answer(patient)


def test_a_server_that_does_not_hear_reads_no_form() -> None:
    with started() as deaf, contextlib.ExitStack() as stack:
        answer = _answer(_begin(deaf, stack, b"", 20_000_000))
        assert b" 400 " in answer and b"no model of this server hears" in answer


def test_a_form() -> None:
    form = form_of(_BODY, boundary_of('multipart/form-data; boundary="b"'))
    assert form.texts == {"model": ["tiny"]}
    assert (form.files["file"].name, bytes(form.files["file"].data)) == ("a.wav", b"\0\xff\r\n")


def test_forms_that_are_broken() -> None:
    """Nothing but an ApiError, whatever the bytes are."""
    numbers = random.Random(1)
    read = 0
    for _ in range(3000):
        body = bytearray(_BODY)
        for _ in range(numbers.randint(1, 6)):
            place = numbers.randrange(len(body))
            body[place : place + numbers.randint(0, 2)] = bytes(
                numbers.choices(b"\r\n-b;\"= \0\xff", k=numbers.randint(0, 2)))
        try:
            form_of(bytes(body), "b")
            read += 1
        except ApiError:
            pass
    assert 0 < read < 3000


@pytest.mark.parametrize("body", [
    b"--b\r\n" * 1_000_000, b"--b\r\n" + b"\r\n--" * 2_000_000, b"--b\r\n" + b"\r" * 8_000_000,
    b"--b\r\n" + b"a:;" * 1000 + b"\r\n\r\nx\r\n--b--", b"", b"--b", b"--b\r\n",
    _BODY.replace(b'"model"', b'"' + b"m" * 100 + b'"'), _BODY.replace(b"tiny", b"\xff"),
    _BODY.replace(b"tiny", b"x" * 100_000), _BODY.replace(b'"model"', b'"file"'),
])
def test_forms_that_are_refused(body: bytes) -> None:
    with pytest.raises(ApiError):
        form_of(body, "b")


def test_a_file_may_be_read_twice(server: Server, sound: torch.Tensor) -> None:
    """A stream of bytes without a name is a file, too."""
    _, data = _file(sound)
    answer = server.client().audio.transcriptions.create(model=TINY, file=io.BytesIO(data))
    assert answer.text
