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


# A model whose text is known: its logits say the next token of a script, whatever came before.
SCRIPTED = """
(define tokenizer (load-tokenizer "{folder}"))
(define (ids-of text) (encode tokenizer text :special #f))
(define prompt (encode tokenizer "Say: "))
(define (scripted text . more)
  (let* ((script (list->vector (append (ids-of text) (eos-ids tokenizer))))
         (last (- (vector-length script) 1)))
    (lambda (ids)
      (let* ((t (tensor-size ids 1))
             (next (map (lambda (k)
                          (vector-ref script (max 0 (min last (- k (length prompt) -1)))))
                        (iota t))))
        (* 30.0 (tensor-to (tensor-one-hot (tensor (make-list (tensor-size ids 0) next)) 400)
                           'float32))))))
(define (run text . options)
  (let* ((pieces '())
         (result (apply generate-result (scripted text) tokenizer "Say: " :greedy #t
                        :stream (lambda (piece) (set! pieces (cons piece pieces)))
                        options))
         (streamed (string-join (reverse pieces) "")))
    (write (list (generation-text result) (generation-reason result)
                 (string=? streamed (generation-text result))
                 (length (filter (lambda (piece) (string-contains piece "|")) pieces))))
    (newline)))
(run "tensors and naïve 日本語 😀 text")
(run "one |STOP| two" :stop "|STOP|")
(run "one |STO two |STOP| three" :stop (list "|STOP|" "|X|") )
(run "abcd" :stop '("cd" "bcde" "abcx"))
(run "one two" :stop "never |")
(run "one two three" :max-tokens 2)
(run "one two three" :stop-ids (list (list-ref (ids-of "one two three") 1)))
(run "one two" :ignore-eos #t :max-tokens (+ 2 (length (ids-of "one two"))))
(define shown '())
(define stopped
  (generate-result (scripted "one two three four five") tokenizer "Say: " :greedy #t
                   :stream (lambda (text)
                             (set! shown (cons text shown))
                             (when (= (length shown) 3) (stop-generation)))))
(print (generation-reason stopped) (length shown)
       (string=? (generation-text stopped) (string-join (reverse shown) "")))
(print (guard (e (#t (error-object-message e))) (stop-generation)))
(print (generate (scripted "12 apples") tokenizer "Say: " :greedy #t :max-tokens 4
                 :grammar (lambda (text) (every char-numeric? (string->list text)))))
(print (generate (scripted "yes") tokenizer "Say: " :greedy #t
                 :grammar (make-grammar '((answer (or "no way" "never"))))))
(print (generation-ids (generate-result (scripted "abc") tokenizer "Say: " :greedy #t :max-tokens 3
                                        :allow (lambda (ids) (list (+ 60 (length ids)))))))

; Texts of a model of noise, which the grammar makes JSON, also at their limits.
(define model (load-llm "{folder}"))
(define object (json-schema-grammar "{{\\"type\\": \\"object\\", \\"properties\\": {{
  \\"name\\": {{\\"type\\": \\"string\\", \\"maxLength\\": 12}},
  \\"age\\": {{\\"type\\": \\"integer\\", \\"minimum\\": 0, \\"maximum\\": 150}}}},
  \\"required\\": [\\"name\\", \\"age\\"]}}"))
(define json (json-grammar :root 'object))
(define (show seed grammar tokens)
  (print (json->string (generate model tokenizer "{{" :seed seed :grammar grammar
                                 :max-tokens tokens))))
(for-each (lambda (seed) (show seed json 12) (show seed object 40)) (iota 6))
(print (generation-reason (generate-result model tokenizer "{{" :grammar object :seed 1
                                           :max-tokens 99)))
"""

SCRIPTED_TEXTS = [
    '("tensors and naïve 日本語 😀 text" eos #t 0)',
    '("one " stop #t 0)',
    '("one |STO two " stop #t 1)',
    '("ab" stop #t 0)',  # "cd" is complete before "bcde"
    '("one two" eos #t 0)',
]


def test_texts_end_where_they_should(back_end: str, tmp_path: Path) -> None:
    program = SCRIPTED.format(folder=model_folders.folder("llama"))
    lines = lines_of(program, back_end, tmp_path)
    assert lines[:5] == SCRIPTED_TEXTS
    assert [line.split(" ")[-3] for line in lines[5:8]] == ["length", "stop", "length"]
    assert lines[8:10] == [
        "stopped 3 #t",
        "stop-generation: no :stream procedure is running; it ends the text that one is called for",
    ]
    assert lines[10:13] == ["12", "never", "(60 61 62)"]
    for k, line in enumerate(lines[13:25]):
        value = json.loads(json.loads(line))
        assert isinstance(value, dict)
        if k % 2:
            assert set(value) == {"name", "age"}
            assert len(value["name"]) <= 12 and 0 <= value["age"] <= 150
    assert lines[25:] == ["grammar"]
