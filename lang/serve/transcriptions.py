"""Requests for what is spoken in a sound, and their answers.

    transcription_request(form, limits, "transcribe")  =>  TranscriptionRequest(model="m", ...)

/v1/audio/transcriptions writes what is said, /v1/audio/translations the same in English.  Bodies
are forms (`multipart.py`).  WAV files are read; Whisper hears them.
"""

import json
import zlib
from dataclasses import dataclass
from typing import Any

from lambent.lang.errors import LispError
from lambent.lang.serve.faults import ApiError, failed
from lambent.lang.serve.fields import Fields
from lambent.lang.serve.multipart import Form, Upload
from lambent.lang.serve.requests import Limits, Target, model_of

FORMATS = {"json": "application/json", "verbose_json": "application/json",
           "text": "text/plain", "srt": "application/x-subrip", "vtt": "text/vtt"}
# How errors of Lisp begin: with the operation that refuses.
_OF_SOUNDS = ("load-wav: ", "resample: ")
_OF_CHOICES = "transcribe: "
_OF_WORDS = "transcribe-result: the times of words "
_REPEATED = ("timestamp_granularities[]", "timestamp_granularities", "include[]", "include")


@dataclass(frozen=True, slots=True)
class TranscriptionRequest:
    """options: as model-server's listen takes them.  format: of FORMATS.  times: segment, word."""

    model: str
    target: Target
    upload: Upload
    options: dict[str, Any]
    format: str
    times: frozenset[str] = frozenset({"segment"})

    @property
    def kind(self) -> str:
        """What format-transcription makes for this request."""
        return self.format if self.format in ("srt", "vtt", "text") else "json"


def transcription_request(form: Form, limits: Limits, task: str) -> TranscriptionRequest:
    """The request of a form; an ApiError if it cannot be answered."""
    fields = Fields({name: _value(name, texts) for name, texts in form.texts.items()})
    model, target = model_of(fields, limits)
    upload = _file(form)
    format_ = fields.text("response_format") or "json"
    if format_ not in FORMATS:
        raise fields.refuse("response_format", f"one of {', '.join(FORMATS)}")
    options: dict[str, Any] = {"task": task} if task != "transcribe" else {}
    for name in ("language", "prompt"):
        if text := fields.text(name):
            options[name] = text
    if temperature := fields.number("temperature", 0, 1):
        options["temperature"] = temperature
    if format_ == "verbose_json":
        options["sure"] = True
    times = _times(fields, format_)
    if "word" in times:
        options["words"] = True
    fields.any("stream")  # OpenAI's Whisper answers at the end, too
    for name in ("include[]", "include", "chunking_strategy"):
        fields.any(name)
    fields.end()
    return TranscriptionRequest(model, target, upload, options, format_, times)


def _times(fields: Fields, format_: str) -> frozenset[str]:
    """What has times in the answer: words, segments, or both."""
    found: set[Any] = set()
    for name in ("timestamp_granularities[]", "timestamp_granularities"):
        entries = fields.list(name) or []
        if not all(entry in ("word", "segment") for entry in entries):
            fault = fields.refuse(name, "word, segment or both")
            fault.param = "timestamp_granularities"
            raise fault
        found.update(entries)
    if "word" in found and format_ != "verbose_json":
        raise ApiError("times of words are in answers of the response_format verbose_json",
                       param="timestamp_granularities")
    return frozenset(found or {"segment"})


def _value(name: str, texts: list[str]) -> Any:
    """The value of a field of a form: a number if it is one, a list where several may come."""
    if name in _REPEATED:
        return texts
    if len(texts) > 1:
        raise ApiError(f"{name} comes {len(texts)} times", param=name)
    [text] = texts
    if name == "temperature":
        try:
            return float(text)
        except ValueError:
            return text
    return text


def _file(form: Form) -> Upload:
    for name in form.files:
        if name != "file":
            raise ApiError(f"unknown file: {name}; a sound is the part file", param=name,
                           code="unknown_field")
    if "file" not in form.files:
        raise ApiError("file is missing: a part with a file name, which has the sound",
                       param="file")
    return form.files["file"]


def hearing_fault(request: TranscriptionRequest, error: LispError, path: str) -> ApiError:
    """The fault of an error of listen: of the sound, which is in the file of that path, of a choice
    that the model does not have, or ours."""
    message = error.message.replace(path, request.upload.name)
    if error.hint:
        message += f"; {error.hint}"
    if error.message.startswith(_OF_SOUNDS):
        return ApiError(message, param="file", code="invalid_audio")
    if error.message.startswith(_OF_WORDS):
        return ApiError(message, param="timestamp_granularities", code="unsupported")
    if error.message.startswith(_OF_CHOICES):
        for name in ("language", "prompt", "task"):
            if name in request.options and name in error.message:
                return ApiError(message, param=None if name == "task" else name,
                                code="unsupported")
    return failed(message)


def transcription_answer(request: TranscriptionRequest, heard: str) -> bytes:
    """The body of an answer, of what format-transcription made."""
    if request.kind != "json":
        return heard.encode()
    found = json.loads(heard)
    if request.format == "json":
        return json.dumps({"text": found["text"]}).encode()
    if "segment" not in request.times:
        del found["segments"]
    if "word" in request.times:
        found.setdefault("words", [])  # where nothing is spoken
    for segment in found.get("segments", ()):
        segment["temperature"] = request.options.get("temperature", 0.0)
        segment["compression_ratio"] = _compression(segment["text"].encode())
    task = request.options.get("task", "transcribe")
    return json.dumps({"task": task, **found}).encode()


def _compression(text: bytes) -> float:
    """How much shorter a text becomes; much, if the model repeats itself."""
    return len(text) / len(zlib.compress(text))
