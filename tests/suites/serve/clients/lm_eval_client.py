"""lm-evaluation-harness as a client of `lambent serve`: chats, texts, and scores of choices."""

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

os.environ |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}

import lm_eval
from lm_eval.tasks import TaskManager

URL, FOLDER = sys.argv[1:]
QUESTIONS = [{"question": f"Is {k} even?", "answer": k % 2} for k in range(3)]
SHARED = {"dataset_path": "json", "test_split": "test", "doc_to_text": "{{question}}",
          "metadata": {"version": 1}}
GENERATED = {"task": "said", "output_type": "generate_until", "doc_to_target": "{{answer}}",
             "generation_kwargs": {"until": ["\n\n"], "max_gen_toks": 6, "do_sample": False},
             "metric_list": [{"metric": "exact_match"}]}
CHOSEN = {"task": "chosen", "output_type": "multiple_choice", "doc_to_target": "answer",
          "doc_to_choice": ["yes", "no"], "metric_list": [{"metric": "acc"}]}
ROLLING = {"task": "rolling", "output_type": "loglikelihood_rolling", "doc_to_text": "", "doc_to_target": "{{question}}", "metric_list": [{"metric": "word_perplexity"}]}

def tasks(folder: Path) -> TaskManager:
    data = folder / "data.json"
    data.write_text("".join(json.dumps(question) + "\n" for question in QUESTIONS), "utf-8")
    for task in (GENERATED, CHOSEN, ROLLING):
        text = json.dumps({**SHARED, "dataset_kwargs": {"data_files": {"test": str(data)}}, **task})
        (folder / f"{task['task']}.yaml").write_text(text, "utf-8")
    return TaskManager(include_path=str(folder), include_defaults=False)


def evaluated(manager: TaskManager, model: str, path: str, names: list[str], **more: Any) -> Any:
    found = lm_eval.simple_evaluate(
        model=model, tasks=names, task_manager=manager, bootstrap_iters=0, log_samples=True,
        model_args={"model": "tiny", "base_url": f"{URL}{path}", "num_concurrent": 1,
                    "max_retries": 1, "max_length": 128, **more.pop("model_args", {})}, **more)
    return {name: [sample["resps"] for sample in found["samples"][name]] for name in names}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        manager = tasks(Path(folder))
        found = {
            "chat": evaluated(manager, "local-chat-completions", "/chat/completions", ["said"],
                              apply_chat_template=True),
            "texts": evaluated(
                manager, "local-completions", "/completions", ["said", "chosen", "rolling"],
                model_args={"tokenizer": FOLDER, "tokenizer_backend": "huggingface"}),
        }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
