"""The words of `lambent serve`.

    parse(["folder", "--port", "0"])  =>  Options(models={"folder": "folder"}, port=0, ...)
    parse(["--model", "a=f", "--adapter", "a:x=g"])
        =>  Options(models={"a": "f"}, adapters={"a": {"x": "g"}}, ...)
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from lambent.lang.command_words import Reader, number, one_of, text
from lambent.lang.errors import MissingInput

USAGE = "lambent serve FOLDER [--host NAME] [--port N] [OPTION ...]"
LARGEST_PORT = 65535
NGRAMS = "ngrams"  # drafts without a model


@dataclass(frozen=True, slots=True)
class Options:
    """models: folders by the names of models.  adapters: folders by the names of models and of
    adapters."""

    models: Mapping[str, str]
    adapters: Mapping[str, Mapping[str, str]]
    host: str = "127.0.0.1"
    port: int = 8000
    api_key: str = ""
    max_tokens: int = 4096
    max_body: int = 4_000_000
    max_audio: int = 25_000_000
    max_batch: int = 8
    max_waiting: int = 64
    max_responses: int = 256
    cache_tokens: int = 0
    cache_bits: str = ""
    cache_window: int = 0
    cache_sinks: int = -1
    draft: str = ""
    draft_tokens: int = 0
    timeout: int = 30
    drain: int = 30
    cors: str = ""
    log: str = ""
    dtype: str = ""
    device: str = ""
    bits: str = ""
    threads: int = 0


_READER = Reader(
    USAGE,
    {"port": number(0, LARGEST_PORT), "max_tokens": number(1, 2**31),
     "max_body": number(1000, 2**31), "max_audio": number(1000, 2**31),
     "max_batch": number(1, 1024),
     "max_waiting": number(0, 100_000), "max_responses": number(0, 100_000),
     "timeout": number(1, 86_400), "drain": number(0, 86_400), "threads": number(1, 1024),
     "cache_tokens": number(16, 2**31), "draft_tokens": number(1, 64),
     "cache_window": number(1, 2**31), "cache_sinks": number(0, 2**31),
     "bits": one_of("8", "4"), "cache_bits": one_of("8", "4"), "draft": text, "host": text,
     "name": text, "api_key": text, "cors": text, "log": text, "dtype": text, "device": text},
    repeated={"model": text, "adapter": text},
)  # fmt: skip


def parse(words: list[str]) -> Options:
    """The options; a UsageFault if a word is wrong, a MissingInput without a folder."""
    folders, options, repeated = _READER.read_all(words)
    if len(folders) > 1:
        _READER.fail(f"unexpected argument: {folders[1]}")
    if not folders and not repeated["model"]:
        _READER.fail("no folder is given")
    models = _models(folders, str(options.pop("name", "")), repeated["model"])
    for folder in models.values():
        _check_exists(folder, "it takes the folder of a model, or a GGUF file")
    if (draft := str(options.get("draft", ""))) not in ("", NGRAMS):
        _check_exists(draft, f"--draft takes {NGRAMS}, or the folder of a smaller model")
    if "cache_sinks" in options and "cache_window" not in options:
        _READER.fail("--cache-sinks are kept beside a window, which --cache-window N gives")
    adapters = _adapters(repeated["adapter"], models)
    return Options(models, adapters, **options)  # type: ignore[arg-type]


def _models(folders: Sequence[str], name: str, named: Sequence[str]) -> dict[str, str]:
    """The folder of the command, and those of --model NAME=FOLDER."""
    models = {name or Path(folder).resolve().name: folder for folder in folders}
    if name and not folders:
        _READER.fail("--name is for FOLDER; --model NAME=FOLDER has a name of its own")
    for word in named:
        name, equals, folder = word.partition("=")
        if not (name and equals and folder) or ":" in name:
            _wrong("--model", "NAME=FOLDER, where the name has no colon", word)
        if name in models:
            _READER.fail(f"two models have the name {name}")
        models[name] = folder
    return models


def _adapters(named: Sequence[str], models: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """The folders of --adapter MODEL:NAME=FOLDER; the model may be left out if there is one."""
    adapters: dict[str, dict[str, str]] = {model: {} for model in models}
    for word in named:
        name, equals, folder = word.partition("=")
        model, colon, own = name.rpartition(":")
        if not colon and len(models) == 1:
            [model] = models
        if not (own and equals and folder):
            _wrong("--adapter", "NAME=FOLDER or MODEL:NAME=FOLDER", word)
        if model not in adapters:
            _READER.fail(f"--adapter {word} names no model; there are {', '.join(models)}")
        if own in adapters[model]:
            _READER.fail(f"two adapters of {model} have the name {own}")
        _check_exists(folder, "it takes a folder that peft or save-adapters wrote")
        adapters[model][own] = folder
    return adapters


def _wrong(option: str, takes: str, word: str) -> NoReturn:
    _READER.fail(f"{option} takes {takes}, got {word}")


def _check_exists(folder: str, hint: str) -> None:
    if not Path(folder).exists():
        raise MissingInput(f"lambent: cannot open {folder}: {os.strerror(2)}", hint=hint)
