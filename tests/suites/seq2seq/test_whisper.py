"""Sound: WAV files, rates, Whisper's features, and texts."""

import math
import struct
from pathlib import Path

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none

torch = pytest.importorskip("torch")

from safetensors.torch import load_file, save_file  # noqa: E402

from tests.suites.seq2seq.seq2seq_folders import folder, heard_text, reference  # noqa: E402
from tests.support.programs_run import command_of, run  # noqa: E402


def _noise(*shape: int) -> torch.Tensor:
    return torch.rand(*shape, generator=torch.Generator().manual_seed(2)) * 2 - 1


def _wav(path: Path, tag: int, bits: int, data: bytes, channels: int = 2) -> None:
    """A WAV file with a chunk of odd size before the samples."""
    form = struct.pack("<HHIIHH", tag, channels, 44100, 44100, channels * bits // 8, bits)
    body = b"WAVEfmt " + struct.pack("<I", len(form)) + form + b"LIST\x03\0\0\0abc\0"
    body += b"data" + struct.pack("<I", len(data)) + data
    path.write_bytes(b"RIFF" + struct.pack("<I", len(body)) + body)


def _bytes_of(samples: torch.Tensor) -> bytes:
    return samples.T.contiguous().numpy().tobytes()


def _found(program: str, back_end: str, tmp_path: Path) -> dict[str, torch.Tensor]:
    outcome = run(command_of(program, back_end, tmp_path), tmp_path)
    assert (outcome.status, outcome.errors, outcome.leaks) == (0, "", ""), outcome
    return load_file(tmp_path / "out.safetensors")


def test_wav_files_and_rates(back_end: str, tmp_path: Path) -> None:
    x = _noise(2, 999)
    whole = (x.double() * 8388607).round().to(torch.int64)
    times = torch.arange(44100, dtype=torch.float64) / 44100
    tone = torch.sin(2 * math.pi * 440 * times).float()
    rows = {
        "u8": (1, 8, (x * 127 + 128).round().to(torch.uint8)),
        "i16": (1, 16, (x * 32767).round().to(torch.int16)),
        "i32": (1, 32, (x.double() * 2**31 * 0.999).to(torch.int32)),
        "f32": (3, 32, x), "f64": (3, 64, x.double()), "none": (1, 16, x[:, :0].to(torch.int16)),
    }
    for name, (tag, bits, samples) in rows.items():
        _wav(tmp_path / f"{name}.wav", tag, bits, _bytes_of(samples))
    _wav(tmp_path / "i24.wav", 1, 24, b"".join(
        int(sample).to_bytes(3, "little", signed=True) for sample in whole.T.flatten()
    ))
    _wav(tmp_path / "tone.wav", 3, 32, _bytes_of(tone[None]), channels=1)
    program = """
(define (sound name)
  (let-values (((x rate) (load-wav (string name ".wav"))))
    (unless (= rate 44100) (error "wrong rate" rate))
    x))
(define names '("u8" "i16" "i24" "i32" "f32" "f64" "none"))
(save-tensors "out.safetensors"
  (append (map (lambda (name) (cons name (sound name))) names)
          (list (cons "down" (resample (mono (sound "tone")) 44100 16000))
                (cons "up" (resample (sound "tone") 44100 48000)))))
"""
    found = _found(program, back_end, tmp_path)
    expected = {
        "u8": (rows["u8"][2].double() - 128) / 128, "i16": rows["i16"][2].double() / 2**15,
        "i24": whole.double() / 2**23, "i32": rows["i32"][2].double() / 2**31, "f32": x, "f64": x,
        "none": x[:, :0],
    }
    for name, samples in expected.items():
        assert found[name].shape == samples.shape, name
        torch.testing.assert_close(found[name].double(), samples.double(), rtol=0, atol=1e-7)
    for name, rate in {"down": 16000, "up": 48000}.items():
        samples = found[name].flatten()
        assert samples.shape == (rate,)
        times = torch.arange(rate, dtype=torch.float64) / rate
        wanted = torch.sin(2 * math.pi * 440 * times)
        difference = (samples - wanted).abs()[100:-100]  # silence is beside the tone
        assert difference.max() < 5e-3, name


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("text", b"not a sound", "is not a WAV file"),
        ("short", b"RIFF\0\0\0\0WAVE", "has no samples"),
        ("law", None, "cannot read samples of format 6 with 8 bits"),
    ],
)
def test_files_that_are_refused(name: str, data: bytes | None, message: str, back_end: str,
                                tmp_path: Path) -> None:
    path = tmp_path / "x.wav"
    if data is None:
        _wav(path, 6, 8, b"abcd")
    else:
        path.write_bytes(data)
    outcome = run(command_of('(load-wav "x.wav")', back_end, tmp_path), tmp_path)
    assert message in outcome.errors, outcome
    assert outcome.status == 70


def test_features(back_end: str, tmp_path: Path) -> None:
    from transformers import WhisperFeatureExtractor

    save_file({"x": _noise(40000), "long": _noise(600000)}, tmp_path / "x.safetensors")
    program = """
(define x (load-tensors "x.safetensors"))
(save-tensors "out.safetensors"
  (list (cons "short" (log-mel-features (hash-ref x "x")))
        (cons "bins" (log-mel-features (hash-ref x "x") :bins 128 :frames 100))
        (cons "cut" (log-mel-features (hash-ref x "long")))
        (cons "silent" (log-mel-features (tensor-zeros 1000)))))
"""
    found = _found(program, back_end, tmp_path)
    whole = WhisperFeatureExtractor()
    many = WhisperFeatureExtractor(feature_size=128, chunk_length=1)

    def features(extract: WhisperFeatureExtractor, samples: torch.Tensor) -> torch.Tensor:
        return extract(samples.numpy(), sampling_rate=16000, return_tensors="pt").input_features[0]

    expected = {
        "short": features(whole, _noise(40000)), "bins": features(many, _noise(40000)),
        "cut": features(whole, _noise(600000)), "silent": features(whole, torch.zeros(1000)),
    }
    for name, wanted in expected.items():
        assert (found[name] - wanted).abs().max() < 1e-4, name


def test_transcribe(back_end: str, tmp_path: Path) -> None:
    """A sound of one window; test_timed_transcription.py has longer ones."""
    from transformers import PreTrainedTokenizerFast, WhisperFeatureExtractor

    path = folder("whisper")
    sound = _noise(16000)
    save_file({"x": sound}, tmp_path / "x.safetensors")
    program = f"""
(define model (load-seq2seq "{path}"))
(define tokenizer (load-tokenizer "{path}"))
(define x (hash-ref (load-tensors "x.safetensors") "x"))
(write (transcribe model tokenizer x :max-tokens 14)) (newline)
(print (string=? (transcribe model tokenizer x :max-tokens 14 :language "fr")
                 (transcribe model tokenizer x :max-tokens 14)))
(print (member (detect-language model x) '("de" "en" "fr")))
(save-tensors "out.safetensors" (list (cons "x" x)))
"""
    extract = WhisperFeatureExtractor(feature_size=20, chunk_length=1)
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(path / "tokenizer.json"))
    written = ""
    for part in sound.split(16000):
        features = extract(part.numpy(), sampling_rate=16000, return_tensors="pt").input_features
        ids = heard_text(reference("whisper"), features)[0, 1:]
        written += tokenizer.decode([token for token in ids.tolist() if token > 4])
    outcome = run(command_of(program, back_end, tmp_path), tmp_path)
    assert (outcome.status, outcome.errors, outcome.leaks) == (0, "", ""), outcome
    text, french, language = outcome.output.splitlines()
    assert text == '"' + written.strip().replace("\\", "\\\\").replace('"', '\\"').replace(
        "\n", "\\n") + '"'
    assert french == "#f" and language != "#f"
