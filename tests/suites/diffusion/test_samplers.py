"""Samplers end where those of diffusers end, after 50 and 7 steps.

`sampler_rows.json` holds what diffusers 0.42 answers to `rows_of_diffusers`; where that package is
installed, the file is compared with it.
"""

import json
from pathlib import Path
from typing import Any

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none

torch = pytest.importorskip("torch")

from tests.support.programs_run import command_of, run  # noqa: E402
from tests.support.saved_tensors import saved_by  # noqa: E402

ROWS = Path(__file__).with_name("sampler_rows.json")

_STABLE = {"beta_start": 0.00085, "beta_end": 0.012, "beta_schedule": "scaled_linear"}
SETTINGS: list[dict[str, Any]] = [
    {"_class_name": "DDIMScheduler"},
    {"_class_name": "DDIMScheduler", **_STABLE, "clip_sample": False, "set_alpha_to_one": False,
     "steps_offset": 1},
    {"_class_name": "DDIMScheduler", **_STABLE, "prediction_type": "v_prediction",
     "timestep_spacing": "trailing", "clip_sample_range": 2.0},
    {"_class_name": "DDIMScheduler", "beta_schedule": "squaredcos_cap_v2",
     "prediction_type": "sample", "timestep_spacing": "linspace"},
    {"_class_name": "EulerDiscreteScheduler", **_STABLE},
    {"_class_name": "EulerDiscreteScheduler", **_STABLE, "timestep_spacing": "leading",
     "steps_offset": 1},
    {"_class_name": "EulerDiscreteScheduler", **_STABLE, "prediction_type": "v_prediction",
     "timestep_spacing": "trailing", "final_sigmas_type": "sigma_min"},
    {"_class_name": "EulerDiscreteScheduler", "prediction_type": "sample"},
    {"_class_name": "DPMSolverMultistepScheduler", **_STABLE},
    {"_class_name": "DPMSolverMultistepScheduler", **_STABLE, "timestep_spacing": "leading",
     "steps_offset": 1, "solver_type": "heun"},
    {"_class_name": "DPMSolverMultistepScheduler", **_STABLE, "solver_order": 1,
     "prediction_type": "v_prediction", "timestep_spacing": "trailing"},
    {"_class_name": "DPMSolverMultistepScheduler", **_STABLE, "final_sigmas_type": "sigma_min",
     "prediction_type": "sample"},
    {"_class_name": "EulerDiscreteScheduler", **_STABLE, "use_karras_sigmas": True},
    {"_class_name": "EulerDiscreteScheduler", **_STABLE, "use_karras_sigmas": True,
     "timestep_spacing": "leading", "steps_offset": 1, "prediction_type": "v_prediction"},
    {"_class_name": "DPMSolverMultistepScheduler", **_STABLE, "use_karras_sigmas": True},
    {"_class_name": "DPMSolverMultistepScheduler", **_STABLE, "use_karras_sigmas": True,
     "timestep_spacing": "leading", "solver_type": "heun"},
    {"_class_name": "DPMSolverMultistepScheduler", **_STABLE, "use_karras_sigmas": True,
     "final_sigmas_type": "sigma_min"},
]  # fmt: skip


def rows_of_diffusers() -> list[dict[str, Any]]:
    """Each sampler's result from the same noise, with a model that is a formula."""
    diffusers = pytest.importorskip("diffusers")
    noise = torch.sin(torch.arange(6.0) * 1.7 + 0.3) * 1.2

    def predict(x: torch.Tensor, time: torch.Tensor) -> torch.Tensor:
        return torch.cos(x * 1.3) * 0.6 + 0.2 * torch.sin(torch.tensor(float(time) / 97))

    rows = []
    for settings in SETTINGS:
        options = {key: value for key, value in settings.items() if key != "_class_name"}
        for steps in (50, 7):
            sampler = getattr(diffusers, settings["_class_name"])(**options)
            sampler.set_timesteps(steps)
            x = noise * sampler.init_noise_sigma
            for time in sampler.timesteps:
                said = predict(sampler.scale_model_input(x, time), time)
                x = sampler.step(said, time, x).prev_sample
            rows.append({"settings": settings, "steps": steps, "x": x.tolist()})
    return rows


def test_the_rows_are_those_of_diffusers() -> None:
    assert rows_of_diffusers() == json.loads(ROWS.read_text())


PROGRAM = """
(define noise (* (tensor-sin (+ (* (tensor-arange 0.0 6.0) 1.7) 0.3)) 1.2))
(define (predict x t)
  (+ (* (tensor-cos (* x 1.3)) 0.6) (* 0.2 (sin (/ t 97.0)))))
(define rows (read-json "rows.json"))
(save-tensors "out.safetensors"
  (map (lambda (k row)
         (cons (number->string k)
               (denoise (new-sampler (hash-ref row "settings") (hash-ref row "steps"))
                        predict noise)))
       (range (length rows)) rows))
"""


def test_samplers(back_end: str, tmp_path: Path) -> None:
    rows = json.loads(ROWS.read_text())
    assert [row["settings"] for row in rows[::2]] == SETTINGS
    (tmp_path / "rows.json").write_text(ROWS.read_text())
    found = saved_by(PROGRAM, back_end, tmp_path)
    for k, row in enumerate(rows):
        wanted = torch.tensor(row["x"])
        difference = (found[str(k)] - wanted).abs().max()
        assert difference < 1e-5 * max(1.0, float(wanted.abs().max())), (row, difference)


USE = """
(make-folder "scheduler")
(call-with-output-file "scheduler/scheduler_config.json"
  (lambda (port) (display "{\\"_class_name\\": \\"EulerDiscreteScheduler\\"}" port)))
(define sampler (load-sampler "scheduler" 3))
(print (sampler-kind sampler) (sampler-times sampler))
(define count 0)
(denoise sampler (lambda (x t) (* 0 x)) (tensor-ones 2) :done (lambda (k x) (set! count k)))
(print count)
(define same (add-noise sampler (tensor-ones 2) (tensor-zeros 2) 0))
(print (< 0.99 (tensor-item (tensor-max same)) 1))
(define (fails thunk)
  (guard (e (#t (print (error-object-message e) (error-object-irritants e)))) (thunk)))
(fails (lambda () (new-sampler '() 2000)))
(fails (lambda () (new-sampler '() 0)))
(fails (lambda () (new-sampler '(("_class_name" . "PNDMScheduler")) 5)))
(fails (lambda () (new-sampler '(("use_karras_sigmas" . #t)) 5)))
(print (length (sampler-times (new-sampler
  '(("_class_name" . "EulerDiscreteScheduler") ("use_karras_sigmas" . #t)) 1))))
(fails (lambda () (new-sampler '(("beta_schedule" . "sigmoid")) 5)))
(fails (lambda () (denoise 1 2 3)))
(fails (lambda () (add-noise sampler (tensor-ones 1) (tensor-ones 1) 1000)))
"""

SAID = [
    "euler (999.0 499.5 0.0)", "3", "#t",
    "new-sampler: 2000 steps are more than the 1000 of training",
    "new-sampler: expected a positive integer as the steps, got 0",
    "expected DDIMScheduler, EulerDiscreteScheduler or DPMSolverMultistepScheduler for the "
    'setting "_class_name", got "PNDMScheduler"',
    'expected false for DDIM for the setting "use_karras_sigmas", got true', "1",
    'for the setting "beta_schedule", got "sigmoid"',
    "denoise: expected a sampler, such as load-sampler returns, got 1",
    "add-noise: expected a time of training, got 1000",
]  # fmt: skip


def test_use(back_end: str, tmp_path: Path) -> None:
    outcome = run(command_of(USE, back_end, tmp_path), tmp_path)
    assert (outcome.status, outcome.errors, outcome.leaks) == (0, "", ""), outcome
    for line, part in zip(outcome.output.splitlines(), SAID, strict=True):
        assert part in line, line
