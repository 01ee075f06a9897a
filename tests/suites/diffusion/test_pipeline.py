"""UNet, autoencoder and Stable Diffusion's pipeline answer as diffusers does.

Where that package is installed, what is kept of its answers is compared with it.
"""

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from safetensors.torch import load_file, save_file  # noqa: E402

from tests.suites.diffusion.pipeline_folders import (  # noqa: E402
    ANSWERS,
    LONG,
    NEGATIVE,
    PROMPT,
    inputs,
    values,
    write,
    write_tokenizer,
)
from tests.support.programs_run import command_of, run  # noqa: E402

_UNETS: dict[str, dict[str, Any]] = {
    "unet": {
        "block_out_channels": (8, 16, 16), "layers_per_block": 2, "attention_head_dim": 2,
        "down_block_types": ("CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "DownBlock2D"),
        "up_block_types": ("UpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D"),
        "norm_num_groups": 4, "sample_size": 8},
    "linear": {
        "block_out_channels": (8, 16), "layers_per_block": 1, "attention_head_dim": [2, 4],
        "down_block_types": ("DownBlock2D", "CrossAttnDownBlock2D"),
        "up_block_types": ("CrossAttnUpBlock2D", "UpBlock2D"), "norm_num_groups": 2,
        "use_linear_projection": True, "transformer_layers_per_block": 2, "freq_shift": 1,
        "flip_sin_to_cos": False, "out_channels": 6},
}
_VAE: dict[str, Any] = {
    "block_out_channels": (8, 16), "down_block_types": ("DownEncoderBlock2D",) * 2,
    "up_block_types": ("UpDecoderBlock2D",) * 2, "layers_per_block": 2, "norm_num_groups": 4,
    "sample_size": 16}
_TEXT: dict[str, Any] = {
    "vocab_size": 517, "hidden_size": 12, "intermediate_size": 24, "num_hidden_layers": 2,
    "num_attention_heads": 2, "max_position_embeddings": 20, "bos_token_id": 515,
    "eos_token_id": 516, "pad_token_id": 1}
_SCHEDULER: dict[str, Any] = {
    "beta_start": 0.00085, "beta_end": 0.012, "beta_schedule": "scaled_linear",
    "clip_sample": False, "set_alpha_to_one": False, "steps_offset": 1}


def _filled(model: Any) -> Any:
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(values(name, tuple(parameter.shape)))
    return model.eval()


def answers_of_diffusers(folder: Path) -> dict[str, Any]:
    diffusers = pytest.importorskip("diffusers")
    import transformers

    models = {
        name: diffusers.UNet2DConditionModel(cross_attention_dim=12, **options)
        for name, options in _UNETS.items()
    }
    models["vae"] = diffusers.AutoencoderKL(latent_channels=4, **_VAE)
    models["text_encoder"] = transformers.CLIPTextModel(transformers.CLIPTextConfig(**_TEXT))
    models = {name: _filled(model) for name, model in models.items()}
    write_tokenizer(folder / "tokenizer")
    pipeline = diffusers.StableDiffusionPipeline(
        vae=models["vae"], unet=models["unet"], text_encoder=models["text_encoder"],
        tokenizer=transformers.CLIPTokenizer.from_pretrained(folder / "tokenizer"),
        scheduler=diffusers.DDIMScheduler(**_SCHEDULER), safety_checker=None,
        feature_extractor=None, requires_safety_checker=False)
    given = inputs()
    scale = models["vae"].config.scaling_factor
    options = {"latents": given["noise"], "output_type": "pt"}
    with torch.no_grad():
        found = {
            "unet": models["unet"](given["x"], torch.tensor(37), given["text"]).sample,
            "linear": models["linear"](given["x"], torch.tensor([5, 800]), given["text"]).sample,
            "encoded": models["vae"].encode(given["pixels"]).latent_dist.mode() * scale,
            "decoded": models["vae"].decode(given["code"] / scale).sample,
            "image": pipeline(PROMPT, negative_prompt=NEGATIVE, num_inference_steps=5,
                              guidance_scale=5.0, **options).images,
            "plain": pipeline(LONG, num_inference_steps=3, guidance_scale=1.0, **options).images,
        }
    settings = {name: dict(model.config) if name != "text_encoder" else model.config.to_dict()
                for name, model in models.items()}
    return {
        "settings": settings | {"scheduler": {"_class_name": "DDIMScheduler"} | _SCHEDULER},
        "shapes": {name: {key: list(x.shape) for key, x in model.state_dict().items()}
                   for name, model in models.items()},
        "answers": {name: {"shape": list(x.shape),
                           "values": [round(v, 6) for v in x.flatten().tolist()]}
                    for name, x in found.items()},
    }


@pytest.mark.filterwarnings("ignore")
def test_the_answers_are_those_of_diffusers(tmp_path: Path) -> None:
    found = json.loads(json.dumps(answers_of_diffusers(tmp_path), default=str))
    kept = json.loads(ANSWERS.read_text())
    assert found["shapes"] == kept["shapes"]
    for name, answer in kept["answers"].items():
        assert answer["values"] == pytest.approx(found["answers"][name]["values"], abs=1e-4), name


_PROGRAM = """
(define given (load-tensors "given.safetensors"))
(define (the name) (hash-ref given name))
(define saved '())
(define (save! name x) (set! saved (cons (cons name (tensor-contiguous x)) saved)))
(define pipeline (load-diffusion-pipeline "sd"))
(define autoencoder (diffusion-pipeline-autoencoder pipeline))
(no-grad
  (save! "unet" ((diffusion-pipeline-unet pipeline) (the "x") 37 (the "text")))
  (save! "linear" ((load-unet "sd/linear") (the "x") (tensor '(5 800)) (the "text")))
  (save! "encoded" (encode-image autoencoder (the "pixels")))
  (save! "decoded" (decode-image autoencoder (the "code")))
  (save! "old" (decode-image (load-autoencoder "sd/old") (the "code"))))
(define steps '())
(save! "image" (generate-image pipeline "A cat, don't  do it!" :negative "dog" :guidance 5.0
                               :steps 5 :noise (the "noise")
                               :done (lambda (k x) (set! steps (cons k steps)))))
(save! "plain" (generate-image pipeline "a very long text that does not fit in at all"
                               :guidance 1 :steps 3 :noise (the "noise")))
(print steps)
(manual-seed 1)
(print (tensor-shape (generate-image pipeline "cat" :steps 2 :count 2 :height 16 :width 24)))
; The network learns to say the noise.
(define net (train-mode! (diffusion-pipeline-unet pipeline)))
(define optimizer (adamw (parameters net) :lr 0.01))
(define sampler (load-sampler "sd/scheduler" 5))
(define noise (tensor-sin (the "x")))
(define (loss)
  (mse-loss (net (add-noise sampler (the "x") noise 500) 500 (the "text")) noise))
(define before (tensor-item (loss)))
(dotimes (k 8) (zero-grad optimizer) (backward (loss)) (optimizer-step optimizer))
(print (< (tensor-item (loss)) (* 0.9 before)))
; What has learned is saved, and loaded again.
(define (picture pipeline)
  (generate-image pipeline "cat" :steps 2 :noise (the "noise")))
(eval-mode! net)
(save-diffusion-pipeline pipeline "copy")
(save-autoencoder (load-autoencoder "sd/old") "renamed")
(save-unet (load-unet "sd/linear") "halved" :dtype 'bfloat16)
(let ((learned (picture pipeline)))
  (print (tensor-equal learned (picture (load-diffusion-pipeline "copy")))
         (tensor-equal learned (picture (load-diffusion-pipeline "sd")))
         (tensor-equal (decode-image (load-autoencoder "renamed") (the "code"))
                       (decode-image autoencoder (the "code")))
         (hash-ref (read-json "halved/config.json") "_class_name")))
(save! "learned" (no-grad (net (the "x") 37 (the "text"))))
(define half (load-diffusion-pipeline "sd" :dtype 'bfloat16))
(print (tensor-dtype (generate-image half "cat" :steps 1)))
(save-tensors "out.safetensors" saved)
"""


def _write_old(sd: Path) -> None:
    """The autoencoder with the names that files had before."""
    (sd / "old").mkdir()
    (sd / "old/config.json").write_text((sd / "vae/config.json").read_text())
    tensors = load_file(sd / "vae/diffusion_pytorch_model.safetensors")
    for old, new in (("query", "to_q"), ("key", "to_k"), ("value", "to_v"),
                     ("proj_attn", "to_out.0")):
        tensors = {name.replace(f"attentions.0.{new}.", f"attentions.0.{old}."): x
                   for name, x in tensors.items()}
    save_file(tensors, sd / "old/diffusion_pytorch_model.safetensors")


def test_answers(back_end: str, tmp_path: Path) -> None:
    kept = write(tmp_path / "sd")
    _write_old(tmp_path / "sd")
    save_file(inputs(), tmp_path / "given.safetensors")
    outcome = run(command_of(_PROGRAM, back_end, tmp_path), tmp_path)
    assert (outcome.status, outcome.errors, outcome.leaks) == (0, "", ""), outcome
    assert outcome.output.splitlines() == [
        "(5 4 3 2 1)", "(2 3 16 24)", "#t", "#t #f #t UNet2DConditionModel", "float32"]
    found = load_file(tmp_path / "out.safetensors")
    answers = kept["answers"] | {"old": kept["answers"]["decoded"]}
    for name, answer in answers.items():
        wanted = torch.tensor(answer["values"]).reshape(answer["shape"])
        torch.testing.assert_close(found[name], wanted, rtol=0, atol=1e-4, msg=name)
    if importlib.util.find_spec("diffusers"):
        _check_in_diffusers(tmp_path, found["learned"])


def _check_in_diffusers(path: Path, learned: torch.Tensor) -> None:
    """diffusers loads what was saved, and answers the same."""
    import diffusers

    pipeline = diffusers.StableDiffusionPipeline.from_pretrained(path / "copy")
    given = inputs()
    with torch.no_grad():
        answer = pipeline.unet(given["x"], torch.tensor(37), given["text"]).sample
    torch.testing.assert_close(learned, answer, rtol=0, atol=1e-4)
    for read, folder in ((diffusers.AutoencoderKL, "renamed"),
                         (diffusers.UNet2DConditionModel, "halved")):
        model, notes = read.from_pretrained(path / folder, output_loading_info=True)
        assert not any(notes.values()), (folder, notes)
        assert model is not None


_MISTAKES = """
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(define pipeline (load-diffusion-pipeline "sd"))
(define unet (diffusion-pipeline-unet pipeline))
(print (message (lambda () (load-diffusion-pipeline "nowhere"))))
(print (message (lambda () (generate-image unet "cat"))))
(print (message (lambda () (save-unet 1 "x"))))
(print (message (lambda () (save-diffusion-pipeline unet "x"))))
(print (message (lambda () (generate-image pipeline 5))))
(print (message (lambda () (generate-image pipeline "cat" :guidance 0))))
(print (message (lambda () (generate-image pipeline "cat" :height 17))))
(print (message (lambda () (unet (tensor-ones 1 4 9 8) 1 (tensor-ones 1 2 12)))))
(print (message (lambda () (unet (tensor-ones 1 4 8 8) 1 (tensor-ones 2 2 12)))))
(print (message (lambda () (decode-image unet (tensor-ones 1 4 8 8)))))
(print (message (lambda () (encode-image (diffusion-pipeline-autoencoder pipeline)
                                         (tensor-ones 1 3 7 8)))))
(for-each
 (lambda (name) (print (message (lambda () (load-unet name)))))
 '("sd/flux" "sd/deep" "sd/odd"))
"""

_REFUSED = """\
load-diffusion-pipeline: there is no file "nowhere/model_index.json"
generate-image: expected a pipeline, such as load-diffusion-pipeline returns, got a module, unet
save-unet: expected a network, such as load-unet returns, got 1
save-diffusion-pipeline: expected a pipeline, such as load-diffusion-pipeline returns, got a \
module, unet
generate-image: expected a string, got 5
generate-image: expected a number from 1 up as the guidance, got 0
generate-image: expected a multiple of 2 as the height and width, got 17
unet: expected x [n, 4, h, w], with h and w multiples of 4, got
unet: expected texts [1, s, width], got
decode-image: expected an autoencoder, such as load-autoencoder returns, got a module, unet
encode-image: expected a floating-point tensor [n, 3, h, w], with h and w multiples of 2, got
load-unet: "sd/flux/config.json": expected null for the setting "addition_embed_type", got \
"text_time"
load-unet: "sd/deep/config.json": expected as many layers as the files have for the setting \
"layers_per_block", got 1000000
load-unet: "sd/odd/config.json": norm_num_groups must divide block_out_channels, got 3 for 8
"""


def test_mistakes(back_end: str, tmp_path: Path) -> None:
    kept = write(tmp_path / "sd")
    changes: dict[str, dict[str, Any]] = {
        "flux": {"addition_embed_type": "text_time"}, "deep": {"layers_per_block": 1000000},
        "odd": {"norm_num_groups": 3},
    }
    for name, change in changes.items():
        folder = tmp_path / "sd" / name
        folder.mkdir()
        (folder / "config.json").write_text(json.dumps(kept["settings"]["unet"] | change))
        (folder / "diffusion_pytorch_model.safetensors").hardlink_to(
            tmp_path / "sd/unet/diffusion_pytorch_model.safetensors")
    outcome = run(command_of(_MISTAKES, back_end, tmp_path), tmp_path)
    assert (outcome.output, outcome.errors, outcome.leaks) == (_REFUSED, "", "")
