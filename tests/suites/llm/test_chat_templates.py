"""Chat templates equal jinja2's with the settings of transformers; the wrong ones are one error."""

import ast
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.suites.llm.chat_templates import CONVERSATIONS, ERRORS, FAMILIES, FEATURES, HOSTILE
from tests.suites.llm.modern_templates import MODERN, MODERN_TALKS
from tests.suites.llm.template_rows import ROWS, SHARED
from tests.support.programs_run import ProgramRunner

os.environ["HF_HUB_OFFLINE"] = "1"
USUAL_FRAMES = 1000  # of Python, at which a template that calls itself for ever fails
DEFAULTS: dict[str, Any] = {
    "bos_token": "<s>", "eos_token": "</s>", "tools": None, "add_generation_prompt": False,
}  # fmt: skip
CASES: list[tuple[str, dict[str, object]]] = [
    *((text, talk) for text in FAMILIES.values() for talk in CONVERSATIONS),
    *((text, talk) for text in MODERN.values() for talk in MODERN_TALKS),
    *((text, CONVERSATIONS[1]) for text in (*FEATURES, *ROWS)),
]
PROGRAM = """
(define (run case)
  (let ((given (hash-ref case "arguments")))
    (guard (e (#t (string "error: " (error-object-message e))))
      (apply-chat-template
       #f (hash-ref given "messages") :template (hash-ref case "template")
       :tools (let ((tools (hash-ref given "tools"))) (if (eq? tools 'null) #f tools))
       :generation-prompt (hash-ref given "add_generation_prompt")
       :variables (filter (lambda (entry)
                            (not (member (car entry)
                                         '("messages" "tools" "add_generation_prompt"))))
                          (hash->list given))))))
(for-each (lambda (case) (write-json (run case)) (newline)) (read-json "FILE"))
"""


@pytest.fixture(autouse=True)
def local_time(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A zone in which the day is another one than that of universal time, most of the time."""
    with monkeypatch.context() as patched:
        patched.setenv("TZ", "XYZ-13:45")
        time.tzset()
        yield
    time.tzset()


def reference(text: str, arguments: dict[str, object]) -> str:
    from transformers.utils.chat_template_utils import _compile_jinja_template

    limit = sys.getrecursionlimit()  # high where Lisp has run in this process
    try:
        sys.setrecursionlimit(USUAL_FRAMES)
        return str(_compile_jinja_template(text).render(**arguments))
    except Exception as error:
        return f"error: {error}"
    finally:
        sys.setrecursionlimit(limit)


@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_templates_equal_jinja(runner: ProgramRunner, back_end: str) -> None:
    # Endless ones take many seconds in a script.
    hostile = [*HOSTILE, *SHARED] if back_end == "executable" else [*HOSTILE[5:11], *SHARED[:3]]
    wrong = [(text, CONVERSATIONS[0]) for text in (*ERRORS, *hostile)]
    answers = answers_to("templates", [*CASES, *wrong], runner, back_end)
    for (text, talk), answer in zip(CASES, answers, strict=False):
        expected = reference(text, DEFAULTS | talk)
        if expected.startswith("error: "):
            assert answer.startswith("error: apply-chat-template: line "), text
        else:
            assert answer == expected, text
    for (text, _), answer in zip(wrong, answers[len(CASES) :], strict=True):
        assert answer.startswith("error: apply-chat-template: "), text


def templates_of_transformers() -> list[str]:
    """The chat templates that stand in the modules of the installed transformers package."""
    import transformers

    folder = Path(transformers.__file__).parent
    found = set()
    for file in sorted(folder.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        if "{%" not in text or "message" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if (
                isinstance(node, ast.Constant) and isinstance(node.value, str)
                and "{%" in node.value and "message" in node.value and "%}" in node.value
            ):  # fmt: skip
                found.add(node.value)
    return sorted(found)


def test_templates_of_transformers_equal_jinja(runner: ProgramRunner) -> None:
    cases = [(text, talk) for text in templates_of_transformers() for talk in CONVERSATIONS]
    assert cases
    answers = answers_to("templates_of_transformers", cases, runner, "script")
    for (text, talk), answer in zip(cases, answers, strict=True):
        expected = reference(text, DEFAULTS | talk)
        if expected.startswith("error: "):
            assert answer.startswith("error: apply-chat-template: line "), (text, expected)
        else:
            assert answer == expected, text


def answers_to(
    name: str, cases: list[tuple[str, dict[str, object]]], runner: ProgramRunner, back_end: str
) -> list[str]:
    """What apply-chat-template makes of each template and its conversation."""
    file = runner.folder / f"{name}.json"
    file.write_text(
        json.dumps([{"template": text, "arguments": DEFAULTS | talk} for text, talk in cases])
    )
    program = runner.folder / f"{name}.lisp"
    program.write_text(PROGRAM.replace("FILE", str(file)))
    runs = {"script": runner.run_script, "executable": runner.run_executable}
    outcome = runs[back_end](Path(program))
    assert outcome.errors == ""
    answers = [str(json.loads(line)) for line in outcome.output.rstrip("\n").split("\n")]
    assert len(answers) == len(cases)
    return answers
