"""lm-evaluation-harness as a client of `lambent serve`; it prints what it gets as JSON.

Its tasks are of a file: answers in chats and texts, choices between texts, and whole texts.
"""

import contextlib
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

os.environ |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "OPENAI_API_KEY": "none"}

import lm_eval
from lm_eval.tasks import TaskManager

from tests.suites.serve.clients.weather import MODEL, NEW

URL, FOLDER = sys.argv[1:]  # the tokenizer is in the folder
QUESTIONS = [{"question": f"Is {number} even?", "answer": number % 2} for number in range(3)]
TASKS: list[dict[str, Any]] = [
    {"task": "said", "output_type": "generate_until", "doc_to_target": "{{answer}}",
     "generation_kwargs": {"until": ["\n\n"], "max_gen_toks": NEW, "do_sample": False},
     "metric_list": [{"metric": "exact_match"}]},
    {"task": "chosen", "output_type": "multiple_choice", "doc_to_target": "answer",
     "doc_to_choice": ["yes", "no"], "metric_list": [{"metric": "acc"}]},
    {"task": "rolling", "output_type": "loglikelihood_rolling", "doc_to_text": "",
     "doc_to_target": "{{question}}", "metric_list": [{"metric": "word_perplexity"}]},
]


def task_manager(folder: Path) -> TaskManager:
    data = folder / "questions.json"
    data.write_text("".join(json.dumps(question) + "\n" for question in QUESTIONS), "utf-8")
    for task in TASKS:
        described = {"dataset_path": "json", "dataset_kwargs": {"data_files": {"test": str(data)}},
                     "test_split": "test", "doc_to_text": "{{question}}", **task}
        (folder / f"{task['task']}.yaml").write_text(json.dumps(described), "utf-8")
    return TaskManager(include_path=str(folder), include_defaults=False)


def evaluated(
    manager: TaskManager, model: str, path: str, names: list[str], **more: Any
) -> dict[str, Any]:
    """What the model answered to each question of each task."""
    arguments = {"model": MODEL, "base_url": f"{URL}/{path}", "max_length": 120,
                 **more.pop("model_args", {})}
    results = lm_eval.simple_evaluate(model=model, model_args=arguments, tasks=names,
                                      task_manager=manager, bootstrap_iters=0, **more)
    return {name: [sample["resps"] for sample in results["samples"][name]] for name in names}


def main() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(sys.stderr):
        manager = task_manager(Path(folder))
        return {
            "chats": evaluated(manager, "local-chat-completions", "chat/completions", ["said"],
                               apply_chat_template=True),
            "texts": evaluated(manager, "local-completions", "completions",
                               ["said", "chosen", "rolling"],
                               model_args={"tokenizer": FOLDER, "num_concurrent": 2}),
        }


if __name__ == "__main__":
    print(json.dumps(main()))
