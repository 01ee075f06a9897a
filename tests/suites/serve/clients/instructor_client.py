"""instructor as a client of `lambent serve`: each mode of it that OpenAI's client has."""

import asyncio
import json
import sys
from typing import Any, Literal
from collections.abc import Iterable

import instructor
import openai
from pydantic import BaseModel, Field

URL = sys.argv[1]


class Weather(BaseModel):
    """How it is outside."""

    city: Literal["Rome", "Oslo"]
    degrees: int = Field(ge=-9, le=30)

class Air(BaseModel):
    """How it is."""
    wet: bool

USER = [{"role": "user", "content": "Hello there"}]
def opt(**m): return {"model": "tiny", "messages": USER, "max_tokens": 90, "temperature": 0, "max_retries": 0, **m}

def modes():
    found = {}
    for mode in (None, instructor.Mode.TOOLS, instructor.Mode.TOOLS_STRICT, instructor.Mode.JSON_SCHEMA, instructor.Mode.JSON, instructor.Mode.MD_JSON, instructor.Mode.PARALLEL_TOOLS, instructor.Mode.RESPONSES_TOOLS):
        base = openai.OpenAI(base_url=URL, api_key="none", max_retries=0)
        client = instructor.from_openai(base) if mode is None else instructor.from_openai(base, mode=mode)
        try:
            a = {}
            if mode == instructor.Mode.RESPONSES_TOOLS: a = {}
            model = Iterable[Weather | Air] if mode == instructor.Mode.PARALLEL_TOOLS else Weather
            got = client.chat.completions.create(response_model=model, **opt())
            found[str(mode)] = [g.model_dump() for g in got] if not isinstance(got, Weather) else got.model_dump()
        except Exception as e:
            found[str(mode)] = repr(e)[-1500:]
    return found

def streams():
    base = openai.OpenAI(base_url=URL, api_key="none", max_retries=0)
    found = {}
    for mode in (instructor.Mode.TOOLS, instructor.Mode.JSON_SCHEMA):
        client = instructor.from_openai(base, mode=mode)
        *_, last = client.chat.completions.create_partial(response_model=Weather, **opt())
        found[str(mode)] = [last.model_dump()]
        try:
            found[str(mode)].append([x.model_dump() for x in client.chat.completions.create_iterable(response_model=Weather, **opt(max_tokens=200))])
        except Exception as e:
            found[str(mode)].append(repr(e)[-1500:])
    return found

def provider():
    c = instructor.from_provider("openai/tiny", base_url=URL, api_key="none")
    return c.create(response_model=Weather, messages=USER, max_tokens=90).model_dump()

def main() -> None:
    for part in (modes, streams, provider):
        try:
            print(json.dumps({part.__name__: part()},indent=1), flush=True)
        except Exception:
            import traceback; traceback.print_exc()


if __name__ == "__main__":
    main()
