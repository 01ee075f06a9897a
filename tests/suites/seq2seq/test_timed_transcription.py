"""Times of segments: those of transformers, for short and long sounds, options and beams."""

import json
import shutil
import struct
from pathlib import Path
from typing import Any

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none

torch = pytest.importorskip("torch")

from safetensors.torch import save_file  # noqa: E402

from tests.suites.seq2seq.timed_whisper import (  # noqa: E402
    END,
    NEW_TOKENS,
    PREVIOUS,
    TIMES_BEGIN,
    heard_segments,
    heard_words,
    write_timed_whisper,
)
from tests.support.programs_run import Outcome, command_of, run  # noqa: E402

# Name: how many samples, the options for Lisp, and those for transformers.
_ROWS: dict[str, tuple[int, str, dict[str, Any]]] = {
    "long": (30345, "", {}),
    "window": (16000, "", {}),
    "language": (24000, ':language "fr"', {"language": "fr"}),
    "task": (33000, ':language "de" :task "translate"', {"language": "de", "task": "translate"}),
    "beams": (30000, ":beams 3", {"num_beams": 3}),
}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_timed_whisper(tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="module")
def sound() -> torch.Tensor:
    return torch.rand(60_000, generator=torch.Generator().manual_seed(2)) * 2 - 1


def _program(model: Path, rows: str) -> str:
    return f"""
(define model (load-seq2seq "{model}"))
(define tokenizer (load-tokenizer "{model}"))
(define x (hash-ref (load-tensors "x.safetensors") "x"))
(define (heard n . options)
  (apply transcribe-result model tokenizer (tensor-narrow x 0 0 n)
         :max-tokens {NEW_TOKENS} options))
{rows}
"""


def _printed(program: str, sound: torch.Tensor, back_end: str, folder: Path) -> str:
    save_file({"x": sound}, folder / "x.safetensors")
    outcome = run(command_of(program, back_end, folder), folder)
    assert (outcome.status, outcome.errors, outcome.leaks) == (0, "", ""), outcome
    return outcome.output


def _without_open_time(tokens: list[int]) -> list[int]:
    """transformers leaves the beginning of the next segment at the end of the last one."""
    return tokens[:-1] if min(tokens[-2:]) >= TIMES_BEGIN else tokens


def test_segments_are_those_of_transformers(
    model: Path, sound: torch.Tensor, back_end: str, tmp_path: Path
) -> None:
    rows = "\n".join(f"(write-string (format-transcription (heard {n} {options}) 'json))"
                     for n, options, _ in _ROWS.values())
    lines = _printed(_program(model, rows), sound, back_end, tmp_path).splitlines()
    for (name, (n, _, options)), line in zip(_ROWS.items(), lines, strict=True):
        found = json.loads(line)
        wanted = heard_segments(model, sound[:n], **options)
        assert len(wanted) > 1, name
        assert found["duration"] == pytest.approx(n / 16000)
        for segment, (start, end, tokens) in zip(found["segments"], wanted, strict=True):
            assert segment["tokens"] == _without_open_time(tokens), name
            # transformers loses 0.02 where its quotient of doubles is just below an integer.
            assert segment["start"] == pytest.approx(start, abs=0.021), name
            assert segment["end"] == pytest.approx(end, abs=0.021), name
        assert found["text"] == "".join(part["text"] for part in found["segments"]).strip()
        assert found["language"] == options.get("language", found["language"])


def test_words_are_those_of_transformers(
    model: Path, sound: torch.Tensor, back_end: str, tmp_path: Path
) -> None:
    kinds = {name: _ROWS[name] for name in ("window", "long", "language", "beams")}
    rows = "\n".join(
        f"(write-string (format-transcription (heard {n} :times 'words {options}) 'json))"
        for n, options, _ in kinds.values())
    rows += """
(print (map sound-segment-words (transcription-segments (heard 5000))))
(print (guard (e (#t (error-object-message e))) (heard 5000 :times 'letters)))
(print (guard (e (#t (error-object-message e))) (sound-word-text 5)))
"""
    *lines, none, wrong, other = _printed(
        _program(model, rows), sound, back_end, tmp_path).splitlines()
    for (name, (n, _, options)), line in zip(kinds.items(), lines, strict=True):
        wanted = heard_words(model, sound[:n], **options)
        found = [(word["word"], word["start"], word["end"]) for word in json.loads(line)["words"]]
        assert len(wanted) > 2, name
        assert [word[0] for word in found] == [word.strip() for word, *_ in wanted], name
        for word, (_, start, end) in zip(found, wanted, strict=True):
            assert word[1:] == pytest.approx((start, end), abs=0.011), (name, found, wanted)
    assert set(none.strip("()").split()) == {"#f"}
    assert wrong == "transcribe-result: expected segments or words for :times, got letters"
    assert other == "sound-word-text: expected a word, of sound-segment-words, got 5"


def test_words_need_heads_that_follow_the_sound(
    model: Path, sound: torch.Tensor, back_end: str, tmp_path: Path
) -> None:
    shutil.copytree(model, tmp_path / "model")
    file = tmp_path / "model/generation_config.json"
    settings = json.loads(file.read_text("utf-8"))
    for heads in (None, [[0, 9]], [[2, 0]], [[0]]):
        file.write_text(json.dumps(settings | {"alignment_heads": heads}), "utf-8")
        said = _printed(_program(tmp_path / "model", """
(print (guard (e (#t (error-object-message e))) (heard 5000 :times 'words)))
"""), sound, back_end, tmp_path)
        assert said == ("transcribe-result: the times of words need alignment_heads in "
                        "generation_config.json, a list of layers and heads\n")
        if back_end == "executable":  # one build is enough
            break


def test_formats_and_options(
    model: Path, sound: torch.Tensor, back_end: str, tmp_path: Path
) -> None:
    rows = """
(define long (heard 24000))
(write-string (format-transcription long 'srt))
(write-string "----\\n")
(write-string (format-transcription long 'vtt))
(write-string "----\\n")
(print (string=? (transcription-text long)
                 (transcribe model tokenizer (tensor-narrow x 0 0 24000)
                             :max-tokens 24)))
(print (map sound-segment-ids (transcription-segments (heard 0))))
(print (transcription-language (heard 0)))
(print (< 0 (length (transcription-segments (heard 1)))))
(print (length (transcription-segments (heard 60000 :temperature 1.0 :seed 3))))
(write-string (format-transcription (heard 16000 :log-probabilities #t) 'json))
"""
    printed = _printed(_program(model, rows), sound, back_end, tmp_path)
    srt, vtt, rest = printed.split("----\n")
    segments = heard_segments(model, sound[:24000])
    times = [f"00:00:{start:06.3f} --> 00:00:{end:06.3f}" for start, end, _ in segments]
    assert [line for line in vtt.splitlines() if "-->" in line] == times
    assert vtt.startswith("WEBVTT\n\n00:")
    blocks = srt.removesuffix("\n\n").split("\n\n")
    assert [block.split("\n")[:2] for block in blocks] == [
        [str(k + 1), time.replace(".", ",")] for k, time in enumerate(times)]
    same, empty, language, short, sampled, line = rest.splitlines()
    assert (same, empty, language, short) == ("#t", "()", "#f", "#t")
    assert int(sampled) > 3
    for segment in json.loads(line)["segments"]:
        assert segment["avg_logprob"] < 0 < segment["no_speech_prob"] < 1


def test_a_prompt_stands_before_the_text(
    model: Path, sound: torch.Tensor, back_end: str, tmp_path: Path
) -> None:
    rows = """
(write (encode tokenizer " one two" :special #f)) (newline)
(write-string (format-transcription
               (heard 16000 :prompt "one two " :language "en") 'json))
(write-string (format-transcription
               (heard 16000 :prompt (make-string 100000 #\\a) :language "en") 'json))
"""
    ids, line, _ = _printed(_program(model, rows), sound, back_end, tmp_path).splitlines()
    prompt = torch.tensor([PREVIOUS, *json.loads(ids.replace(" ", ",").replace("(", "[").replace(
        ")", "]"))])
    wanted = heard_segments(model, sound[:16000], language="en", task="transcribe",
                            prompt_ids=prompt)
    found = json.loads(line)["segments"]
    spoken = [token for _, _, tokens in wanted for token in _without_open_time(tokens)
              if token not in prompt.tolist()]
    assert [token for segment in found for token in segment["tokens"]] == spoken
    assert END not in spoken


def test_models_that_know_no_times(back_end: str, tmp_path: Path, model: Path) -> None:
    settings = json.loads((model / "generation_config.json").read_text())
    del settings["no_timestamps_token_id"]
    other = tmp_path / "other"
    other.mkdir()
    for file in model.iterdir():
        (other / file.name).write_bytes(file.read_bytes())
    (other / "generation_config.json").write_text(json.dumps(settings))
    program = _program(other, "(heard 16000)")
    save_file({"x": torch.zeros(16000)}, tmp_path / "x.safetensors")
    outcome = run(command_of(program, back_end, tmp_path), tmp_path)
    assert "transcribe-result: the model's settings have no no_timestamps_token_id" in (
        outcome.errors)
    assert outcome.status == 70


def test_command(model: Path, sound: torch.Tensor, back_end: str, tmp_path: Path) -> None:
    """`lambent transcribe`, as text while it comes, as a file, and what it refuses."""
    samples = (sound[:30000] * 32767).round().to(torch.int16).numpy().tobytes()
    form = struct.pack("<HHIIHH", 1, 1, 16000, 32000, 2, 16)
    body = b"WAVEfmt " + struct.pack("<I", len(form)) + form
    body += b"data" + struct.pack("<I", len(samples)) + samples
    (tmp_path / "x.wav").write_bytes(b"RIFF" + struct.pack("<I", len(body)) + body)
    (tmp_path / "x.mp3").write_bytes(b"ID3\x04" + bytes(20))
    program = """
(define (run . words)
  (language-model-command (cons "transcribe" words)))
(define kind (getenv "KIND"))
(case (string->symbol kind)
  ((both) (run "x.wav" "--model" MODEL)
          (write-string "----\\n")
          (run "x.wav" "--model" MODEL "--format" "json"))
  ((mp3) (run "x.mp3" "--model" MODEL))
  ((none) (run "none.wav" "--model" MODEL))
  ((folder) (run "x.wav"))
  ((format) (run "x.wav" "--model" MODEL "--format" "pdf")))
""".replace("MODEL", f'"{model}"')
    command = command_of(program, back_end, tmp_path)

    def outcome(kind: str) -> Outcome:
        return run(command, tmp_path, {"KIND": kind})

    both = outcome("both")
    assert (both.status, both.errors) == (0, "")
    text, line = both.output.split("----\n")
    assert text == json.loads(line)["text"] + "\n" and len(text) > 3
    for kind, status, message in [
        ("mp3", 70, 'lambent: load-wav: "x.mp3" is of the format MP3, not WAV\n'
                    "hint: ffmpeg -i FILE -c:a pcm_s16le NEW.wav converts other formats\n"),
        ("none", 66, "lambent: cannot open none.wav: No such file or directory\n"
                     "hint: it takes a WAV file\n"),
        ("folder", 64, "lambent: no --model is given\n"
                       "hint: usage: lambent transcribe AUDIO --model FOLDER [OPTION ...]\n"),
        ("format", 64, "lambent: --format takes text, srt, vtt or json, got pdf\n"
                       "hint: usage: lambent transcribe AUDIO --model FOLDER [OPTION ...]\n"),
    ]:
        found = outcome(kind)
        assert (found.status, found.errors, found.output) == (status, message, "")
