"""Answers to requests for responses: items of output, and the events of a stream.

    answer.started()             events before any token
    answer.piece_events(piece)   those of a piece of text
    answer.whole(choice)         the response at its end

A response has at most three kinds of items, in this order: reasoning, a message, calls of tools.
"""

import json
import secrets
import time
from typing import Any

from lambent.lang.serve.answers import Choice, Piece, ToolCall, chat_token
from lambent.lang.serve.faults import ApiError
from lambent.lang.serve.responses import ResponseRequest

Event = dict[str, Any]


class ResponseAnswer:
    """The parts of the answer to a request."""

    def __init__(self, request: ResponseRequest, prompt_tokens: int) -> None:
        self._request = request
        self._prompt_tokens = prompt_tokens
        self._has_logs = request.completion.alternatives is not None
        self._count = 0  # events so far
        self._ids = {kind: f"{kind}_{secrets.token_hex(16)}" for kind in ("resp", "rs", "msg")}
        self._open: str | None = None  # the item that grows: rs or msg
        self._index = 0  # of that item, or of the next one
        self._head = {"id": self._ids["resp"], "object": "response",
                      "created_at": int(time.time()), "model": request.completion.model}

    # Whole responses.

    def whole(self, choice: Choice) -> dict[str, Any]:
        """The response after its last token."""
        is_whole = choice.reason != "length"
        return self._response(
            "completed" if is_whole else "incomplete", self._output(choice, is_whole),
            usage=self._usage(choice),
            incomplete_details=None if is_whole else {"reason": "max_output_tokens"},
        )

    def failed(self, fault: ApiError) -> dict[str, Any]:
        return self._response("failed", [], error={"code": "server_error",
                                                   "message": fault.message})

    def _response(
        self, status: str, output: list[dict[str, Any]], **more: Any
    ) -> dict[str, Any]:
        rest = {"usage": None, "error": None, "incomplete_details": None, **more}
        return {**self._head, "status": status, "output": output, **self._request.shown, **rest}

    def _usage(self, choice: Choice) -> dict[str, Any]:
        return {
            "input_tokens": self._prompt_tokens, "output_tokens": choice.new_tokens,
            "input_tokens_details": {"cached_tokens": choice.cached_tokens,
                                     "cache_write_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": choice.thought_tokens},
            "total_tokens": self._prompt_tokens + choice.new_tokens,
        }

    def _output(self, choice: Choice, is_whole: bool) -> list[dict[str, Any]]:
        status = "completed" if is_whole else "incomplete"
        thought, text = "".join(choice.thoughts), "".join(choice.texts)
        items = [self._reasoning(thought, status)] if thought else []
        if text or not (choice.calls or thought):
            items.append(self._message(text, status, choice))
        return [*items, *(_call(call) for call in choice.calls)]

    def _reasoning(self, text: str, status: str) -> dict[str, Any]:
        return {"id": self._ids["rs"], "type": "reasoning", "summary": [], "status": status,
                "content": [{"type": "reasoning_text", "text": text}]}

    def _message(self, text: str, status: str, choice: Choice) -> dict[str, Any]:
        return {"id": self._ids["msg"], "type": "message", "role": "assistant", "status": status,
                "content": [self._text_part(text, choice)]}

    def _text_part(self, text: str, choice: Choice) -> dict[str, Any]:
        tokens = [chat_token(token) for token in choice.tokens] if self._has_logs else []
        return {"type": "output_text", "text": text, "annotations": [], "logprobs": tokens}

    # Streams.

    def started(self) -> list[Event]:
        response = self._response("in_progress", [])
        return [self._event("response.created", response=response),
                self._event("response.in_progress", response=response)]

    def piece_events(self, piece: Piece, choice: Choice) -> list[Event]:
        """The events of a piece.  choice: all pieces so far."""
        events: list[Event] = []
        if piece.thought:
            events += self._opened("rs", choice)
            events.append(self._growth("response.reasoning_text.delta", "rs", piece.thought))
        if piece.text:
            events += self._opened("msg", choice)
            tokens = [chat_token(token) for token in piece.tokens] if self._has_logs else []
            events.append(self._growth("response.output_text.delta", "msg", piece.text)
                          | {"logprobs": tokens})
        return events

    def ended(self, choice: Choice) -> list[Event]:
        """The events after the last token."""
        response = self.whole(choice)
        events: list[Event] = []
        if self._open is None and response["output"][0]["type"] == "message":  # without a token
            events += self._opened("msg", choice)
        events += self._closed(choice, response["status"])
        for item in response["output"]:
            if item["type"] == "function_call":
                events += self._call_events(item)
        kind = f"response.{response['status']}"
        return [*events, self._event(kind, response=response)]

    def failed_events(self, fault: ApiError) -> list[Event]:
        return [self._event("response.failed", response=self.failed(fault))]

    def _opened(self, kind: str, choice: Choice) -> list[Event]:
        """The events that begin an item, and end the one before it."""
        if self._open == kind:
            return []
        events = self._closed(choice, "completed")
        self._open = kind
        empty = Choice()
        item = (self._reasoning("", "in_progress") if kind == "rs"
                else self._message("", "in_progress", empty))
        part = item["content"][0]
        events.append(self._event("response.output_item.added", output_index=self._index,
                                  item={**item, "content": []}))
        if kind == "msg":
            events.append(self._at("response.content_part.added", kind, part=part))
        return events

    def _closed(self, choice: Choice, status: str) -> list[Event]:
        """The events that end the item that grows."""
        kind, events = self._open, []
        if kind is None:
            return []
        if kind == "rs":
            text = "".join(choice.thoughts)
            item = self._reasoning(text, status)
            events.append(self._at("response.reasoning_text.done", kind, text=text))
        else:
            text = "".join(choice.texts)
            item = self._message(text, status, choice)
            part = item["content"][0]
            events += [
                self._at("response.output_text.done", kind, text=text, logprobs=part["logprobs"]),
                self._at("response.content_part.done", kind, part=part),
            ]
        events.append(self._event("response.output_item.done", output_index=self._index,
                                  item=item))
        self._open = None
        self._index += 1
        return events

    def _call_events(self, item: dict[str, Any]) -> list[Event]:
        """The events of a call, which is known at once."""
        where = {"item_id": item["id"], "output_index": self._index}
        begun = {**item, "arguments": "", "status": "in_progress"}
        events = [
            self._event("response.output_item.added", output_index=self._index, item=begun),
            self._event("response.function_call_arguments.delta", delta=item["arguments"],
                        **where),
            self._event("response.function_call_arguments.done", arguments=item["arguments"],
                        name=item["name"], **where),
            self._event("response.output_item.done", output_index=self._index, item=item),
        ]
        self._index += 1
        return events

    def _growth(self, type_: str, kind: str, text: str) -> Event:
        return self._at(type_, kind, delta=text)

    def _at(self, type_: str, kind: str, **more: Any) -> Event:
        """An event about the part of an item."""
        return self._event(type_, item_id=self._ids[kind], output_index=self._index,
                           content_index=0, **more)

    def _event(self, type_: str, **more: Any) -> Event:
        self._count += 1
        return {"type": type_, "sequence_number": self._count - 1, **more}


def _call(call: ToolCall) -> dict[str, Any]:
    return {"id": f"fc_{call.id}", "type": "function_call", "call_id": call.id, "name": call.name,
            "arguments": call.arguments, "status": "completed"}


def conversation_after(
    request: ResponseRequest, response: dict[str, Any]
) -> tuple[tuple[dict[str, Any], ...], int]:
    """The items of a conversation with a response, and the size of all, in characters."""
    new: list[dict[str, Any]] = []
    for item in response["output"]:
        match item:
            case {"type": "message", "content": [{"text": text}]}:
                new.append({"type": "message", "role": "assistant", "content": text})
            case {"type": "function_call"}:
                new.append({name: item[name] for name in ("type", "call_id", "name", "arguments")})
    items = (*request.items, *new)
    return items, len(json.dumps([items, response]))
