"""A batch engine writes the texts that each request alone would get, on both back ends."""

import json
import shutil
from pathlib import Path

import pytest

from tests.suites.llm.test_generation import lines_of
from tests.support import model_folders

PROGRAM = """
(define model (load-llm "{folder}"))
(define tokenizer (load-tokenizer "{folder}"))
(define prompts (list '(46 374 387 20 241 40 17 203 183 79 359 5) '(7) "Hello world" "A tensor is"
                      '(1 2 3) '(50 60 70 80) "x" "the language"))
(define (tokens-of k) (+ 5 (* 3 k)))
(define (same-texts? engine options . keywords)
  (define results (make-hash-table))
  (define texts (make-hash-table))
  (define (submit! prompt k)
    (letrec ((id (engine-submit! engine prompt (cons (cons 'max-tokens (tokens-of k)) options)
                   (lambda (text result)
                     (hash-update! texts id (lambda (old) (string-append old text)) "")
                     (when result (hash-set! results id result))))))
      id))
  (define ids (map submit! prompts (iota (length prompts))))
  (engine-run! engine)
  (every (lambda (id prompt k)
           (let ((found (hash-ref results id))
                 (alone (apply generate-result model tokenizer prompt :max-tokens (tokens-of k)
                               keywords)))
             (and (equal? (generation-ids found) (generation-ids alone))
                  (eq? (generation-reason found) (generation-reason alone))
                  (string=? (generation-text found) (generation-text alone))
                  (string=? (generation-text found) (hash-ref texts id)))))
         ids prompts (iota (length prompts))))
(print (same-texts? (batch-engine model tokenizer) '((greedy . #t)) :greedy #t)
       ; Requests wait, prompts come in parts.
       (same-texts? (batch-engine model tokenizer :max-batch 3 :prefill 4 :page-size 4)
                    '((greedy . #t)) :greedy #t)
       ; So few pages that requests are suspended.
       (same-texts? (batch-engine model tokenizer :pages 12 :page-size 4)
                    '((greedy . #t) (ignore-eos . #t)) :greedy #t :ignore-eos #t)
       (same-texts? (batch-engine model tokenizer) '((seed . 3) (top-p . 0.9)) :seed 3 :top-p 0.9))

; Requests that fail, are cancelled, or never fit.
(define engine (batch-engine model tokenizer :pages 20))
(define (show text result)
  (when result
    (print (generation-reason result) (length (generation-ids result))
           (assq 'error (generation-statistics result)))))
(define endless (engine-submit! engine "abc" '((max-tokens . 1000)) show))
(engine-submit! engine "abc" '((max-tokens . 5) (greedy . #t))
                (lambda (text result) (if result (show text result) (error "broken:" 'pipe))))
(define scores '())
(engine-submit! engine "abc"
                (list '(max-tokens . 5) '(greedy . #t) '(log-probabilities . 2)
                      (cons 'on-token
                            (lambda (id score top) (set! scores (cons (length top) scores)))))
                show)
(engine-step! engine)
(engine-step! engine)
(print (engine-running engine) (engine-waiting engine))
(print (engine-cancel! engine endless) (engine-cancel! engine 99))
(engine-run! engine)
(print scores (cdr (assq 'used-pages (engine-statistics engine))))
(define (said thunk) (guard (e (#t (print (error-object-message e)))) (thunk)))
(said (lambda () (engine-submit! engine (make-list 200 1) '() #f)))
(said (lambda () (engine-submit! (batch-engine model tokenizer :pages 2) (make-list 99 1) '() #f)))
(said (lambda () (engine-submit! engine "a" '((beams . 2)) #f)))
(said (lambda () (engine-submit! engine "a" '((sed . 2)) #f)))
"""

LINES = """\
#t #t #t #t
error 1 (error . broken: pipe)
2 0
stopped 3 #f
#t #f
length 5 #f
(2 2 2 2 2) 0
generate: the prompt has 200 tokens, and the model's context is 128
engine-submit!: the prompt has 99 tokens, and all pages of the engine hold 32
engine-submit!: a request does not take :beams, :draft, :cache, :window or :count
generation-settings: unknown keyword :sed
"""


def test_requests_get_the_texts_that_each_would_get_alone(back_end: str, tmp_path: Path) -> None:
    program = PROGRAM.format(folder=model_folders.folder("llama"))
    lines = lines_of(program, back_end, tmp_path)
    assert lines == LINES.splitlines()


# Scalings of positions that depend on how long a text is; original: below most of the texts.
SCALINGS = {
    "dynamic": {"max_position_embeddings": 10, "rope_parameters": {
        "rope_type": "dynamic", "factor": 8.0, "rope_theta": 10000.0}},
    "longrope": {"rope_parameters": {
        "rope_type": "longrope", "factor": 8.0, "rope_theta": 10000.0,
        "original_max_position_embeddings": 10, "short_factor": [1.0, 1.1, 1.2, 1.3, 1.4, 1.5],
        "long_factor": [1.0, 2.0, 3.5, 5.0, 6.5, 8.0]}},
}
ALONE = """
(define prompts (list '(46 374 387 20 241 40 17 203 183 79 359 5) '(7) '(1 2 3) '(50 60 70 80)
                      '(5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21)))
(define (ids-of results) (map generation-ids results))
(define (alone prompt) (generate-result model #f prompt :max-tokens 20 :greedy #t))
(print (equal? (ids-of (generate-result model #f prompts :max-tokens 20 :greedy #t))
               (ids-of (map alone prompts))))
"""


@pytest.mark.parametrize("scaling", SCALINGS)
def test_positions_do_not_depend_on_other_texts(
    scaling: str, back_end: str, tmp_path: Path
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(model_folders.folder("llama"), folder)
    config = json.loads((folder / "config.json").read_text())
    config.pop("rope_theta", None)
    (folder / "config.json").write_text(json.dumps(config | SCALINGS[scaling]))
    program = PROGRAM[: PROGRAM.index("\n; Requests that fail")] + ALONE
    lines = lines_of(program.format(folder=folder), back_end, tmp_path)
    assert lines == ["#t #t #t #t", "#t"]
