"""Ollama's own client: chats, streams, structures, tools, texts, vectors and models."""

import json
import sys
from typing import Any

import ollama

from tests.suites.serve.clients.weather import ENCODER, ENOUGH, HELLO, MODEL, NEW, USER, Weather

OPTIONS = {"temperature": 0, "num_predict": NEW}
TOOL = {"type": "function", "function": {
    "name": "weather", "description": "the weather",
    "parameters": {"type": "object", "properties": {"city": {"enum": ["Rome", "Oslo"]}},
                   "required": ["city"]},
}}


def main(url: str) -> dict[str, Any]:
    client = ollama.Client(host=url)
    whole = client.chat(model=MODEL, messages=USER, options=OPTIONS)
    latest = client.chat(model=f"{MODEL}:latest", messages=USER, options=OPTIONS)
    parts = list(client.chat(model=MODEL, messages=USER, options=OPTIONS, stream=True))
    typed = client.chat(model=MODEL, messages=USER, format=Weather.model_json_schema(),
                        options={"num_predict": ENOUGH})
    tooled = client.chat(model=MODEL, messages=USER, tools=[TOOL], options=OPTIONS)
    text = client.generate(model=MODEL, prompt="Once", raw=True, options=OPTIONS)
    told = client.generate(model=MODEL, prompt=HELLO, options=OPTIONS)
    pieces = list(client.generate(model=MODEL, prompt="Once", raw=True, options=OPTIONS,
                                  stream=True))
    vectors = client.embed(model=ENCODER, input=["one", HELLO])
    errors = {}
    for name, call in {
        "model": lambda: client.chat(model="another", messages=USER),
        "images": lambda: client.chat(model=MODEL, messages=[{**USER[0], "images": [b"x"]}]),
        "embed": lambda: client.embed(model=MODEL, input="x"),
    }.items():
        try:
            call()
        except ollama.ResponseError as error:
            errors[name] = [error.status_code, error.error]
    return {
        "texts": [whole.message.content, latest.message.content,
                  "".join(part.message.content or "" for part in parts), told.response],
        "done": [[part.done for part in parts], parts[-1].done_reason, parts[-1].eval_count,
                 parts[-1].prompt_eval_count],
        "counts": [whole.eval_count, whole.prompt_eval_count, whole.done, whole.done_reason],
        "typed": json.loads(typed.message.content or ""),
        "tooled": tooled.message.content,
        "written": [text.response, "".join(piece.response for piece in pieces)],
        "vectors": [list(vector) for vector in vectors.embeddings],
        "one": list(client.embeddings(model=ENCODER, prompt="one").embedding),
        "models": [model.model for model in client.list().models],
        "sizes": [int(model.size or 0) for model in client.list().models],
        "shown": [client.show(MODEL).capabilities, client.show(ENCODER).capabilities],
        "errors": errors,
    }


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1])))
