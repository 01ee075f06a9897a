;; long_prompt.lisp - what follows a prompt of 900 tokens: caches of several bits,
;; drafts from the text itself, and the same prompt again in a batch engine.
;;
;;     long_prompt FOLDER  =>  decode int8 2.1, bytes int8 4000000, prompt again 3.0 ...

(define model (load-llm (cadr (command-line)) :dtype 'float32))
(define prompt
  (append (map (lambda (k) (modulo (+ (* 7919 k) 11) 31991)) (iota 300))
          (map (lambda (k) (modulo (+ (* 7919 k) 11) 31991)) (iota 300))
          (map (lambda (k) (modulo (+ (* 7919 k) 11) 31991)) (iota 300))))
(define tokens 60)

(define (median xs)
  (list-ref (sort xs <) (quotient (length xs) 2)))

(define (statistics options)
  (generation-statistics
   (apply generate-result model #f prompt :greedy #t :max-tokens tokens
          options)))

(define (show name options)
  (let ((found (map (lambda (k) (statistics options)) (iota 3))))
    (print "decode" name
           (median (map (lambda (each)
                          (/ 1000.0 (cdr (assq 'tokens-per-second each))))
                        found)))
    (print "bytes" name (cdr (assq 'cache-bytes (car found))))))

(show "float32" '())
(show "int8" '(:cache-bits 8))
(show "int4" '(:cache-bits 4))
(show "ngrams" '(:draft ngrams))

(define engine (batch-engine model #f))

(define (show-prompt name)
  (let ((start (current-jiffy)))
    (engine-submit! engine prompt '((max-tokens . 1) (greedy . #t)) #f)
    (engine-run! engine)
    (print "prompt" name (/ (- (current-jiffy) start) 1e6))))

(show-prompt "first")
(show-prompt "again")
