;; What takes circular lists, and what refuses them: nothing runs for ever.
(define-syntax try
  (syntax-rules ()
    ((_ e) (print (guard (x ((error-object? x) (string-trim (substring (error-object-message x) 0 29)))) e)))))
(define c (circular-list 1 2 3))
(try (list-copy c))                      ; => list-copy: expected a list th
(try (list-copy (cons 0 c)))             ; => list-copy: expected a list th
(try (list-copy '(1 2 . 3)))             ; => (1 2 . 3)
(try (list-copy 5))                      ; => 5
(try (list-ref c 1000000000000000000))   ; => 2
(try (list-ref c (expt 10 40)))          ; => 2
(try (list-ref (cons* 8 9 c) (expt 10 40)))  ; => 3
(try (car (list-tail c (+ 2 (expt 3 50)))))  ; => 3
(try (begin (list-set! c (expt 10 20) 'x) (take c 4)))  ; => (1 x 3 1)
(try (begin (list-set! c 100 'y) (take c 4)))  ; => (1 y 3 1)
(try (list-ref (iota 200000) 199999))    ; => 199999
(try (list-ref (iota 200000) 200000))    ; => list-ref: index 200000 is out
(try (list-ref '(1 2) (expt 10 40)))     ; => list-ref: index 1000000000000
(define (ring n) (let ((l (iota n))) (set-cdr! (last-pair l) l) l))
(try (list-ref (ring 70001) 10000000000))  ; => 7145
(try (list-ref (append (iota 100000) (ring 5)) 1000000000001))  ; => 1
(print (modulo 10000000000 70001))       ; => 7145
(try (length+ c))                        ; => #f
(try (concatenate '((1 2) (3 4) 5)))     ; => (1 2 3 4 . 5)
(try (concatenate '(5)))                 ; => 5
(try (concatenate '()))                  ; => ()
(try (concatenate '(1 (2))))             ; => append: expected a list, got
(try (append-map list '(1 2)))           ; => (1 2)
