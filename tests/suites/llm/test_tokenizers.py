"""Tokenizers equal the tokenizers package: ids, offsets and decoded texts, on both back ends.

`tests/stress/tokenizers.py` runs damaged files under ASan.
"""

import json
from pathlib import Path

import pytest
from tokenizers import (
    AddedToken,
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

from tests.support.programs_run import ProgramRunner

LLAMA_3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
TEXTS = [
    "", " ", "Hello, world! It's 12345.", "<s> a<s>b <|e|>  c", "naïve café ÀÉ ŝ",
    "日本語 テキスト 한국어",
    "👩‍👩‍👧‍👦🇩🇪✌🏽 é́̈", "مرحبا שלום", "\t\r\n \u2003\u3000\u0085 x\u200d",
    "ﬁ ① ½ ㎏ Å", "don't Can'T we'LL",
    "nul\0 and \ufffd", "x" * 300, " \n" * 40, "각각 각", "İI ß Σς",
]  # fmt: skip
PROGRAM = """
(define texts (read-json "TEXTS"))
(define (show path)
  (let ((t (load-tokenizer path)))
    (for-each (lambda (text)
                (let ((ids (encode t text)))
                  (write-json (list ids (encode-offsets t text) (decode t ids)))
                  (newline)))
              texts)))
(for-each show (read-json "FILES"))
"""


def trained(path: Path) -> list[Path]:
    """Tokenizers of each model, trained on the texts."""
    made: dict[str, Tokenizer] = {}
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    words = [*TEXTS, "the cat and the dog", "cats and dogs", "12 34 567"] * 3

    def train(name: str, tokenizer: Tokenizer, trainer: trainers.Trainer) -> None:
        tokenizer.train_from_iterator(words, trainer)
        tokenizer.add_special_tokens(["<s>", AddedToken("<|e|>", lstrip=True, rstrip=True)])
        made[name] = tokenizer

    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(LLAMA_3), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ])  # fmt: skip
    bpe.normalizer, bpe.decoder = normalizers.NFC(), decoders.ByteLevel()
    train("bpe", bpe, trainers.BpeTrainer(
        vocab_size=400, show_progress=False, initial_alphabet=sorted(alphabet)))  # fmt: skip
    bpe.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", bpe.token_to_id("<s>"))]
    )
    llama = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    llama.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    llama.decoder = decoders.Sequence([
        decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(),
        decoders.Strip(" ", 1, 0),
    ])  # fmt: skip
    train("llama", llama, trainers.BpeTrainer(
        vocab_size=400, show_progress=False, limit_alphabet=40, max_token_length=8,
        special_tokens=["<unk>", *(f"<0x{byte:02X}>" for byte in range(256))]))  # fmt: skip
    bert = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    bert.normalizer = normalizers.BertNormalizer()
    bert.pre_tokenizer, bert.decoder = pre_tokenizers.BertPreTokenizer(), decoders.WordPiece()
    train("bert", bert, trainers.WordPieceTrainer(
        vocab_size=200, show_progress=False, special_tokens=["[UNK]", "[CLS]", "[SEP]"],
    ))  # fmt: skip
    bert.post_processor = processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    unigram = Tokenizer(models.Unigram())
    unigram.normalizer = normalizers.NFKC()
    unigram.pre_tokenizer, unigram.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
    train("unigram", unigram, trainers.UnigramTrainer(
        vocab_size=150, show_progress=False, special_tokens=["<unk>"], unk_token="<unk>",
    ))  # fmt: skip
    files = []
    for name, tokenizer in made.items():
        files.append(path / f"{name}.json")
        tokenizer.save(str(files[-1]))
    return files


@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_tokens_equal_the_package(runner: ProgramRunner, tmp_path: Path, back_end: str) -> None:
    files = trained(tmp_path)
    (tmp_path / "texts").write_text(json.dumps(TEXTS))
    (tmp_path / "files").write_text(json.dumps([str(file) for file in files]))
    program = runner.folder / "tokenizers.lisp"
    program.write_text(
        PROGRAM.replace("TEXTS", str(tmp_path / "texts")).replace("FILES", str(tmp_path / "files"))
    )
    runs = {"script": runner.run_script, "executable": runner.run_executable}
    outcome = runs[back_end](program)
    assert outcome.errors == ""
    answers = iter(outcome.output.split("\n"))
    for file in files:
        tokenizer = Tokenizer.from_file(str(file))
        for text in TEXTS:
            ids, offsets, decoded = json.loads(next(answers))
            expected = tokenizer.encode(text)
            assert ids == expected.ids, (file.stem, text)
            places = [[token, *place] for token, place in zip(ids, expected.offsets, strict=True)]
            assert offsets == places, (file.stem, text)
            assert decoded == tokenizer.decode(expected.ids), (file.stem, text)
