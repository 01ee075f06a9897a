"""The words of `lambent serve`.

    parse(["folder", "--port", "0"])  =>  Options(folder="folder", port=0, ...)
"""

import os
from dataclasses import dataclass
from pathlib import Path

from lambent.lang.command_words import Reader, number, one_of, text
from lambent.lang.errors import MissingInput

USAGE = "lambent serve FOLDER [--host NAME] [--port N] [OPTION ...]"
LARGEST_PORT = 65535


@dataclass(frozen=True, slots=True)
class Options:
    folder: str
    host: str = "127.0.0.1"
    port: int = 8000
    name: str = ""
    api_key: str = ""
    max_tokens: int = 4096
    max_body: int = 4_000_000
    max_batch: int = 8
    max_waiting: int = 64
    timeout: int = 30
    cors: str = ""
    dtype: str = ""
    device: str = ""
    bits: str = ""
    threads: int = 0


_READER = Reader(
    USAGE,
    {"port": number(0, LARGEST_PORT), "max_tokens": number(1, 2**31),
     "max_body": number(1000, 2**31), "max_batch": number(1, 1024),
     "max_waiting": number(0, 100_000), "timeout": number(1, 86_400), "threads": number(1, 1024),
     "bits": one_of("8", "4"), "host": text, "name": text, "api_key": text, "cors": text,
     "dtype": text, "device": text},
)  # fmt: skip


def parse(words: list[str]) -> Options:
    """The options; a UsageFault if a word is wrong, a MissingInput without the folder."""
    folder, options = _READER.read(words)
    if not Path(folder).exists():
        raise MissingInput(f"lambent: cannot open {folder}: {os.strerror(2)}",
                           hint="it takes the folder of a model, or a GGUF file")
    return Options(folder, **options)  # type: ignore[arg-type]
