"""Chat templates equal jinja2's with the settings of transformers; the wrong ones are one error."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.suites.llm.chat_templates import CONVERSATIONS, ERRORS, FAMILIES, FEATURES, HOSTILE
from tests.support.programs_run import ProgramRunner

os.environ["HF_HUB_OFFLINE"] = "1"
DEFAULTS: dict[str, Any] = {
    "bos_token": "<s>", "eos_token": "</s>", "tools": None, "add_generation_prompt": False,
}  # fmt: skip
CASES: list[tuple[str, dict[str, object]]] = [
    *((text, talk) for text in FAMILIES.values() for talk in CONVERSATIONS),
    *((text, CONVERSATIONS[1]) for text in FEATURES),
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


def reference(text: str, arguments: dict[str, object]) -> str:
    from transformers.utils.chat_template_utils import _compile_jinja_template

    try:
        return str(_compile_jinja_template(text).render(**arguments))
    except Exception as error:
        return f"error: {error}"


@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_templates_equal_jinja(runner: ProgramRunner, back_end: str) -> None:
    # Endless ones take many seconds in a script.
    hostile = HOSTILE if back_end == "executable" else HOSTILE[5:11]
    wrong = [(text, CONVERSATIONS[0]) for text in (*ERRORS, *hostile)]
    cases = [(text, DEFAULTS | talk) for text, talk in (*CASES, *wrong)]
    file = runner.folder / "templates.json"
    file.write_text(json.dumps([{"template": a, "arguments": b} for a, b in cases]))
    program = runner.folder / "templates.lisp"
    program.write_text(PROGRAM.replace("FILE", str(file)))
    runs = {"script": runner.run_script, "executable": runner.run_executable}
    outcome = runs[back_end](Path(program))
    assert outcome.errors == ""
    got = [json.loads(line) for line in outcome.output.splitlines()]
    assert len(got) == len(cases)
    for (text, arguments), answer in zip(cases[: len(CASES)], got, strict=False):
        expected = reference(text, arguments)
        if expected.startswith("error: "):
            assert answer.startswith("error: apply-chat-template: line "), text
        else:
            assert answer == expected, text
    for (text, _), answer in zip(wrong, got[len(CASES) :], strict=True):
        assert answer.startswith("error: apply-chat-template: "), text
