"""Generated texts beside those of transformers, on both back ends."""

import json
from pathlib import Path

import torch
from safetensors.torch import save_file

from tests.support import generation_answers, model_folders
from tests.support.generation_answers import FILTERS, PROMPT, lisp_list
from tests.support.programs_run import command_of, run
from tests.support.saved_tensors import saved_by

# The architectures differ in caches and positions; all are run with --all-random.
MODELS = ("llama", "mistral")


def lines_of(program: str, back_end: str, folder: Path) -> list[str]:
    """What a program prints, which must not fail or leave anything alive."""
    outcome = run(command_of(program, back_end, folder), folder)
    assert (outcome.status, outcome.errors, outcome.leaks) == (0, "", ""), outcome
    return outcome.output.splitlines()


def parsed(line: str) -> list[list[int]]:
    """A text that a program printed, or a list of them, as lists of tokens."""
    found = json.loads(line.replace("(", "[").replace(")", "]").replace(" ", ", "))
    return found if isinstance(found[0], list) else [found]


def test_texts_are_those_of_transformers(back_end: str, tmp_path: Path, all_random: bool) -> None:
    names = model_folders.LANGUAGE_MODELS if all_random else MODELS
    expected = {name: generation_answers.texts(name) for name in names}
    program = [f"(define prompt {lisp_list(PROMPT)})"]
    for name, rows in expected.items():
        program.append(f'(define {name} (load-llm "{model_folders.folder(name)}"))')
        program += [f"(print (generate {name} #f prompt {options}))" for options, _ in rows]
    lines = iter(lines_of("\n".join(program), back_end, tmp_path))
    for name, rows in expected.items():
        for options, texts in rows:
            assert parsed(next(lines)) == texts, (name, options)


def test_filters_keep_what_those_of_transformers_keep(back_end: str, tmp_path: Path) -> None:
    expected = generation_answers.filtered()
    save_file({"logits": expected.pop("logits")}, tmp_path / "in.safetensors")
    calls = [f'(cons "{k}" (filter-logits x {options}))' for k, (options, _) in enumerate(FILTERS)]
    program = f"""(define x (hash-ref (load-tensors "in.safetensors") "logits"))
                  (save-tensors "out.safetensors" (list {" ".join(calls)}))"""
    found = saved_by(program, back_end, tmp_path)
    for name, scores in expected.items():
        torch.testing.assert_close(found[name], scores, msg=f"{FILTERS[int(name)]}")


ALIKE = """
(define model (load-llm "{folder}"))
(define other (load-llm "{other}"))
(define prompt {prompt})
(define (text ids . options)
  (apply generate model #f ids :max-tokens 16 :greedy #t options))
(define prompts (list prompt (drop prompt 5) (take prompt 8) (list 7)))
(define single (text prompt))
(define (same? texts) (print (equal? texts single)))

; A batch of prompts of several lengths, texts that end at different times, repeated prompts.
(print (equal? (text prompts) (map text prompts)))
(define ends (list (list-ref single 4) (list-ref (text (list 7)) 9)))
(print (equal? (text prompts :stop-ids ends) (map (lambda (p) (text p :stop-ids ends)) prompts)))
(same? (cadr (text prompt :count 3)))
; The same in parts, drafted by another model and by itself, and after a kept cache.
(same? (text prompt :prefill 5))
(same? (text prompt :draft other))
(same? (text prompt :draft model :draft-tokens 7))
(print (equal? (text prompt :draft other :repetition-penalty 1.5)
               (text prompt :repetition-penalty 1.5)))
(define first-half (generate-result model #f prompt :max-tokens 9 :greedy #t :keep-cache #t))
(define so-far (append prompt (generation-ids first-half)))
(define second-half
  (generate-result model #f so-far :max-tokens 7 :greedy #t :keep-cache #t
                   :cache (generation-cache first-half)))
(same? (append (generation-ids first-half) (generation-ids second-half)))
(same? (text prompt :cache (generation-cache second-half)))
(same? (generate model #f prompt :max-tokens 16 :temperature 0))
; Seeds: a text's own, and the same in a batch.
(define (drawn ids . options) (apply generate model #f ids :max-tokens 9 :top-p 0.9 options))
(define pair (drawn prompt :count 2 :seed 5))
(print (equal? pair (list (drawn prompt :seed 5) (drawn prompt :seed 6)))
       (equal? (car pair) (cadr pair)))
(print (length (text prompt :draft other :ignore-eos #t)))
; A model of which only logits are known.
(same? (generate (lambda (ids) (model ids)) #f prompt :max-tokens 16 :greedy #t))
(same? (generate (lambda (ids) (model ids)) #f prompt :max-tokens 16 :greedy #t :draft other))
; Likelihood.
(define scored (generate-result model #f prompt :max-tokens 5 :greedy #t :log-probabilities 2))
(define logs (token-log-probabilities model (append prompt (generation-ids scored))))
(define last-logs (tensor->list (tensor-slice logs 0 (- (length prompt) 1) (tensor-size logs 0))))
(print (every (lambda (a entry) (and (< (abs (- a (car entry))) 1e-4)
                                     (= (car entry) (cdadr entry))
                                     (>= (car entry) (cdaddr entry))))
              last-logs (generation-log-probabilities scored)))
(print (< (abs (- (perplexity-of model #f prompt)
                  (exp (- (tensor-item (tensor-mean (token-log-probabilities model prompt)))))))
          1e-3))
"""


def test_texts_do_not_depend_on_how_they_are_computed(back_end: str, tmp_path: Path) -> None:
    program = ALIKE.format(
        folder=model_folders.folder("llama"), other=model_folders.folder("mistral"),
        prompt=lisp_list(PROMPT),
    )
    lines = lines_of(program, back_end, tmp_path)
    assert lines == [*["#t"] * 10, "#t #f", "16", *["#t"] * 4]
