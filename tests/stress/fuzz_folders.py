"""Damage model folders at random and load them: `python -m tests.stress.fuzz_folders SEED COUNT`.

Every kind of file in a folder of Hugging Face's layout is damaged with its structure in mind:
settings of other types and sizes, headers and offsets that lie, indexes that lead elsewhere, chat
templates that loop.  Then a program loads the model and the tokenizer, generates a little, and
prints what happened.  It must end by itself, as script and as executable with the same text; a
folder works, or the message names the file or the folder, and shows no C++ and no Python.

`--messages` prints each message once, without numbers, to be read.  With `--asan FOLDER` all runs
on a ctorch with AddressSanitizer, which is built there first: the folder is its cache.
"""

import argparse
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.stress.fuzz_files import FORBIDDEN, damaged_bytes
from tests.support import model_folders

PROGRAM = """
(define (told e)
  (if (error-object? e)
      (string (string-join (cons (error-object-message e)
                                 (map string (error-object-irritants e)))
                           " ")
              (let ((hint (error-object-hint e)))
                (if hint (string "\\n  hint: " hint) "")))
      (format "raised ~s" e)))

(define-syntax attempt
  (syntax-rules ()
    ((_ name form)
     (guard (e (#t (print name "refused:" (told e)) (flush-output-port) #f))
       (let ((value form))
         (flush-output-port)
         value)))))

(define messages
  '((("role" . "system") ("content" . "Be brief."))
    (("role" . "user") ("content" . "Hi"))))

(define (try-language-model folder)
  (let* ((model (attempt "model" (load-llm folder)))
         (tokenizer (attempt "tokenizer" (load-tokenizer folder)))
         (text (and tokenizer
                    (attempt "template"
                             (apply-chat-template tokenizer messages)))))
    (when text (print "template" (string-length text)))
    (when tokenizer
      (print "tokens" (attempt "encode" (encode tokenizer "Hello \\x1f600; x"))))
    (when model
      (print "context" (attempt "context" (model-context model)))
      (attempt "logits" (begin (model (tensor '((5 6 7 8)))) #t))
      (print "ids" (attempt "generate"
                            (generation-ids
                             (generate-result model #f '(5 6 7) :greedy #t
                                              :max-tokens 3))))
      (when tokenizer
        (attempt "chat" (begin (chat-reply model tokenizer messages :greedy #t
                                           :max-tokens 3)
                               #t))))))

(define (try-encoder folder)
  (let ((model (attempt "model" (load-encoder folder)))
        (tokenizer (attempt "tokenizer" (load-tokenizer folder))))
    (when (and model tokenizer)
      (attempt "embed" (begin (embed model tokenizer '("a" "tensor")) #t)))))

(define (each-line path do)
  (call-with-input-file path
    (lambda (port)
      (let loop ((line (read-line port)))
        (unless (eof-object? line)
          (do line)
          (loop (read-line port)))))))

(each-line (cadr (command-line))
  (lambda (line)
    (print "FOLDER" line)
    (flush-output-port)
    ((if (string-contains line "encoder") try-encoder try-language-model)
     line)))
"""

MODELS = model_folders.LANGUAGE_MODELS
BATCH = 50
TIMEOUT = 600  # seconds for a batch
LONGEST_MESSAGE = 3000  # characters
MEMORY = 6 << 30  # bytes of addresses; LibTorch's libraries take most
FORBIDDEN_HERE = (*FORBIDDEN, "Traceback", "std::", "at::", "internal error", "raised ")

ODD: list[Any] = [
    None, True, False, -1, 0, 1, 2, 3, 7, 2**31 - 1, 2**31, 2**62, 2**63, 2**64, -(2**63), 10**30,
    10**400, 1e308, -0.5, 0.5, 1e-320, float("nan"), float("inf"), float("-inf"), 1.0, 48.0, 10**9,
    "", "a", "48", "\0", "../x", "é" * 300, [], [[]], [1], [None, "a"], ["sliding_attention"] * 2,
    {}, {"a": {}}, {"type": "linear"}, {"rope_type": "llama3", "factor": 8}, "true", 10**7, 1000,
]
RAW = (b"1e999", b"-1e999", b"1e-999", b"NaN", b"Infinity", b"-0", b"01", b"0x10", b"1.", b".5",
       b"[" * 100_000, b'{"a":' * 100_000, b'"\\ud800"', b'"\\u0000"', b"nul", b"", b"/**/1",
       b"9" * 100_000, b'"' + b"x" * 1_000_000 + b'"')
ROPE_FIELDS = (
    "rope_type", "type", "factor", "low_freq_factor", "high_freq_factor", "rope_theta", "beta_fast",
    "original_max_position_embeddings", "beta_slow", "attention_factor", "mscale", "mscale_all_dim",
    "truncate", "long_factor", "short_factor", "partial_rotary_factor",
)
ROPE_TYPES = ("linear", "dynamic", "llama3", "yarn", "longrope", "su", "default")
ROPE_VALUES: list[Any] = [
    *ODD, 1e-300, [1.0] * 6, [0.0] * 6, [-1.0] * 6, ["a"] * 6, [1.0] * 5, [float("nan")] * 6, 4,
    8.0,
]
MORE_FIELDS = (
    "model_type", "architectures", "dtype", "torch_dtype", "layer_types", "sliding_window",
    "max_window_layers", "use_sliding_window", "mlp_only_layers", "decoder_sparse_step",
    "lambent_quantization", "head_dim", "n_inner", "n_positions", "tie_word_embeddings",
    "attention_dropout", "initializer_range", "partial_rotary_factor", "rope_theta",
    "query_pre_attn_scalar", "final_logit_softcapping", "quantization_config",
)
TEMPLATES = (
    "{% for i in range(1000000000) %}x{% endfor %}",
    "{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}",
    "{% set ns = namespace(s='x') %}{% for i in range(200) %}{% set ns.s = ns.s + ns.s %}"
    "{% endfor %}{{ ns.s }}",
    "{{ 'x' * 10000000000 }}", "{{ [1] * 10000000000 }}", "{{ 10 ** 10000000 }}",
    "{% macro m(x) %}{{ m(x) }}{% endmacro %}{{ m(1) }}",
    "{% macro m(x) %}{{ m(x) }}{{ m(x) }}{% endmacro %}{{ m(1) }}",
    "{{ messages[1000] }}", "{{ messages[-1000].content }}", "{{ messages['role'] }}",
    "{{ messages | tojson(indent=1000000000) }}", "{{ 'a' | indent(1000000000) }}",
    "{{ 'ab'.replace('', 'x' * 1000000) }}", "{{ ('a' * 100000).split('a') | join('b' * 100000) }}",
    "{{ 'a'.center(10000000000) }}", "{{ '%*d' % (1000000000, 1) }}", "{{ 'x'.format() }}",
    "{% set x = [] %}{% for i in range(3) %}{% set x = [x, x] %}{% endfor %}{{ x }}",
    "(" * 5000, "{{ " + "(" * 20000 + "1" + ")" * 20000 + " }}", "{{ " + "-" * 20000 + "1 }}",
    "{{ " + "not " * 20000 + "1 }}", "{{ " + "[" * 20000 + "]" * 20000 + " }}",
    "{% if 1 %}" * 5000, "{% if 1 %}" * 5000 + "{% endif %}" * 5000, "{% for %}", "{{", "{%", "{#",
    "{{ a.b.c.d }}", "{{ 1 / 0 }}", "{{ 1 % 0 }}", "{{ raise_exception('no') }}", "{{ self }}",
    "{{ strftime_now('%' * 1000) }}", "{% include 'x' %}", "{{ ''.__class__.__mro__ }}",
    "{% set x = x %}{{ x }}", "{{ messages | map(attribute='role') | list }}",
    "{{ range(10, 0, 0) | list }}", "{{ range(0, 1e18) }}", "{{ range(10**18) | list }}",
    "{{ range(10**18) | length }}", "{{ 'a'[::0] }}", "{{ 'a'[10**30:] }}", "\0", "\ud7ff" * 10,
    "{{ messages | sum }}", "{{ (messages | string) * 100000 }}", "{{ 1 << 5 }}",
    "{% generation %}{{ 1 }}", "{{ 2 ** 2 ** 2 ** 2 ** 2 ** 2 }}", "{{ 9 ** 9 ** 9 }}",
    "{{ 1e308 * 10 }}", "{{ (10 ** 400) | float }}", "{{ 'nan' | int }}",
    "{{ ('9' * 100000) | int }}",
)

Case = Callable[[random.Random, Path], None]


def chance_of(chance: random.Random, value: Any, values: list[Any]) -> Any:
    """Another value in its place."""
    if chance.random() < 0.3 and isinstance(value, int) and not isinstance(value, bool):
        return value + chance.choice((-1, 1, 2, -value, value, 1000 * value))
    return chance.choice(values)


def dumped(settings: Any) -> bytes:
    return json.dumps(settings, ensure_ascii=False).encode("utf-8", "surrogatepass")


def damage_fields(chance: random.Random, folder: Path) -> None:
    """Some settings of config.json have other values, or are missing."""
    path = folder / "config.json"
    config = json.loads(path.read_bytes())
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        key = chance.choice([*config, *MORE_FIELDS])
        if chance.random() < 0.15:
            config.pop(key, None)
        else:
            config[key] = chance_of(chance, config.get(key), ODD)
    path.write_bytes(dumped(config))


def damage_rope(chance: random.Random, folder: Path) -> None:
    path = folder / "config.json"
    config = json.loads(path.read_bytes())
    rope: dict[str, Any] = {"rope_type": chance.choice(ROPE_TYPES), "factor": 4.0,
                            "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                            "original_max_position_embeddings": 16, "rope_theta": 10000.0,
                            "long_factor": [1.0] * 6, "short_factor": [1.0] * 6}
    for _ in range(chance.choice((1, 1, 2, 3))):
        key = chance.choice(ROPE_FIELDS)
        if chance.random() < 0.2:
            rope.pop(key, None)
        else:
            rope[key] = chance.choice(ROPE_VALUES)
    config.pop("rope_parameters", None)
    config[chance.choice(("rope_scaling", "rope_parameters"))] = (
        chance.choice(ODD) if chance.random() < 0.1 else rope)
    path.write_bytes(dumped(config))


def damage_text(chance: random.Random, folder: Path) -> None:
    """The bytes of a JSON file are damaged, or a value is replaced by odd text."""
    path = folder / chance.choice(("config.json", "config.json", "tokenizer_config.json",
                                   "generation_config.json"))
    if not path.exists():
        path = folder / "config.json"
    data = path.read_bytes()
    if chance.random() < 0.5:
        values = list(re.finditer(rb": *([^,\n{\[]+)", data))
        at = chance.choice(values)
        data = data[: at.start(1)] + chance.choice(RAW) + data[at.end(1) :]
    elif chance.random() < 0.2:
        data = chance.choice((b"", b"\xff\xfe{\0}\0", b"\xef\xbb\xbf" + data, data * 2, b"null",
                              b"[]", data[:-2] + b',"model_type":"gpt2"}', b"{}", b"\0" * 100,
                              b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n"))
    else:
        data = damaged_bytes(chance, data)
    path.write_bytes(data)


def damage_other_settings(chance: random.Random, folder: Path) -> None:
    """Fields of the files beside config.json have other values."""
    name = chance.choice(("tokenizer_config.json", "generation_config.json",
                          "special_tokens_map.json", "added_tokens.json"))
    path = folder / name
    settings = json.loads(path.read_bytes()) if path.exists() else {}
    keys = (*settings, "chat_template", "eos_token_id", "eos_token", "bos_token", "pad_token",
            "added_tokens_decoder", "add_bos_token", "temperature", "model_max_length", "x")
    for _ in range(chance.choice((1, 2, 3))):
        settings[chance.choice(keys)] = chance.choice((
            *ODD, {"content": 1}, {"content": {"content": "<s>"}}, {"400": {"content": "a"}},
            {"-1": {"content": "a"}}, {"x": 1}, {"99999999999": {"content": "b"}},
            [{"name": "default", "template": 1}], [{"name": 1, "template": "x"}],
            [{"name": "default", "template": "{{ 1 }}"}, {}], [400, -1, 2**70]))
    path.write_bytes(dumped(settings))


def damage_template(chance: random.Random, folder: Path) -> None:
    path = folder / "tokenizer_config.json"
    settings = json.loads(path.read_bytes()) if path.exists() else {}
    template = chance.choice(TEMPLATES)
    if chance.random() < 0.4:
        whole = settings.get("chat_template", "") if chance.random() < 0.7 else template
        template = damaged_bytes(chance, str(whole).encode()).decode("utf-8", "replace")
    settings["chat_template"] = template
    path.write_bytes(dumped(settings))


def header_of(path: Path) -> tuple[dict[str, Any], bytes]:
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    return json.loads(data[8 : 8 + length]), data[8 + length :]


def own_copy(path: Path) -> None:
    """A file instead of the link to it."""
    data = path.read_bytes()
    path.unlink()
    path.write_bytes(data)


def with_header(header: Any, data: bytes, length: int | None = None) -> bytes:
    text = header if isinstance(header, bytes) else dumped(header)
    return (len(text) if length is None else length).to_bytes(8, "little") + text + data


SIZES = (0, -1, 1, 2, 48, 2**31, 2**32, 2**62, 2**63 - 1, 2**63, 2**64, 10**30, 1.0, 0.5, "1", None,
         True, [1], 10**9)


def damage_weights(chance: random.Random, folder: Path) -> None:
    """The header of model.safetensors describes something else than what follows."""
    path = folder / "model.safetensors"
    own_copy(path)
    header, data = header_of(path)
    names = [name for name in header if name != "__metadata__"]
    name = chance.choice(names)
    entry = header[name]
    match chance.randrange(14):
        case 0:
            entry["shape"][chance.randrange(len(entry["shape"]))] = chance.choice(SIZES)
        case 1:
            entry["data_offsets"][chance.randrange(2)] = chance.choice(SIZES)
        case 2:
            entry["data_offsets"] = entry["data_offsets"][::-1]
        case 3:
            entry["data_offsets"] = header[chance.choice(names)]["data_offsets"]
        case 4:
            entry["dtype"] = chance.choice(("F64", "F16", "I64", "U8", "F4", "", 1, None, "BOOL",
                                            "F8_E4M3", "C64"))
        case 5:
            entry["shape"] = chance.choice(([], [[1]], entry["shape"][::-1], entry["shape"] * 2,
                                            [1] * 65, [0], {}, "1", [1] * 64))
        case 6:
            header[name + "x"] = header.pop(name)
        case 7:
            del header[name]
        case 8:
            header["__metadata__"] = chance.choice(ODD)
        case 9:
            data = data[: chance.randrange(len(data))] if chance.random() < 0.5 else data * 2
        case 10:
            text = dumped(header)
            path.write_bytes(with_header(text, data, chance.choice(
                (0, 1, 7, len(text) - 1, len(text) + 1, 2**31, 2**63, 2**64 - 1, 100_000_000,
                 len(text) + len(data), len(text) + len(data) + 1))))
            return
        case 11:
            text = dumped(header)
            twice = f'"{name}": {json.dumps(entry)}, '.encode()
            path.write_bytes(with_header(text[:1] + twice + text[1:], data))
            return
        case 12:
            path.write_bytes(with_header(chance.choice(
                (b"", b"{", b"[]", b"{}", b"null", b"{" * 200_000, b'{"a":' * 200_000,
                 b" " * 300, b"\xff" * 30, b'{"":{}}', b'{"a":{"a":[[[[[')), data))
            return
        case _:
            path.write_bytes(damaged_bytes(chance, with_header(header, b"")) + data)
            return
    path.write_bytes(with_header(header, data))


def damage_values(chance: random.Random, folder: Path) -> None:
    """Weights that are not finite, or of another shape of as many elements."""
    path = folder / "model.safetensors"
    own_copy(path)
    header, data = header_of(path)
    changed = bytearray(data)
    for _ in range(chance.choice((1, 50, 5000))):
        at = chance.randrange(len(changed) // 4) * 4
        changed[at : at + 4] = chance.choice((b"\0\0\xc0\x7f", b"\0\0\x80\x7f", b"\xff" * 4))
    path.write_bytes(with_header(header, bytes(changed)))


def damage_index(chance: random.Random, folder: Path) -> None:
    """The model lies in two files, which the index names wrongly."""
    path = folder / "model.safetensors"
    header, data = header_of(path)
    names = [name for name in header if name != "__metadata__"]
    where = {name: f"model-0000{1 + k % 2}-of-00002.safetensors" for k, name in enumerate(names)}
    for file in sorted(set(where.values())):
        part, chunks = {}, []
        for name in names:
            if where[name] == file:
                start, end = header[name]["data_offsets"]
                begin = sum(map(len, chunks))
                part[name] = header[name] | {"data_offsets": [begin, begin + end - start]}
                chunks.append(data[start:end])
        (folder / file).write_bytes(with_header(part, b"".join(chunks)))
    path.unlink()
    index: Any = {"metadata": {"total_size": len(data)}, "weight_map": where}
    shard, name = folder / chance.choice(list(where.values())), chance.choice(names)
    match chance.randrange(12):
        case 0:
            shard.unlink()
        case 1:
            where[name] = chance.choice((
                "../secret", "/etc/passwd", "..", ".", "", "a\0b", "a/../../b", "config.json",
                "x" * 5000, "\\..\\x", shard.name + "/", "//etc/passwd", "./" + shard.name,
                "nothing.safetensors", "tokenizer.json", "loop", "~/x", "%2e%2e/x"))
        case 2:
            where[name] = chance.choice(ODD)
        case 3:
            del where[name]
        case 4:
            where[name + "x"] = shard.name
        case 5:
            index["weight_map"] = chance.choice(ODD)
        case 6:
            shard.unlink()
            shard.symlink_to(chance.choice(("/etc/passwd", "/dev/zero", "/nowhere", shard.name,
                                            "/", "/proc/self/mem")))
        case 7:
            shard.write_bytes(damaged_bytes(chance, shard.read_bytes()[:2000]))
        case 8:
            text = dumped(index)
            (folder / "model.safetensors.index.json").write_bytes(damaged_bytes(chance, text))
            return
        case 9:
            index["metadata"] = chance.choice(ODD)
        case 10:
            shard.unlink()
            os.mkfifo(shard)
        case _:
            (folder / "model.safetensors.index.json").write_bytes(chance.choice(RAW))
            return
    (folder / "model.safetensors.index.json").write_bytes(dumped(index))


def damage_files(chance: random.Random, folder: Path) -> None:
    """A file is missing, is empty, or is something else."""
    path = folder / chance.choice(("config.json", "model.safetensors", "tokenizer.json",
                                   "tokenizer_config.json", "generation_config.json"))
    path.unlink(missing_ok=True)
    match chance.randrange(7):
        case 0:
            path.write_bytes(b"")
        case 1:
            path.mkdir()
        case 2:
            path.symlink_to(path.name)
        case 3:
            path.write_bytes(b"version https://git-lfs.github.com/spec/v1\n"
                             b"oid sha256:" + b"0" * 64 + b"\nsize 269060552\n")
        case 4:
            path.symlink_to("/dev/zero")
        case 5:
            (folder / "pytorch_model.bin").write_bytes(b"PK\3\4")


def damage_tokenizer(chance: random.Random, folder: Path) -> None:
    path = folder / "tokenizer.json"
    own_copy(path)
    path.write_bytes(damaged_bytes(chance, path.read_bytes()))


DAMAGES: dict[str, tuple[Case, int]] = {
    "fields": (damage_fields, 10), "rope": (damage_rope, 4), "text": (damage_text, 4),
    "settings": (damage_other_settings, 4), "template": (damage_template, 5),
    "weights": (damage_weights, 6), "values": (damage_values, 1), "index": (damage_index, 4),
    "files": (damage_files, 2), "tokenizer": (damage_tokenizer, 1),
}


def bases(folder: Path) -> dict[str, Path]:
    """Undamaged folders, by a name for those that are made from them."""
    found = {name: model_folders.folder(name) for name in MODELS}
    found["encoder-bert"] = model_folders.folder("bert")
    for name in ("Roberta", "DistilBert"):
        found[f"encoder-{name.lower()}"] = written_encoder(folder / name, name)
    return found


def written_encoder(path: Path, name: str) -> Path:
    import transformers

    sizes = {"vocab_size": model_folders.VOCABULARY, "max_position_embeddings": 130}
    sizes |= ({"dim": 48, "hidden_dim": 80, "n_layers": 2, "n_heads": 4} if name == "DistilBert"
              else {"hidden_size": 48, "intermediate_size": 80, "num_hidden_layers": 2,
                    "num_attention_heads": 4})
    config = getattr(transformers, f"{name}Config")(**sizes)
    getattr(transformers, f"{name}Model")(config).save_pretrained(path)
    for file in model_folders.folder("bert").iterdir():
        if not (path / file.name).exists():
            shutil.copy(file, path)
    return path


def cases(seed: int, count: int, only: str | None, scratch: Path) -> Iterator[Path]:
    """Damaged folders."""
    whole = bases(scratch)
    names = [only] if only else list(DAMAGES)
    weights = [DAMAGES[name][1] for name in names]
    for k in range(count):
        chance = random.Random(f"{seed}-{k}")
        base = chance.choice(list(whole))
        kind = chance.choices(names, weights)[0]
        folder = scratch / "cases" / f"{k}-{kind}-{base}"
        folder.mkdir(parents=True)
        for file in whole[base].iterdir():
            if file.suffix == ".safetensors" or file.name == "tokenizer.json":
                (folder / file.name).symlink_to(file)
            else:
                shutil.copy(file, folder)
        DAMAGES[kind][0](chance, folder)
        yield folder


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def answers(command: list[str], folders: list[Path], scratch: Path,
            environment: dict[str, str]) -> tuple[str, str, int | None]:
    """What the program prints about folders: its output, errors and status (None: a hang)."""
    listing = scratch / "listing"
    listing.write_text("".join(f"{folder}\n" for folder in folders))
    try:
        done = subprocess.run(
            [*command, str(listing)], capture_output=True, timeout=TIMEOUT,
            preexec_fn=None if "LD_PRELOAD" in environment else limited,
            env={**os.environ, "OMP_NUM_THREADS": "1", "LAMBENT_CHECK_LEAKS": "1", **environment})
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"").decode(), (late.stderr or b"").decode(), None
    return done.stdout.decode(), done.stderr.decode(), done.returncode


def complaints(output: str, errors: str, status: int | None) -> Iterator[str]:
    """What is wrong with an answer about a batch."""
    last = output.rpartition("FOLDER ")[2][:LONGEST_MESSAGE]
    if status != 0:
        yield f"status {status} after {last!r}: {errors[-3000:]}"
    elif errors != "live handles: 0, live objects: 0\n":
        yield f"errors: {errors[-3000:]}"
    for part in output.split("FOLDER ")[1:]:
        folder = part.partition("\n")[0]
        for said in re.findall(r"(?ms)^\w+ refused: .*?(?=^\w+ |\Z)", part):
            if len(said) > LONGEST_MESSAGE:
                yield f"long: {folder}: {said[:1000]}"
            if any(word in said for word in FORBIDDEN_HERE):
                yield f"forbidden: {folder}: {said[:1000]}"
            if folder not in said and said.startswith(("model", "tokenizer")):
                yield f"no file: {folder}: {said[:1000]}"


def shape_of(message: str) -> str:
    """A message without what differs from case to case."""
    message = re.sub(r"/\S*/\d+-\w+-[\w-]+", "FOLDER", message)
    return re.sub(r"\d+", "9", message)[:400]


def checked(folder: str) -> dict[str, str]:
    """The environment in which ctorch is built and runs with AddressSanitizer."""
    runtime = [subprocess.check_output(["g++", f"-print-file-name={name}"], text=True).strip()
               for name in ("libasan.so", "libstdc++.so")]
    return {"CXX": "g++ -fsanitize=address", "LAMBENT_CACHE": folder,
            "LD_PRELOAD": " ".join(runtime),
            "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1"}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("seed", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--only", choices=DAMAGES)
    parser.add_argument("--messages", action="store_true")
    parser.add_argument("--back-end", choices=("script", "executable", "both"), default="both")
    parser.add_argument("--asan", metavar="FOLDER", help="use AddressSanitizer, built there")
    parser.add_argument("--keep", action="store_true", help="keep the folders of complaints")
    options = parser.parse_args()
    scratch = Path(tempfile.mkdtemp(prefix="lambent-fuzz-"))
    program = scratch / "fuzz.lisp"
    program.write_text(PROGRAM)
    environment = checked(options.asan) if options.asan else {}
    lambent = [sys.executable, "-m", "lambent.lang"]
    commands = {"script": [*lambent, str(program)]}
    if options.back_end != "script":
        subprocess.run([*lambent, "compile", str(program), "-o", str(scratch / "fuzz")],
                       env={**os.environ, **environment}, check=True)
        commands["executable"] = [str(scratch / "fuzz")]
    if options.back_end != "both":
        commands = {options.back_end: commands[options.back_end]}
    shapes: set[str] = set()
    refused = failures = 0
    folders = list(cases(options.seed, options.count, options.only, scratch))
    for start in range(0, len(folders), BATCH):
        batch = folders[start : start + BATCH]
        outputs = {}
        for name, command in commands.items():
            outputs[name] = answers(command, batch, scratch, environment)
            for complaint in complaints(*outputs[name]):
                failures += 1
                print(f"{name}: {complaint}", flush=True)
        if len({output for output, _, _ in outputs.values()}) > 1:
            failures += 1
            texts = [output.split("FOLDER ") for output, _, _ in outputs.values()]
            for a, b in zip(*texts, strict=False):
                if a != b:
                    print(f"back ends differ: {a[:1500]!r}\n  and {b[:1500]!r}", flush=True)
                    break
        output = next(iter(outputs.values()))[0]
        for said in re.findall(r"(?ms)^(\w+ refused: .*?)(?=^\w+ |\Z)", output):
            refused += 1
            shapes.add(shape_of(said))
        for folder in batch:
            if not options.keep:
                shutil.rmtree(folder)
    if options.messages:
        print("\n".join(sorted(shapes)))
    if not options.keep:
        shutil.rmtree(scratch)
    print(f"{len(folders)} folders, {refused} messages, {failures} complaints")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
