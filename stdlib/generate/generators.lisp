;; generators.lisp - what a model writes, piece by piece, on demand.

(define (generate->generator model tokenizer prompt . options)
  "A generator, after SRFI 158, of the text that a model writes after a prompt:
  each call computes tokens until a piece of text is certain and returns it, or
  the end-of-file object at the end.  Nothing is computed between the calls.

  model: of load-llm.  prompt and options: those of generate, without :beams,
  :draft, :cache and :count."
  (let ((engine (batch-engine model tokenizer :max-batch 1))
        (pieces '())   ; oldest first; there are few
        (problem #f)
        (left? #t))
    (engine-submit! engine prompt (%settings-of options)
                    (lambda (text result)
                      (if result
                          (set! problem (%error-of-generation result))
                          (set! pieces (append pieces (list text))))))
    (lambda ()
      (let loop ()
        (cond ((pair? pieces)
               (let ((piece (car pieces)))
                 (set! pieces (cdr pieces))
                 piece))
              (left?
               (set! left? (engine-step! engine))
               (loop))
              (problem (error (string "generate->generator: " problem)))
              (else (eof-object)))))))

(define (%error-of-generation result)
  "What ended a generation, or #f if nothing went wrong."
  (let ((entry (assq 'error (generation-statistics result))))
    (and entry (cdr entry))))
