"""Labels, answers and hidden words, found by encoders, beside the same in Python.

Pairs of texts are compared with the tokenizers package, for WordPiece, byte-level BPE and Unigram;
then each task with what transformers' model and plain torch find.
"""

import json
import random
from pathlib import Path
from typing import Any

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none

torch = pytest.importorskip("torch")

from tests.suites.encoders import encoder_folders  # noqa: E402
from tests.support import model_folders  # noqa: E402
from tests.support.programs_run import command_of, run  # noqa: E402

WORDS = ["tensor", "gradient", "(model)", "of", "the", "weights;", "Model's", "layers", "and", "is",
         "naïve", "日本", "🙂", "x", "batch-size", "matrices", "a", "an"]
SPECIAL = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"]


def sentence(rng: random.Random, most: int = 14) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(rng.randrange(most)))


def trained(kind: str) -> Any:
    """A tokenizer with BERT's or RoBERTa's way to join two texts."""
    from tokenizers import (
        Tokenizer,
        models,
        normalizers,
        pre_tokenizers,
        processors,
        trainers,
    )

    lines = [sentence(random.Random(k)) for k in range(300)]
    options: dict[str, Any] = {"vocab_size": 380, "special_tokens": SPECIAL, "show_progress": False}
    if kind == "wordpiece":
        tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        tokenizer.normalizer = normalizers.BertNormalizer()
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        trainer: Any = trainers.WordPieceTrainer(**options)
        frame: Any = processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    elif kind == "bpe":
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        trainer = trainers.BpeTrainer(
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), **options)
        frame = processors.RobertaProcessing(("[SEP]", 2), ("[CLS]", 1))
    else:
        tokenizer = Tokenizer(models.Unigram())
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
        trainer = trainers.UnigramTrainer(unk_token="[UNK]", **options)
        frame = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", pair="[CLS] $A:0 [SEP]:0 $B:1 [SEP]:3 [MASK]:2",
            special_tokens=[("[CLS]", 1), ("[SEP]", 2), ("[MASK]", 4)])
    tokenizer.train_from_iterator(lines, trainer)
    tokenizer.post_processor = frame
    return tokenizer


def write_tokenizer(path: Path, tokenizer: Any) -> None:
    path.mkdir(exist_ok=True)
    (path / "tokenizer.json").write_text(tokenizer.to_str())
    (path / "tokenizer_config.json").write_text(json.dumps({
        "tokenizer_class": "PreTrainedTokenizerFast", "pad_token": "[PAD]", "cls_token": "[CLS]",
        "sep_token": "[SEP]", "mask_token": "[MASK]", "unk_token": "[UNK]"}))


PAIRS = """
(define rows (string->json (read-text "pairs.json")))
(for-each
 (lambda (kind)
   (let ((tokenizer (load-tokenizer kind)))
     (for-each
      (lambda (row)
        (receive (ids mask types of)
            (encode-pairs tokenizer (hash-ref row "first") (hash-ref row "second")
                          :length (let ((length (hash-ref row "length")))
                                    (and (exact-integer? length) length))
                          :cut (string->symbol (hash-ref row "cut")))
          (write-json (map tensor->list
                           (list ids (tensor-to mask 'int64) types of)))
          (newline)))
      rows)))
 '("wordpiece" "bpe" "unigram"))
"""


def test_pairs(back_end: str, tmp_path: Path) -> None:
    rng = random.Random(3)
    rows: list[dict[str, Any]] = []
    for k in range(60):
        count = rng.randrange(1, 4)
        rows.append({"first": [sentence(rng) for _ in range(count)],
                     "second": [sentence(rng) for _ in range(count)],
                     "length": None if k % 3 == 0 else rng.randrange(25, 60) - 18 * (k % 2),
                     "cut": "longest"})
    rows.append({"first": ["a tensor"], "second": ["the weights " * 3000], "length": 50,
                 "cut": "second"})
    (tmp_path / "pairs.json").write_text(json.dumps(rows))
    wanted = []
    for kind in ("wordpiece", "bpe", "unigram"):
        tokenizer = trained(kind)
        write_tokenizer(tmp_path / kind, tokenizer)
        for row in rows:
            tokenizer.no_truncation()
            if row["length"]:
                tokenizer.enable_truncation(row["length"], strategy={
                    "longest": "longest_first", "second": "only_second"}[row["cut"]])
            tokenizer.enable_padding(pad_id=0, pad_token="[PAD]")
            found = tokenizer.encode_batch(
                list(zip(row["first"], row["second"], strict=True)))
            wanted.append([
                [x.ids for x in found], [x.attention_mask for x in found],
                [x.type_ids for x in found],
                [[-1 if which is None else which for which in x.sequence_ids] for x in found]])
    outcome = run(command_of(PAIRS, back_end, tmp_path), tmp_path)
    assert (outcome.status, outcome.errors, outcome.leaks) == (0, "", ""), outcome
    for k, (line, right) in enumerate(
            zip(outcome.output.splitlines(), wanted, strict=True)):
        assert json.loads(line) == right, (k, rows[k % len(rows)])


TASKS = """
(define tokenizer (load-tokenizer "tokenizer"))
(define given (string->json (read-text "given.json")))
(define texts (hash-ref given "texts"))
(define pairs (hash-ref given "pairs"))
(define folders (hash-ref given "folders"))
(define (show x) (write-json (listed x)) (newline))
(define (listed x)
  (cond ((null? x) '())
        ((and (pair? x) (list? x)) (map listed x))
        ((pair? x) (list (listed (car x)) (listed (cdr x))))
        (else x)))
(define (model name) (load-classifier (hash-ref folders name)))
(define one (model "text"))
(show (classify one tokenizer texts :batch 2))
(show (classify one tokenizer pairs))
(show (classify one tokenizer (car texts) :top 1))
(show (classify (model "many") tokenizer texts))
(show (classify (model "number") tokenizer texts))
(show (rerank (model "number") tokenizer "the model" texts))
(show (rerank (model "identity") tokenizer "the model" texts :top 2))
(show (map (lambda (text) (label-tokens (model "tokens") tokenizer text)) texts))
(define answers (model "answers"))
(show (answer-question answers tokenizer "Where is the gradient" (hash-ref given "long")
                       :length 40 :stride 10 :top 4 :most 6))
(show (answer-question answers tokenizer "x" ""))
(show (likely-words (load-encoder (hash-ref folders "words")) tokenizer
                    "the [MASK] of [MASK] weights" :top 3))
"""

FOLDERS = {"text": {}, "many": {"problem_type": "multi_label_classification"},
           "tokens": {}, "answers": {}, "words": {}, "number": {}, "identity": {}}
LABELS = ["O", "B-PER", "I-PER"]


def write_folders(base: Path) -> dict[str, Path]:
    """Folders of each kind, whose settings say what the case is about."""
    from safetensors.torch import load_file, save_file

    paths = {}
    for name, settings in FOLDERS.items():
        kind = name if name in ("text", "tokens", "answers", "words") else "text"
        source = encoder_folders.folder("bert", kind)
        path = base / name
        path.mkdir()
        config = json.loads((source / "config.json").read_text()) | settings
        weights = load_file(source / "model.safetensors")
        if kind == "tokens":
            config["id2label"] = {str(k): label for k, label in enumerate(LABELS)}
        if name in ("number", "identity"):
            config["id2label"] = {"0": "score"}
            config["label2id"] = {"score": 0}
            weights = {key: x[:1].clone() if key.startswith("classifier") else x
                       for key, x in weights.items()}
        if name == "identity":
            config["sentence_transformers"] = {
                "activation_fn": "torch.nn.modules.linear.Identity", "version": "5.0.0"}
        (path / "config.json").write_text(json.dumps(config))
        save_file(weights, path / "model.safetensors")
        paths[name] = path
    return paths


class Right:
    """The tasks in Python: one text at a time, by transformers' model and package tokenizers."""

    def __init__(self, paths: dict[str, Path], tokenizer: Any) -> None:
        self.paths, self.tokenizer = paths, tokenizer
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()

    def logits(self, name: str, first: str, second: str | None = None) -> Any:
        kind = name if name in ("tokens", "answers", "words") else "text"
        model = encoder_folders.read_model(self.paths[name], kind)
        found = self.tokenizer.encode(first, second)
        with torch.no_grad():
            out = model(torch.tensor([found.ids]),
                        token_type_ids=torch.tensor([found.type_ids]))
        return out.logits[0] if kind != "answers" else torch.stack(
            [out.start_logits[0], out.end_logits[0]], -1)

    def labels(self, name: str, first: str, second: str | None = None) -> list[Any]:
        logits = self.logits(name, first, second)
        shares = {"text": lambda x: x.softmax(-1), "many": torch.sigmoid}.get(
            name, lambda x: x)(logits)
        names = ["score"] if len(shares) == 1 else [f"LABEL_{k}" for k in range(len(shares))]
        return sorted(zip(names, shares.tolist(), strict=True), key=lambda entry: -entry[1])

    def ranking(self, name: str, query: str, texts: list[str]) -> list[Any]:
        logits = [float(self.logits(name, query, text)[0]) for text in texts]
        scores = logits if name == "identity" else torch.tensor(logits).sigmoid().tolist()
        return sorted(enumerate(scores), key=lambda entry: -entry[1])

    def parts(self, text: str) -> list[Any]:
        shares = self.logits("tokens", text).softmax(-1)
        found = self.tokenizer.encode(text)
        parts: list[list[Any]] = []
        before = "O"
        for (start, end), special, row in zip(
                found.offsets, found.special_tokens_mask, shares, strict=True):
            label = LABELS[int(row.argmax())]
            if special:
                continue
            if label != "O":
                if before != "O" and not label.startswith("B-"):
                    parts[-1][2] = end
                    parts[-1][3].append(float(row.max()))
                else:
                    parts.append([label[2:], start, end, [float(row.max())]])
            before = label
        return [[label, text[start:end], start, end, sum(scores) / len(scores)]
                for label, start, end, scores in parts]

    def answers(self, question: str, text: str) -> list[Any]:
        """The best answers of windows of 40 tokens that overlap by 10."""
        inner = self.tokenizer.encode(text, add_special_tokens=False)
        asked = self.tokenizer.encode(question, add_special_tokens=False).ids
        room, skip, best = 40 - 3 - len(asked), 0, {}
        model = encoder_folders.read_model(self.paths["answers"], "answers")
        while True:
            ids = inner.ids[skip:skip + room]
            row = [1, *asked, 2, *ids, 2]
            types = [0] * (len(asked) + 2) + [1] * (len(ids) + 1)
            with torch.no_grad():
                out = model(torch.tensor([row]), token_type_ids=torch.tensor([types]))
            first = len(asked) + 2
            start = out.start_logits[0, first:first + len(ids)].softmax(0)
            end = out.end_logits[0, first:first + len(ids)].softmax(0)
            for i in range(len(ids)):
                for j in range(i, min(i + 6, len(ids))):
                    place = (inner.offsets[skip + i][0], inner.offsets[skip + j][1])
                    best[place] = max(best.get(place, 0.0), float(start[i] * end[j]))
            if skip + len(ids) >= len(inner.ids):
                break
            skip += len(ids) - 10
        ranked = sorted(best.items(), key=lambda entry: -entry[1])[:4]
        return [[text[a:b], score, a, b] for (a, b), score in ranked]

    def words(self, text: str) -> list[Any]:
        shares = self.logits("words", text).softmax(-1)
        places = [k for k, id in enumerate(self.tokenizer.encode(text).ids) if id == 4]
        rows = []
        for place in places:
            best = shares[place, :self.tokenizer.get_vocab_size()].topk(3)
            rows.append([[self.tokenizer.decode([id]), share] for share, id in
                         zip(best.values.tolist(), best.indices.tolist(), strict=True)])
        return rows


def test_tasks(back_end: str, tmp_path: Path) -> None:
    tokenizer = trained("wordpiece")
    write_tokenizer(tmp_path / "tokenizer", tokenizer)
    paths = write_folders(tmp_path)
    rng = random.Random(8)
    texts = [sentence(rng, 20) for _ in range(5)] + ["", "x"]
    pairs = [[sentence(rng), sentence(rng)] for _ in range(3)]
    long = " ".join(sentence(rng) for _ in range(14))
    (tmp_path / "given.json").write_text(json.dumps({
        "texts": texts, "pairs": pairs, "long": long,
        "folders": {name: str(path) for name, path in paths.items()}}))
    outcome = run(command_of(TASKS, back_end, tmp_path), tmp_path)
    assert (outcome.status, outcome.errors, outcome.leaks) == (0, "", ""), outcome
    right = Right(paths, tokenizer)
    assert [right.parts(text) for text in texts] != [[]] * len(texts)
    wanted = [
        [right.labels("text", text) for text in texts],
        [right.labels("text", *pair) for pair in pairs],
        right.labels("text", texts[0])[:1],
        [right.labels("many", text) for text in texts],
        [right.labels("number", text) for text in texts],
        right.ranking("number", "the model", texts),
        right.ranking("identity", "the model", texts)[:2],
        [right.parts(text) for text in texts],
        right.answers("Where is the gradient", long),
        [],
        right.words("the [MASK] of [MASK] weights"),
    ]
    for line, value in zip(outcome.output.splitlines(), wanted, strict=True):
        assert json.loads(line) == _near(value), line


def _near(value: Any) -> Any:
    """The value as JSON has it, whose doubles may differ a little."""
    if isinstance(value, list | tuple):
        return [_near(each) for each in value]
    return pytest.approx(value, abs=1e-5) if isinstance(value, float) else value


def test_language_models(back_end: str, tmp_path: Path) -> None:
    """A language model whose last state has labels, with rows of unequal lengths."""
    transformers = model_folders.transformers_package()
    source = model_folders.folder("qwen3")
    config = transformers.AutoConfig.from_pretrained(source, num_labels=3)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(
        source, config=config, dtype=torch.float32).eval()
    with torch.no_grad():
        model.score.weight.copy_(torch.randn(3, 48, generator=torch.Generator().manual_seed(2)))
    path = tmp_path / "model"
    model.save_pretrained(path)
    tokenizer = transformers.AutoTokenizer.from_pretrained(source)
    tokenizer.save_pretrained(path)
    texts = ["hello", "Once upon a time there was", "x"]
    outcome = run(command_of(f"""
(define model (load-classifier "{path}"))
(write-json (map (lambda (labels) (map (lambda (pair) (list (car pair) (cdr pair))) labels))
                 (classify model (load-tokenizer "{path}")
                           '("hello" "Once upon a time there was" "x"))))
""", back_end, tmp_path), tmp_path)
    assert (outcome.status, outcome.errors, outcome.leaks) == (0, "", ""), outcome
    for text, row in zip(texts, json.loads(outcome.output), strict=True):
        with torch.no_grad():
            shares = model(torch.tensor([tokenizer(text).input_ids])).logits[0].softmax(-1)
        right = sorted(((f"LABEL_{k}", x) for k, x in enumerate(shares.tolist())),
                       key=lambda entry: -entry[1])
        assert row == _near(right)
