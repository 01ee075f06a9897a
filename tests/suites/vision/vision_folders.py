"""Small models of images with random weights in Hugging Face's layout, written by transformers.

    folder("vit")       =>  a folder with the model and its head
    expected("vit")     =>  pixels (and ids), and what the model answers

Folders are kept as those of `tests/support/model_folders.py` are.  Settings make what is special in
a family visible: images of other sizes than those of positions, factors of layers, strides.
"""

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

from tests.support.model_folders import kept, transformers_package

IMAGES_AND_TEXTS = ("clip", "siglip")
LABELS = {k: f"label {k}" for k in range(5)}
_SIZES: dict[str, Any] = {
    "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48,
    "image_size": 24, "patch_size": 8,
}
_DINO: dict[str, Any] = {
    "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "image_size": 28,
    "patch_size": 7,
}
_TEXT: dict[str, Any] = {
    "vocab_size": 400, "hidden_size": 40, "num_hidden_layers": 2, "num_attention_heads": 4,
    "intermediate_size": 48, "max_position_embeddings": 20,
}
_CLIP: dict[str, Any] = {"vision_config": _SIZES, "projection_dim": 24}

# Name: what its classes begin with, the class, settings, and the sides of images.
MODELS: dict[str, tuple[str, str, dict[str, Any], tuple[int, int]]] = {
    "vit": ("ViT", "ForImageClassification", _SIZES, (24, 24)),
    "vit-wide": ("ViT", "ForImageClassification", _SIZES | {
        "qkv_bias": False, "hidden_act": "gelu_new"}, (24, 40)),
    "vit-base": ("ViT", "Model", _SIZES | {"pooler_output_size": 20}, (24, 24)),
    "deit": ("DeiT", "ForImageClassificationWithTeacher", _SIZES, (24, 24)),
    "dinov2": ("Dinov2", "ForImageClassification", _DINO | {"mlp_ratio": 3}, (35, 42)),
    "dinov2-gated": ("Dinov2", "Model", _DINO | {
        "use_swiglu_ffn": True, "layerscale_value": 0.5}, (28, 28)),
    "dinov2-registers": ("Dinov2WithRegisters", "ForImageClassification", _DINO | {
        "num_register_tokens": 3}, (21, 35)),
    "clip": ("CLIP", "Model", _CLIP | {
        "text_config": _TEXT | {"bos_token_id": 398, "eos_token_id": 399}}, (24, 24)),
    "clip-old": ("CLIP", "Model", _CLIP | {
        "text_config": _TEXT | {"bos_token_id": 0, "eos_token_id": 2, "hidden_act": "gelu"}},
        (24, 24)),
    "siglip": ("Siglip", "Model", {
        "vision_config": _SIZES, "text_config": _TEXT | {"projection_size": 32}}, (24, 24)),
    "siglip-wide": ("Siglip", "Model", {
        "vision_config": _SIZES | {"hidden_act": "gelu"},
        "text_config": _TEXT | {"hidden_size": 32, "hidden_act": "relu"}}, (24, 40)),
    "resnet": ("ResNet", "ForImageClassification", {
        "embedding_size": 8, "hidden_sizes": [16, 32], "depths": [2, 1]}, (40, 33)),
    "resnet-early": ("ResNet", "ForImageClassification", {
        "embedding_size": 16, "hidden_sizes": [16, 32], "depths": [1, 2],
        "downsample_in_bottleneck": True, "downsample_in_first_stage": True}, (40, 40)),
    "resnet-basic": ("ResNet", "Model", {
        "embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 2], "layer_type": "basic",
        "hidden_act": "silu"}, (32, 40)),
    "convnext": ("ConvNext", "ForImageClassification", {
        "hidden_sizes": [8, 16], "depths": [1, 2], "num_stages": 2,
        "layer_scale_init_value": 0.5}, (32, 40)),
    "convnext-v2": ("ConvNextV2", "ForImageClassification", {
        "hidden_sizes": [8, 16], "depths": [1, 2], "num_stages": 2}, (32, 32)),
    "yolos": ("Yolos", "ForObjectDetection", _SIZES | {
        "image_size": [24, 32], "num_detection_tokens": 6}, (40, 48)),
    "yolos-plain": ("Yolos", "ForObjectDetection", _SIZES | {
        "image_size": [24, 32], "num_detection_tokens": 6,
        "use_mid_position_embeddings": False}, (24, 32)),
}  # fmt: skip


def folder(name: str) -> Path:
    """The folder of a model."""
    return kept(_base(), name, lambda path: _write(path, name))


def expected(name: str, dtype: str = "float32") -> dict[str, torch.Tensor]:
    """What transformers answers: pixels and ids, then out, and features or boxes."""
    path = folder(name)
    return load_file(kept(_base(), f"{name}-{dtype}.safetensors",
                          lambda file: save_file(_answers(path, name, dtype), file)))


def read_model(path: Path, name: str, dtype: str = "float32") -> Any:
    """The transformers model of a folder, in evaluation mode, with plain attention."""
    start, end, _, _ = MODELS[name]
    maker = getattr(transformers_package(), start + end)
    options = {} if start.startswith(("ResNet", "ConvNext")) else {"attn_implementation": "eager"}
    return maker.from_pretrained(path, dtype=getattr(torch, dtype), **options).eval()


def answers_of(model: Any, name: str, given: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """What a transformers model makes of pixels and ids."""
    options: dict[str, Any] = {}
    if name.startswith(IMAGES_AND_TEXTS):
        options["input_ids"] = given["ids"]
    if name.startswith(("vit", "siglip")):
        options["interpolate_pos_encoding"] = True
    with torch.no_grad():
        out = model(pixel_values=given["pixels"].to(model.dtype), **options)
    if name.startswith(IMAGES_AND_TEXTS):
        return {"out": out.logits_per_image.contiguous()}
    if name.startswith("yolos"):
        return {"out": out.logits.contiguous(), "boxes": out.pred_boxes.contiguous()}
    if "logits" in out:
        return {"out": out.logits.contiguous()}
    return {"out": out.last_hidden_state.contiguous(),
            "features": out.pooler_output.flatten(1).contiguous()}


@cache
def _base() -> str:
    text = Path(__file__).read_bytes()
    return f"vision-folders-{hashlib.sha256(text).hexdigest()[:16]}"


def _write(path: Path, name: str) -> None:
    transformers = transformers_package()
    start, end, options, _ = MODELS[name]
    labels = {} if name.startswith(IMAGES_AND_TEXTS) else {"id2label": LABELS}
    config = getattr(transformers, start + "Config")(**options, **labels)
    model = getattr(transformers, start + end)(config)
    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for parameter in model.parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            if parameter.dim() < 2:
                parameter.add_(0.2 * noise)
            else:
                parameter.copy_(noise * 1.2 * parameter[0].numel() ** -0.5)
        for key, buffer in model.named_buffers():
            if "running" in key:  # of batch norms
                noise = torch.rand(buffer.shape, generator=generator)
                buffer.copy_(noise + 0.5 if "var" in key else noise - 0.5)
    model.save_pretrained(path)


def _answers(path: Path, name: str, dtype: str) -> dict[str, torch.Tensor]:
    height, width = MODELS[name][3]
    generator = torch.Generator().manual_seed(1)
    ids = torch.tensor([[398, 5, 6, 7, 399, 2], [398, 50, 399, 2, 2, 2], [398, 1, 2, 3, 4, 399]])
    given = {"pixels": torch.randn(2, 3, height, width, generator=generator), "ids": ids}
    return given | answers_of(read_model(path, name, dtype), name, given)
