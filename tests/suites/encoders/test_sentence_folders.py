"""Folders of sentence-transformers: `embed` does what their files say, and refuses what it cannot.

Each case copies the encoder of `tests/support/model_folders.py`, and adds the files that
sentence-transformers writes.  torch computes the right vectors, one text at a time.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none

torch = pytest.importorskip("torch")

from safetensors.torch import save_file  # noqa: E402

from tests.support.model_folders import folder, reference  # noqa: E402
from tests.support.programs_run import command_of, run  # noqa: E402
from tests.support.saved_tensors import saved_by  # noqa: E402

TEXTS = ["a tensor", "How do I save the weights of a model?", "Models and tensors " * 12, "x"]
MODES = ("cls_token", "mean_tokens", "max_tokens", "mean_sqrt_len_tokens", "weightedmean_tokens",
         "lasttoken")
WIDTH = 48
ORDER = ("cls_token", "max_tokens", "mean_tokens", "mean_sqrt_len_tokens", "weightedmean_tokens",
         "lasttoken")

# What a case has: modules after the pooling, and further settings.
CASES: dict[str, dict[str, Any]] = {
    **{mode: {"modes": [mode]} for mode in MODES},
    "normalized": {"modes": ["cls_token"], "after": ["Normalize"]},
    "joined": {"modes": ["mean_tokens", "cls_token", "lasttoken"], "after": ["Normalize"]},
    "dense": {"modes": ["mean_tokens"], "after": ["Dense:Tanh", "Normalize"]},
    "dense-last": {"modes": ["mean_tokens"], "after": ["Normalize", "Dense:Identity", "LayerNorm"]},
    "short": {"modes": ["mean_tokens"], "length": 7},
    "prompt": {"modes": ["mean_tokens"], "default": "query"},
    "no-prompt": {"modes": ["mean_tokens"], "default": "query", "include_prompt": False},
    "no-prompt-cls": {"modes": ["cls_token", "max_tokens"], "default": "query",
                      "include_prompt": False},
    "named": {"modes": ["mean_tokens"], "named": "document"},
    "new-names": {"modes": ["lasttoken"], "new": True, "inner": True},
    "lower": {"modes": ["mean_tokens"], "lower": True},
}
PROMPTS = {"query": "find the text: ", "document": "text: "}

PROGRAM = """
(define texts '(%s))
(define (run name folder . options)
  (cons name (apply embed (load-encoder folder) (load-tokenizer "plain") texts options)))
(save-tensors "out.safetensors" (list %s))
"""


def write_json(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))


def write(base: Path, case: dict[str, Any]) -> dict[str, torch.nn.Module]:
    """Write a folder; the layers in it by their path."""
    inner = base / "0_Transformer" if case.get("inner") else base
    shutil.copytree(folder("bert"), inner)
    start = "sentence_transformers.models."
    modules = [{"idx": 0, "name": "0", "path": inner.name if case.get("inner") else "",
                "type": start + "Transformer"},
               {"idx": 1, "name": "1", "path": "1_Pooling", "type": start + "Pooling"}]
    pooling: dict[str, Any] = {"word_embedding_dimension": WIDTH}
    if case.get("new"):
        pooling["pooling_mode"] = "lasttoken"
    else:
        pooling |= {f"pooling_mode_{mode}": mode in case["modes"] for mode in MODES}
    if "include_prompt" in case:
        pooling["include_prompt"] = case["include_prompt"]
    layers: dict[str, torch.nn.Module] = {}
    torch.manual_seed(7)
    for k, after in enumerate(case.get("after", []), 2):
        kind, _, activation = after.partition(":")
        path = f"{k}_{kind}"
        modules.append({"idx": k, "name": str(k), "path": path, "type": start + kind})
        if kind == "Dense":
            linear = torch.nn.Linear(WIDTH, 20)
            module = "activation" if activation == "Tanh" else "linear"
            write_json(base / path / "config.json", {
                "in_features": WIDTH, "out_features": 20, "bias": True,
                "activation_function": f"torch.nn.modules.{module}.{activation}"})
            save_file({f"linear.{n}": x.detach() for n, x in linear.named_parameters()},
                      base / path / "model.safetensors")
            layers[after] = torch.nn.Sequential(linear, getattr(torch.nn, activation)())
        elif kind == "LayerNorm":
            norm = torch.nn.LayerNorm(20)
            torch.nn.init.normal_(norm.weight)
            write_json(base / path / "config.json", {"dimension": 20})
            save_file({f"norm.{n}": x.detach() for n, x in norm.named_parameters()},
                      base / path / "model.safetensors")
            layers[after] = norm
    write_json(base / "modules.json", modules[::-1])  # the order is that of idx
    write_json(base / "1_Pooling" / "config.json", pooling)
    write_json(inner / "sentence_bert_config.json",
               {"max_seq_length": case.get("length"), "do_lower_case": case.get("lower", False)})
    write_json(base / "config_sentence_transformers.json",
               {"prompts": PROMPTS, "default_prompt_name": case.get("default")})
    return layers


def pooled(mode: str, states: torch.Tensor, skipped: int) -> torch.Tensor:
    """states [t, width] -> [width]."""
    rest = states[skipped:]
    match mode:
        case "cls_token":
            return states[0]
        case "mean_tokens":
            return rest.mean(0)
        case "max_tokens":
            return rest.amax(0)
        case "mean_sqrt_len_tokens":
            return rest.sum(0) / len(rest) ** 0.5
        case "lasttoken":
            return states[-1]
        case _:
            weights = torch.arange(1.0 + skipped, len(states) + 1)[:, None]
            return (rest * weights).sum(0) / weights.sum()


def right(case: dict[str, Any], layers: dict[str, torch.nn.Module]) -> torch.Tensor:
    from transformers import AutoTokenizer

    model, tokenizer = reference("bert"), AutoTokenizer.from_pretrained(folder("bert"))
    prompt = PROMPTS.get(case.get("named") or case.get("default") or "", "")
    skipped = 0
    if case.get("include_prompt") is False:
        skipped = len(tokenizer(prompt).input_ids) - 1
    rows = []
    for text in TEXTS:
        given = prompt + (text.lower() if case.get("lower") else text)
        ids = tokenizer(given, truncation=True, max_length=case.get("length") or 128,
                        return_tensors="pt").input_ids
        with torch.no_grad():
            states = model(ids).last_hidden_state[0]
            parts = [pooled(mode, states, skipped) for mode in ORDER if mode in case["modes"]]
            x = torch.cat(parts)
            for after in case.get("after", []):
                x = layers[after](x) if after in layers else torch.nn.functional.normalize(x, dim=0)
        rows.append(x)
    return torch.stack(rows)


def test_vectors(back_end: str, tmp_path: Path) -> None:
    from transformers import AutoTokenizer

    shutil.copytree(folder("bert"), tmp_path / "plain")
    AutoTokenizer.from_pretrained(folder("bert")).save_pretrained(tmp_path / "plain")
    layers = {name: write(tmp_path / name, case) for name, case in CASES.items()}
    prompts = {name: f":prompt '{case['named']}" for name, case in CASES.items() if "named" in case}
    calls = [f'(run "{name}" "{name}" {prompts.get(name, "")})' for name in CASES]
    calls += ['(run "given" "dense" :pooling \'max)', '(run "length" "normalized" :length 9)',
              '(run "unnormalized" "normalized" :normalize #f)', '(run "none" "plain")']
    text = PROGRAM % (" ".join(map(json.dumps, TEXTS)), " ".join(calls))
    found = saved_by(text, back_end, tmp_path)
    for name, case in CASES.items():
        torch.testing.assert_close(found[name], right(case, layers[name]), rtol=1e-4, atol=1e-5,
                                   msg=lambda text, name=name: f"{name}: {text}")
    normalize = torch.nn.functional.normalize
    torch.testing.assert_close(found["given"], normalize(right({"modes": ["max_tokens"]}, {})),
                               rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(
        found["length"], normalize(right({"modes": ["cls_token"], "length": 9}, {})),
        rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(found["unnormalized"], right({"modes": ["cls_token"]}, {}),
                               rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(found["none"], normalize(right({"modes": ["mean_tokens"]}, {})),
                               rtol=1e-4, atol=1e-5)


REFUSED: dict[str, tuple[str, Any, str]] = {
    "kind": ("modules.json", [{"idx": 0, "path": "", "type": "x.Transformer"},
                              {"idx": 1, "path": "1_Pooling", "type": "x.Pooling"},
                              {"idx": 2, "path": "2_LSTM", "type": "x.LSTM"}], "module LSTM"),
    "first": ("modules.json", [{"idx": 0, "path": "", "type": "x.StaticEmbedding"}],
              "begins with StaticEmbedding"),
    "no-pooling": ("modules.json", [{"idx": 0, "path": "", "type": "x.Transformer"}],
                   "has no Pooling"),
    "no-list": ("modules.json", {"a": 1}, "is not a list of modules"),
    "outside": ("modules.json", [{"idx": 0, "path": "../x", "type": "x.Transformer"}],
                "without type and path"),
    "mode": ("1_Pooling/config.json", {"pooling_mode_attention": True}, "pooling_mode_attention"),
    "new-mode": ("1_Pooling/config.json", {"pooling_mode": "median"}, "has the pooling"),
    "no-mode": ("1_Pooling/config.json", {"pooling_mode_cls_token": False}, "chooses no pooling"),
    "activation": ("2_Dense/config.json", {"in_features": 48, "out_features": 20,
                                           "activation_function": "my.Swiglu"}, "the activation"),
    "input": ("2_Dense/config.json", {"in_features": 48, "out_features": 20,
                                      "module_input_name": "token_embeddings"}, "input_name"),
    "prompt": ("config_sentence_transformers.json", {"default_prompt_name": "x"}, "has no prompt"),
    "similarity": ("config_sentence_transformers.json", {"similarity_fn_name": "hamming"},
                   "has the similarity_fn_name"),
    "length": ("sentence_bert_config.json", {"max_seq_length": -3}, "max_seq_length"),
}


def test_refusals(back_end: str, tmp_path: Path) -> None:
    calls = []
    for name, (file, value, _) in REFUSED.items():
        write(tmp_path / name, {"modes": ["mean_tokens"], "after": ["Dense:Tanh"]})
        write_json(tmp_path / name / file, value)
        calls.append(f'(try "{name}")')
    text = """
(define (try folder)
  (print folder (guard (e (#t (error-object-message e))) (load-encoder folder) "nothing")))
""" + "\n".join(calls)
    lines = run(command_of(text, back_end, tmp_path), tmp_path).output.splitlines()
    for line, (name, (_, _, message)) in zip(lines, REFUSED.items(), strict=True):
        assert message in line, (name, line)


def test_language_models(back_end: str, tmp_path: Path) -> None:
    """The state of the last token, of texts of unequal lengths, with the prompt of the folder."""
    transformers = pytest.importorskip("transformers")
    source = folder("qwen3")
    path = shutil.copytree(source, tmp_path / "decoder")
    modules = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")]
    (path / "modules.json").write_text(json.dumps([
        {"idx": k, "name": str(k), "path": at, "type": f"sentence_transformers.models.{kind}"}
        for k, (at, kind) in enumerate(modules)]))
    (path / "1_Pooling").mkdir()
    (path / "1_Pooling" / "config.json").write_text(json.dumps(
        {"word_embedding_dimension": 48, "pooling_mode_lasttoken": True, "include_prompt": True}))
    (path / "config_sentence_transformers.json").write_text(json.dumps(
        {"prompts": {"query": "Find: "}}))
    texts = ["hello", "Once upon a time there was", "x"]
    found = saved_by(f"""
(define model (load-encoder "{path}"))
(define tokenizer (load-tokenizer "{path}"))
(define texts '("hello" "Once upon a time there was" "x"))
(save-tensors "out.safetensors"
  (list (cons "plain" (embed model tokenizer texts))
        (cons "query" (embed model tokenizer texts :prompt 'query :batch 2))
        (cons "model" (embed (load-llm "{source}") tokenizer texts :pooling 'last))))
""", back_end, tmp_path)
    tokenizer = transformers.AutoTokenizer.from_pretrained(source)
    model = transformers.AutoModel.from_pretrained(source, dtype=torch.float32).eval()

    def vectors(prompt: str) -> torch.Tensor:
        with torch.no_grad():
            states = [model(torch.tensor([tokenizer(prompt + text)["input_ids"]]))
                      .last_hidden_state[0, -1] for text in texts]
        return torch.nn.functional.normalize(torch.stack(states), dim=1)

    for name, prompt in (("plain", ""), ("model", ""), ("query", "Find: ")):
        assert (found[name] - vectors(prompt)).abs().max() < 1e-5, name


def test_sentence_transformers(back_end: str, tmp_path: Path) -> None:
    """Folders that the package itself has written: every module, and cross-encoders."""
    package = pytest.importorskip("sentence_transformers")
    from sentence_transformers.sentence_transformer import modules

    similarities = ("cosine", "dot", "euclidean", "manhattan")
    expected: dict[str, torch.Tensor] = {}
    torch.manual_seed(3)
    for k, similarity in enumerate(similarities):
        steps = [modules.Transformer(str(folder("bert")), max_seq_length=20 + k),
                 modules.Pooling(WIDTH, ("mean", "max", "cls")[k % 3])]
        if k:
            steps += [modules.Dense(WIDTH, 48 if k == 1 else 20, use_residual=k < 3),
                      modules.LayerNorm(48 if k == 1 else 20)]
        if k == 3:
            steps.append(modules.Normalize())
        model = package.SentenceTransformer(
            modules=steps, prompts=PROMPTS, default_prompt_name="document" if k == 2 else None,
            similarity_fn_name=similarity)
        for parameter in model.parameters():
            if parameter.dim() == 1:
                torch.nn.init.normal_(parameter, 1.0, 0.3)
        model.save(str(tmp_path / similarity))
        vectors = model.encode(TEXTS, convert_to_tensor=True)
        expected[similarity] = vectors.detach().clone()
        expected[f"{similarity}.query"] = model.encode(
            TEXTS, prompt_name="query", convert_to_tensor=True).detach().clone()
        expected[f"{similarity}.values"] = model.similarity(vectors, vectors).detach().clone()
    cross = package.CrossEncoder(str(folder("bert")), num_labels=1)
    cross.save(str(tmp_path / "cross"))
    scores = torch.tensor(cross.predict([("the weights", text) for text in TEXTS]))
    folders = " ".join(f'"{name}"' for name in similarities)
    found = saved_by(f"""
(define texts '({" ".join(map(json.dumps, TEXTS))}))
(define (vectors folder)
  (let* ((model (load-encoder folder))
         (tokenizer (load-tokenizer folder))
         (plain (embed model tokenizer texts :normalize #t)))
    (list (cons folder (embed model tokenizer texts))
          (cons (string folder ".query") (embed model tokenizer texts :prompt 'query))
          (cons (string folder ".values")
                (embedding-similarity model (embed model tokenizer texts)
                                      (embed model tokenizer texts))))))
(define ranked (rerank (load-classifier "cross") (load-tokenizer "cross") "the weights" texts))
(save-tensors "out.safetensors"
  (append (append-map vectors '({folders}))
          (list (cons "scores"
                      (tensor (map cdr (sort ranked (lambda (a b) (< (car a) (car b))))))))))
""", back_end, tmp_path)
    expected["scores"] = scores
    for name, wanted in expected.items():
        have = found[name] if name != "scores" else found[name].float()
        torch.testing.assert_close(have, wanted.cpu(), rtol=1e-4, atol=2e-5,
                                   msg=lambda text, name=name: f"{name}: {text}")
