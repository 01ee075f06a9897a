"""instructor as a client of `lambent serve`; it prints what it gets as JSON."""

import json
import sys
from collections.abc import Iterable
from typing import Any

import instructor
import openai
from pydantic import BaseModel, ConfigDict

from tests.suites.serve.clients.weather import ENOUGH, MODEL, USER, Weather

URL = sys.argv[1]
MODES = instructor.Mode
ASKED: dict[str, Any] = {"model": MODEL, "messages": USER, "max_tokens": ENOUGH, "temperature": 0,
                         "max_retries": 0}


class Anything(BaseModel):
    """What an object may be that follows no schema."""

    model_config = ConfigDict(extra="allow")


def client(*mode: Any) -> Any:
    base = openai.OpenAI(base_url=URL, api_key="none", max_retries=0)
    return instructor.from_openai(base, **({"mode": mode[0]} if mode else {}))


def structures() -> list[Any]:
    """In the usual mode, in each mode that demands a structure, and by a stream."""
    ways = [client(), *(client(mode) for mode in (
        MODES.TOOLS, MODES.TOOLS_STRICT, MODES.JSON_SCHEMA, MODES.RESPONSES_TOOLS))]
    found = [way.chat.completions.create(response_model=Weather, **ASKED) for way in ways]
    usual = ways[0].chat.completions
    found.append(list(usual.create_partial(response_model=Weather, **ASKED))[-1])
    named = instructor.from_provider(f"openai/{MODEL}", base_url=URL, api_key="none")
    found.append(named.create(response_model=Weather, messages=USER, max_tokens=ENOUGH))
    found += usual.create(response_model=Iterable[Weather], **ASKED | {"max_tokens": 400})
    return [value.model_dump() for value in found]


def objects() -> list[Any]:
    """In the mode whose prompt describes the structure, while the answer may be any object."""
    way = client(MODES.JSON).chat.completions
    return [way.create(response_model=Anything, **ASKED).model_dump()]


if __name__ == "__main__":
    print(json.dumps({"structures": structures(), "objects": objects()}))
