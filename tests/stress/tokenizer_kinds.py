"""Writes a tokenizer.json of every kind that the tokenizers package can save.

    python -m tests.stress.tokenizer_kinds FOLDER        then tests.stress.tokenizer_files FOLDER

Each file changes one part of a small tokenizer that was trained on varied lines.
"""

# A table is easier to read in long lines.
# ruff: noqa: E501

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, trainers
from tokenizers import pre_tokenizers as pre
from tokenizers import processors as post

from tests.stress.varied_lines import lines

_TEXTS = lines(1500, seed=7)
_FEW_LETTERS = [text for text in _TEXTS if all(ord(c) < 0x250 for c in text)]  # for unigram
_SPECIAL = ["<unk>", "<s>", "</s>", "<pad>"]
_LLAMA_3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
Step = Any


def _trained(model: Any, trainer: Any, normalizer: Step = None, split: Step = None,
             decoder: Step = None) -> Tokenizer:  # fmt: skip
    made = Tokenizer(model)
    if normalizer:
        made.normalizer = normalizer
    if split:
        made.pre_tokenizer = split
    few = isinstance(trainer, trainers.UnigramTrainer)
    made.train_from_iterator(_FEW_LETTERS if few else _TEXTS, trainer)
    if decoder:
        made.decoder = decoder
    return made


def _bases() -> dict[str, Tokenizer]:
    alphabet = pre.ByteLevel.alphabet()
    common: dict[str, Any] = {"show_progress": False, "special_tokens": _SPECIAL}
    bytes_named = [f"<0x{byte:02X}>" for byte in range(256)]
    bpe = trainers.BpeTrainer(vocab_size=1500, initial_alphabet=alphabet, **common)
    letters = trainers.BpeTrainer(vocab_size=1500, limit_alphabet=200, **common)
    fallback = trainers.BpeTrainer(vocab_size=1500, limit_alphabet=150, max_token_length=9,
                                   show_progress=False, special_tokens=_SPECIAL + bytes_named)  # fmt: skip
    parts = trainers.BpeTrainer(vocab_size=1500, limit_alphabet=200, continuing_subword_prefix="##",
                                end_of_word_suffix="</w>", **common)  # fmt: skip
    unigram = trainers.UnigramTrainer(vocab_size=900, unk_token="<unk>", **common)
    unigram_bytes = trainers.UnigramTrainer(vocab_size=900, unk_token="<unk>", show_progress=False,
                                            special_tokens=_SPECIAL + bytes_named)  # fmt: skip
    spaces = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    unspaced = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(),
                                  decoders.Fuse(), decoders.Strip(" ", 1, 0)])  # fmt: skip
    return {
        "bytes": _trained(models.BPE(), bpe, None, pre.ByteLevel(add_prefix_space=False),
                          decoders.ByteLevel()),
        "bytes-ignore": _trained(models.BPE(ignore_merges=True), bpe, None,
                                 pre.ByteLevel(add_prefix_space=True), decoders.ByteLevel()),
        "letters": _trained(models.BPE(unk_token="<unk>"), letters, None, pre.Whitespace()),
        "letters-fused": _trained(models.BPE(unk_token="<unk>", fuse_unk=True), letters, None,
                                  pre.WhitespaceSplit(), decoders.BPEDecoder()),
        "letters-none": _trained(models.BPE(), letters, None, pre.BertPreTokenizer()),
        "letters-parts": _trained(
            models.BPE(unk_token="<unk>", continuing_subword_prefix="##", end_of_word_suffix="</w>"),
            parts, normalizers.NFC(), pre.Whitespace(), decoders.BPEDecoder("</w>")),
        "fallback": _trained(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True),
                             fallback, spaces, None, unspaced),
        "fallback-single": _trained(models.BPE(unk_token="<unk>", byte_fallback=True), fallback,
                                    spaces, None, unspaced),
        "pieces": _trained(models.WordPiece(unk_token="<unk>"),
                           trainers.WordPieceTrainer(vocab_size=1200, **common),
                           normalizers.BertNormalizer(), pre.BertPreTokenizer(),
                           decoders.WordPiece()),
        "pieces-short": _trained(
            models.WordPiece(unk_token="<unk>", max_input_chars_per_word=5,
                             continuing_subword_prefix="@@"),
            trainers.WordPieceTrainer(vocab_size=1200, continuing_subword_prefix="@@", **common),
            normalizers.Lowercase(), pre.Punctuation(), decoders.WordPiece("@@", cleanup=False)),
        "words": _trained(models.WordLevel(unk_token="<unk>"),
                          trainers.WordLevelTrainer(vocab_size=900, **common), None,
                          pre.Whitespace()),
        "unigram": _trained(models.Unigram(), unigram, normalizers.NFKC(), pre.Metaspace(),
                            decoders.Metaspace()),
        "unigram-bytes": _trained(models.Unigram(), unigram_bytes, normalizers.Nmt(),
                                  pre.Metaspace(prepend_scheme="first", split=False),
                                  decoders.Metaspace(prepend_scheme="never")),
    }  # fmt: skip


_NORMALIZERS: dict[str, Step] = {
    "nfc": normalizers.NFC(), "nfd": normalizers.NFD(), "nfkc": normalizers.NFKC(),
    "nfkd": normalizers.NFKD(), "nmt": normalizers.Nmt(), "lower": normalizers.Lowercase(),
    "accents": normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents()]),
    "strip": normalizers.Strip(), "strip-left": normalizers.Strip(left=True, right=False),
    "prepend": normalizers.Prepend("▁"), "replace": normalizers.Replace("a", "bcd"),
    "replace-regex": normalizers.Replace(Regex(r"\s+"), " "),
    "replace-none": normalizers.Replace(Regex(r"[0-9]"), ""), "bytes": normalizers.ByteLevel(),
    "bert-cased": normalizers.BertNormalizer(lowercase=False),
    "bert-accents": normalizers.BertNormalizer(lowercase=False, strip_accents=True),
    "bert-plain": normalizers.BertNormalizer(clean_text=False, handle_chinese_chars=False),
    "several": normalizers.Sequence([
        normalizers.Strip(), normalizers.NFKC(), normalizers.Lowercase(),
        normalizers.Replace(Regex(" {2,}"), " "), normalizers.Prepend("x ")]),
}  # fmt: skip
_SPLITS: dict[str, Step] = {
    "bytes": pre.ByteLevel(), "bytes-plain": pre.ByteLevel(add_prefix_space=False, use_regex=False),
    "white": pre.Whitespace(), "white-split": pre.WhitespaceSplit(), "bert": pre.BertPreTokenizer(),
    "meta": pre.Metaspace(), "meta-never": pre.Metaspace(prepend_scheme="never"),
    "meta-first": pre.Metaspace(prepend_scheme="first", split=False),
    "meta-letter": pre.Metaspace(replacement="_"), "digits": pre.Digits(individual_digits=True),
    "digits-together": pre.Digits(), "delimiter": pre.CharDelimiterSplit("e"),
    "scripts": pre.UnicodeScripts(), "fixed": pre.FixedLength(3),
    **{f"marks-{b}": pre.Punctuation(b) for b in
       ("removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous")},
    **{f"split-{b}": pre.Split(Regex(r"\p{N}+|[aeiou]"), b) for b in
       ("removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous")},
    "split-inverted": pre.Split(Regex(r"\w+"), "removed", invert=True),
    "split-text": pre.Split(" ", "merged_with_previous"), "han": pre.Split(Regex(r"\p{Han}"), "isolated"),
    "scripts-regex": pre.Split(Regex(r"[\p{Hiragana}\p{Katakana}\p{Han}]+|\p{Thai}+"), "isolated"),
    "classes": pre.Split(Regex(r"\p{Lu}+|\p{Ll}+|\p{M}+|\p{P}|\p{S}+|\p{Z}+|\p{C}+"), "isolated"),
    "bounds": pre.Split(Regex(r"\b\w+\b|\d{2}|\h+|^.|.$"), "isolated"),
    "negated": pre.Split(Regex(r"[^\s\p{L}]+|\P{L}|\S"), "isolated"),
    "several": pre.Sequence([pre.WhitespaceSplit(), pre.Digits(True), pre.Punctuation()]),
    "llama3": pre.Sequence([pre.Split(Regex(_LLAMA_3), "isolated"),
                            pre.ByteLevel(add_prefix_space=False, use_regex=False)]),
    "bytes-twice": pre.Sequence([pre.ByteLevel(add_prefix_space=False), pre.Digits(True)]),
}  # fmt: skip
_DECODERS: dict[str, Step] = {
    "bytes": decoders.ByteLevel(), "pieces": decoders.WordPiece(), "meta": decoders.Metaspace(),
    "meta-never": decoders.Metaspace(prepend_scheme="never"), "bpe": decoders.BPEDecoder(),
    "ctc": decoders.CTC(), "fallback": decoders.ByteFallback(), "fuse": decoders.Fuse(),
    "strip": decoders.Strip("e", 1, 2), "replace": decoders.Replace(Regex("[aeiou]+"), "_"),
    "several": decoders.Sequence([decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 1)]),
}  # fmt: skip
_ENDS = [("<s>", 1), ("</s>", 2)]
_PROCESSORS: dict[str, Step] = {
    "template": post.TemplateProcessing(single="<s> $A </s> <pad>", pair="<s> $A </s> $B </s>",
                                        special_tokens=[*_ENDS, ("<pad>", 3)]),
    "bert": post.BertProcessing(_ENDS[1], _ENDS[0]),
    "roberta": post.RobertaProcessing(_ENDS[1], _ENDS[0]),
    "roberta-plain": post.RobertaProcessing(_ENDS[1], _ENDS[0], trim_offsets=False),
    "bytes": post.ByteLevel(), "bytes-plain": post.ByteLevel(trim_offsets=False),
    "several": post.Sequence([post.ByteLevel(), post.TemplateProcessing(
        single="<s> $0", special_tokens=_ENDS[:1])]),
}  # fmt: skip
_ADDED = [
    AddedToken("<|a|>"), AddedToken("<|left|>", lstrip=True), AddedToken("<|right|>", rstrip=True),
    AddedToken("<|both|>", lstrip=True, rstrip=True), AddedToken("cat", single_word=True),
    AddedToken("Ünï", normalized=True), AddedToken("ABC", normalized=False), AddedToken("  "),
    AddedToken("\n\n", normalized=False), AddedToken("<|a|><|b|>"), AddedToken("日本"), AddedToken("the"),
]  # fmt: skip


def files() -> Iterator[tuple[str, Tokenizer]]:
    """Names and tokenizers."""
    bases = _bases()
    for name, tokenizer in bases.items():
        yield name, tokenizer
    for base in ("bytes", "fallback", "unigram", "pieces"):
        text = bases[base].to_str()
        for part, steps in (("normalizer", _NORMALIZERS), ("pre_tokenizer", _SPLITS),
                            ("decoder", _DECODERS), ("post_processor", _PROCESSORS)):  # fmt: skip
            if base != "bytes" and part != "decoder":
                continue
            for name, step in steps.items():
                made = Tokenizer.from_str(text)
                setattr(made, part, step)
                yield f"{base}-{part}-{name}", made
    text = bases["letters"].to_str()
    for name, step in _SPLITS.items():
        made = Tokenizer.from_str(text)
        made.pre_tokenizer = step
        yield f"letters-split-{name}", made
    for base in bases:
        made = Tokenizer.from_str(bases[base].to_str())
        made.add_tokens(_ADDED)
        made.add_special_tokens(["<|special|>", AddedToken("<mask>", lstrip=True)])
        yield f"{base}-added", made
    made = Tokenizer.from_str(text)
    made.enable_truncation(5)
    made.enable_padding(length=9)
    yield "letters-cut", made


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, tokenizer in files():
        (folder / f"{name}.json").write_text(json.dumps(json.loads(tokenizer.to_str())))


if __name__ == "__main__":
    main()
