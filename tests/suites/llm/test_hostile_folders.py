"""Damaged and hostile model folders: one clear error each, the same on both back ends.

A table of what `python -m tests.stress.fuzz_folders` found, and of mistakes that people in a hurry
make.  One program loads all folders.
"""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.model_folders import folder
from tests.support.programs_run import command_of, finish, run

LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"
PICKLE = "can run code when they are read"

PROGRAM = """
(define (message thunk)
  (guard (e ((error-object? e) (string (error-object-message e) " hint: "
                                       (error-object-hint e))))
    (thunk)
    "no error"))
(define (try folder)
  (print (message
          (lambda ()
            (if (string-contains folder "encoder")
                (load-encoder folder)
                (let ((model (load-llm folder)))
                  (model-context model)
                  (model (tensor '((5 6 7))))
                  (chat-reply model (load-tokenizer folder)
                              '((("role" . "user") ("content" . "Hi")))
                              :max-tokens 2)))))))
(for-each try (read-json "folders.json"))
"""

Damage = Callable[[Path], None]


def settings(**changed: Any) -> Damage:
    """config.json with other settings; without those that are ..."""
    def change(path: Path) -> None:
        config = json.loads((path / "config.json").read_text()) | changed
        kept = {key: value for key, value in config.items() if value is not ...}
        (path / "config.json").write_text(json.dumps(kept))

    return change


def text(name: str, data: bytes) -> Damage:
    def change(path: Path) -> None:
        (path / name).unlink(missing_ok=True)
        (path / name).write_bytes(data)

    return change


def tokenizer_settings(name: str, **changed: Any) -> Damage:
    """A file of settings beside the tokenizer with other values."""
    def change(path: Path) -> None:
        before = json.loads((path / name).read_text()) if (path / name).exists() else {}
        (path / name).write_text(json.dumps(before | changed))

    return change


def template(source: str) -> Damage:
    return text("chat_template.jinja", source.encode())


def rope(**values: Any) -> Damage:
    return settings(rope_parameters=..., rope_scaling=values)


def header(change: Callable[[dict[str, Any]], None]) -> Damage:
    """The header of the weights says something else."""
    def write(path: Path) -> None:
        data = (path / "model.safetensors").read_bytes()
        length = int.from_bytes(data[:8], "little")
        described = json.loads(data[8 : 8 + length])
        change(described["model.norm.weight"])
        new = json.dumps(described).encode()
        text("model.safetensors", len(new).to_bytes(8, "little") + new + data[8 + length :])(path)

    return write


def raw_name(name: bytes) -> Damage:
    """The header of the weights has these bytes for the name of a tensor."""
    def write(path: Path) -> None:
        data = (path / "model.safetensors").read_bytes()
        length = int.from_bytes(data[:8], "little")
        new = data[8 : 8 + length].replace(b"model.norm", name)
        text("model.safetensors", len(new).to_bytes(8, "little") + new + data[8 + length :])(path)

    return write


def index(where: str) -> Damage:
    def write(path: Path) -> None:
        (path / "model.safetensors").rename(path / "a.safetensors")
        (path / "model.safetensors.index.json").write_text(
            json.dumps({"weight_map": {"model.norm.weight": where}}))

    return write


def only(name: str) -> Damage:
    """Weights in another file only."""
    def change(path: Path) -> None:
        (path / "model.safetensors").unlink()
        (path / name).write_bytes(b"PK\3\4")

    return change


def emptied(path: Path) -> None:
    shutil.rmtree(path)
    path.mkdir()


def within(path: Path) -> None:
    """The model lies in a folder of the folder."""
    path.rename(path.with_name("moved"))
    path.mkdir()
    path.with_name("moved").rename(path / "inner")


# The models of cases whose names begin like this; llama for the others.
_MODELS = {"encoder": "bert", "gpt2": "gpt2", "mixtral": "mixtral"}

# A name, the damage, and what the message must say.
CASES: list[tuple[str, Damage, str]] = [
    ("layers", settings(num_hidden_layers=10**9 - 1), '"num_hidden_layers" is 999999999, but'),
    ("no-heads", settings(num_attention_heads=0), 'for the setting "num_attention_heads", got 0'),
    ("heads", settings(num_attention_heads=5, num_key_value_heads=5, head_dim=...),
     "num_attention_heads must divide hidden_size"),
    ("negative", settings(hidden_size=-48), 'for the setting "hidden_size", got -48'),
    ("huge", settings(vocab_size=2**70), '"vocab_size", got 1180591620717411303424'),
    ("string", settings(head_dim="12"), 'for the setting "head_dim", got "12"'),
    ("missing", settings(hidden_size=...), 'the setting "hidden_size" is missing'),
    ("eps", settings(rms_norm_eps=[1]), 'for the setting "rms_norm_eps", got [1]'),
    ("dtype", settings(dtype=7), 'for the setting "dtype", got 7'),
    ("type", settings(model_type=None, architectures=[]), "without a model_type"),
    ("type-number", settings(model_type=7), 'a string for the setting "model_type", got 7'),
    ("type-list", settings(model_type=["llama"]), 'for the setting "model_type", got ["llama"]'),
    ("type-flag", settings(model_type=True), 'for the setting "model_type", got true'),
    ("type-null", settings(model_type=None), 'unknown architecture "LlamaForCausalLM"'),
    ("classes-string", settings(architectures="LlamaForCausalLM"),
     'a list of strings for the setting "architectures", got "LlamaForCausalLM"'),
    ("classes-numbers", settings(architectures=[1, None]), '"architectures", got [1,null]'),
    ("classes-null", settings(architectures=None, model_type=None), "without a model_type"),
    ("null", settings(hidden_size=None), 'the setting "hidden_size" is null'),
    ("vocabulary-string", settings(vocab_size="96"), 'for the setting "vocab_size", got "96"'),
    ("flag-number", settings(tie_word_embeddings=1), 'true or false for the setting "tie_word'),
    ("context-list", settings(max_position_embeddings=[8]), '"max_position_embeddings", got [8]'),
    ("gpt2-rope", settings(rope_scaling=[4]), 'an object for the setting "rope_scaling", got [4]'),
    ("gpt2-layers", settings(n_layer="2"), 'for the setting "n_layer", got "2"'),
    ("mixtral-experts", settings(num_experts_per_tok=9), "up to the number of experts, 4 for"),
    ("act", settings(hidden_act={}), 'for the setting "hidden_act", got {}'),
    ("types", settings(sliding_window=4, layer_types=[1]), '"layer_types", got [1]'),
    ("nan", text("config.json", b'{"hidden_size": NaN}'),
     'for the setting "hidden_size", got {"__float__":"NaN"}'),
    ("nan-and-more", text("config.json", b'{"a": NaN,\n "b": 1 2}'),
     "config.json, line 1, column 7"),
    ("1e999", settings(rope_parameters=..., rope_theta=float("1e308") * 10), "expected a"),
    ("deep", text("config.json", b"[" * 100_000), "at most 1000 nested brackets"),
    ("escape", text("config.json", b'{"\x1b[2J": 1}'), "the control character 27"),
    ("not-utf8", text("config.json", b"\xff\xfe"), "is not UTF-8 text"),
    ("not-utf8-inside", text("config.json", b'{"model_type": "\xff"}'), "not UTF-8 text (byte 16)"),
    ("surrogate-bytes", text("config.json", b'{"a": "\xed\xa0\x80"}'), "not UTF-8 text (byte 7)"),
    ("surrogate", text("config.json", b'{"a": "\\ud800"}'), "column 14: expected a low surrogate"),
    ("nul", text("config.json", b'{"a": "\0"}'), "column 8: expected no control character"),
    ("tokenizer-utf8", text("tokenizer.json", b'{"a": "\xff"}'), "byte 7: expected UTF-8"),
    ("tokenizer-nul", text("tokenizer.json", b'{"a": "\0"}'), "byte 7: expected no control"),
    ("tokenizer-surrogate", text("tokenizer.json", b'{"a": "\\ud800"}'), "a low surrogate"),
    ("eos-number", tokenizer_settings("tokenizer_config.json", eos_token=7),
     'for "eos_token", got 7'),
    ("bos-object", tokenizer_settings("tokenizer_config.json", bos_token={"content": 1}),
     'for "bos_token", got {"content":1}'),
    ("map-list", tokenizer_settings("special_tokens_map.json", unk_token=["<u>"]),
     'special_tokens_map.json": expected a string, or an object with "content", for "unk_token"'),
    ("ends-string", tokenizer_settings("generation_config.json", eos_token_id="1"),
     'for "eos_token_id", got "1"'),
    ("template-number", tokenizer_settings("tokenizer_config.json", chat_template=7),
     'a list of named templates, for "chat_template", got 7'),
    ("template-list", tokenizer_settings("tokenizer_config.json", chat_template=[{"name": "a"}]),
     'for "chat_template", got [{"name":"a"}]'),
    ("name-utf8", raw_name(b"model.\xffnorm"), "expected UTF-8"),
    ("name-nul", raw_name(b"model.\\u0000norm"), "expected no NUL in a string"),
    ("name-surrogate", raw_name(b"model.\\ud800norm"), "expected a low surrogate"),
    ("list", text("config.json", b"[]"), "expected an object, got []"),
    ("rope-type", rope(rope_type="new", factor=2), 'for rope_type, got "new"'),
    ("rope-list", settings(rope_parameters=..., rope_scaling=[4]), '"rope_scaling", got [4]'),
    ("rope-zero", rope(rope_type="linear", factor=0), 'a positive number "factor", got 0'),
    ("rope-inf", rope(rope_type="dynamic", factor=1e300), '"factor" up to 1000000'),
    ("rope-long", rope(rope_type="longrope", factor=2, long_factor=[1], short_factor=[1]),
     "expected 6 numbers in each list of factors"),
    ("rope-yarn", rope(rope_type="yarn", factor=2, attention_factor="a"),
     'a positive number "attention_factor", got "a"'),
    ("rope-llama3", rope(rope_type="llama3", factor=1e-300, low_freq_factor=1, high_freq_factor=1),
     "angles that are not finite"),
    ("partial", settings(partial_rotary_factor=0.25), "an even number of rotated features"),
    ("vocabulary", settings(vocab_size=10), "does not fit the model"),
    ("offsets", header(lambda x: x["data_offsets"].reverse()), "ends before it begins"),
    ("shape", header(lambda x: x.update(shape=[-48])), "expected an integer from 0 to"),
    ("overlap", header(lambda x: x.update(data_offsets=[0, 192])), "inside another one"),
    ("length", text("model.safetensors", b"\xff" * 8 + b"{}"), "is not a safetensors header"),
    ("up", index("../secret.safetensors"), "is not the name of a file beside the index"),
    ("absolute", index("/etc/passwd"), "is not the name of a file beside the index"),
    ("shard", index("b.safetensors"), "No such file or directory"),
    ("template-loop", template("{% for i in range(99999) %}{% for j in range(99999) %}"
                               "{% endfor %}{% endfor %}"), "of the template: it takes more"),
    ("template-grows", template("{% set n = namespace(s='x') %}{% for i in range(99) %}"
                                "{% set n.s = n.s + n.s %}{% endfor %}"), "it makes more than"),
    ("template-macro", template("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}"), "100 deep"),
    ("template-empty", template("{# #}"), "makes no text of the messages"),
    ("lfs", text("model.safetensors", LFS), "is a pointer of Git LFS"),
    ("lfs-tokenizer", text("tokenizer.json", LFS), "is a pointer of Git LFS"),
    ("pickle", only("pytorch_model.bin"), PICKLE),
    ("gguf", only("model.gguf"), "hint: give the GGUF file:"),
    ("empty", emptied, "is an empty folder"),
    ("within", within, "hint: give the folder in it:"),
    ("nothing", shutil.rmtree, "there is no folder or file"),
    ("encoder-heads", settings(num_attention_heads=5), "must divide hidden_size, got 5"),
    ("encoder-layers", settings(num_hidden_layers=10**8), '"num_hidden_layers" is 100000000, but'),
    ("encoder-act", settings(hidden_act="tangent"), 'as the activation, got "tangent"'),
    ("encoder-type", settings(model_type="llama"), 'for the setting "model_type", got "llama"'),
    ("encoder-pickle", only("pytorch_model.bin"), PICKLE),
]


def written(base: Path) -> list[Path]:
    """The damaged folders; weights and tokenizers are links."""
    paths = []
    for name, damage, _ in CASES:
        path = base / name
        path.mkdir(parents=True)
        for file in folder(_MODELS.get(name.partition("-")[0], "llama")).iterdir():
            if file.suffix == ".safetensors" or file.name == "tokenizer.json":
                (path / file.name).symlink_to(file)
            else:
                shutil.copy(file, path)
        damage(path)
        paths.append(path)
    return paths


@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_one_clear_error(back_end: str, tmp_path: Path) -> None:
    paths = written(tmp_path / "m")
    (tmp_path / "folders.json").write_text(json.dumps([str(path) for path in paths]))
    outcome = run(command_of(PROGRAM, back_end, tmp_path), tmp_path)
    assert (outcome.errors, outcome.status, outcome.leaks) == ("", 0, "")
    said = outcome.output.splitlines()
    at = 0
    for path, (name, _, expected) in zip(paths, CASES, strict=True):
        lines = [said[at]]  # a message may have several lines
        at += 1
        while at < len(said) and said[at].startswith(" "):
            lines.append(said[at])
            at += 1
        message = "\n".join(lines)
        assert expected in message, (name, message)
        assert str(path) in message or "template" in name, (name, message)
    assert at == len(said)


@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_a_file_that_becomes_shorter(back_end: str, tmp_path: Path) -> None:
    """Its tensors lie in mapped pages, which are lost; that is said, and nothing crashes."""
    file = tmp_path / "x.safetensors"
    data = bytes(64_000)
    entry = {"x": {"dtype": "F32", "shape": [16000], "data_offsets": [0, len(data)]}}
    text = json.dumps(entry).encode().ljust(80)  # so that the elements are aligned
    file.write_bytes(len(text).to_bytes(8, "little") + text + data)
    program = """
    (define x (hash-ref (load-tensors "x.safetensors") "x"))
    (call-with-output-file "x.safetensors" (lambda (port) (write-string "short" port)))
    (print (tensor-sum x))
    """
    finished = finish(command_of(program, back_end, tmp_path), tmp_path)
    assert finished.returncode == 74
    assert finished.stderr.decode() == (
        'lambent: the file "x.safetensors" became shorter while it was in use: a part of its '
        "tensors is lost\nhint: write a new version to another file, and rename that one\n")
