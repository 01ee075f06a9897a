; save-state and load-state: nested data with tensors in one safetensors file.
(define path (string "/tmp/lambent-state-" (random 1000000000)))
(define (round-trip x) (save-state path x) (load-state path))
(define (same? x) (equal? x (round-trip x)))

(print (map same? (list 0 -7 (expt 7 100) 1/3 -22/7 #t #f "" "a\"\n\t\x0;\\é☃" 'sym '|two words| #\λ '()
                        '(1 (2 ()) 3) '(1 . 2) '(1 2 . 3) (vector) (vector 1 "b" (list 2)))))
; => (#t #t #t #t #t #t #t #t #t #t #t #t #t #t #t #t #t #t)
(define doubles (list 0.1 -0.0 100.0 1e21 1e-7 5e-324 1.7976931348623157e308 (/ 1.0 3) +inf.0 -inf.0 +nan.0))
(write (round-trip doubles)) (newline)
; => (0.1 -0.0 100.0 1e21 1e-7 5e-324 1.7976931348623157e308 0.3333333333333333 +inf.0 -inf.0 +nan.0)
(print (map eqv? doubles (round-trip doubles)))  ; => (#t #t #t #t #t #t #t #t #t #t #t)

; Alists with strings as keys, and what looks like them.
(print (map same? (list '(("a" . 1) ("b" ("c" . 2) ("d")) ("e.f" . "g")) '(("a" . 1) ("a" . 2)) '(("$a" . 1))
                        '((a . 1) (b . 2)) '(("a" 1 2) ("b" 3)) '(("a" . 1) 2) '(("" . 1)))))
; => (#t #t #t #t #t #t #t)
(define table (make-hash-table))
(hash-set! table '(1 2) 'list)
(hash-set! table 3.5 (list "x" 1/2))
(print (round-trip table))                       ; => #<hash-table (1 2): list 3.5: (x 1/2)>

; Tensors keep their dtype and shape, and one that occurs twice is one again.
(define w [[1.0 2.0] [3.0 4.0]])
(define dtypes '(float64 float16 bfloat16 int8 uint8 bool complex64))
(print (every (lambda (d) (same? (tensor-to [0 1 2] d))) dtypes)) ; => #t
(define back (round-trip (list (cons "w" w) (cons "deep" (list 1 (list (cons "w" w) (cons "v" (requires-grad! [5.0])))))
                               (cons "deep.1" (list (list (cons "v" (tensor-zeros 0 3))))))))
(write back) (newline)
; => (("w" . [[1.0 2.0] [3.0 4.0]]) ("deep" 1 (("w" . [[1.0 2.0] [3.0 4.0]]) ("v" . [5.0]))) ("deep.1" (("v" . []))))
(print (hash-keys (load-tensors path)))          ; => (w deep.1.v deep.1.0.v)
(define again (cdr (assoc "w" (caddr (assoc "deep" back)))))
(print (eq? (cdr (assoc "w" back)) again))       ; => #t
(print (round-trip [7]))                         ; => [7]
(print (hash-keys (load-tensors path)))          ; => (value)
(round-trip (list (cons "a" (list (cons "b" [1.0]))) (cons "a.b" [2.0]) (cons "__metadata__" [3.0])))
(print (hash->list (load-tensors path)))         ; => ((a.b . [1.0]) (a.b' . [2.0]) (__metadata__' . [3.0]))

; A state is a snapshot of the random numbers, too.
(define start (round-trip (random-state)))
(define drawn (list (random) (tensor-rand 1)))
(set-random-state! start)
(print (equal? drawn (list (random) (tensor-rand 1)))) ; => #t

; What cannot be saved leaves the older file; what is damaged is refused.
(define (refusal thunk)
  (guard (e (#t (print (string-join (string-split (error-object-message e) path) "PATH")))) (thunk)))
(save-state path '(("epoch" . 3)))
(refusal (lambda () (save-state path (list (cons "a" (list 1 car))))))
; => save-state: cannot save a procedure, which is at "a.1"
(refusal (lambda () (save-state path (list (cons "a" (tensor-to-sparse [1.0]))))))
; => save-state: only dense tensors can be saved, got a tensor float32 (1)
(print (load-state path))                        ; => ((epoch . 3))
(save-tensors path (list (cons "w" w)))
(refusal (lambda () (load-state path))) ; => load-state: "PATH" holds tensors, but no state that save-state wrote
(define (with-state text checksum)
  (save-tensors path '() :metadata (list (cons "lambent" "state 1") (cons "state" text) (cons "checksum" checksum))))
(with-state "{\"a\":1}" "5")
(refusal (lambda () (load-state path)))          ; => load-state: "PATH" is damaged: its checksum differs
(print (load-state path :verify #f))             ; => ((a . 1))
(with-state "{\"$matrix\":1}" "5")
(refusal (lambda () (load-state path :verify #f)))
; => load-state: "PATH" holds a "$matrix", which this version of Lambent does not know
(with-state "{\"$tensor\":\"x\"}" "5")
(refusal (lambda () (load-state path :verify #f))) ; => load-state: "PATH" has no tensor "x"
(delete-file path)
(refusal (lambda () (load-state path)))
; => load-tensors: cannot open "PATH": No such file or directory
