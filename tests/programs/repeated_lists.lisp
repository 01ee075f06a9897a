; Data whose lists occur several times are not written or converted 2^40 times.
(define (doubled times x)
  (if (= times 0) x (doubled (- times 1) (list x x))))
(define (refusal thunk)
  (print (guard (e ((error-object? e) (error-object-message e)))
           (thunk)
           "nothing happened")))
(define many (doubled 40 '(1 2)))

(refusal (lambda () (json->string many)))
; => json->string: not enough memory for 4398046511102 elements, because a list counts at each place where it occurs
(refusal (lambda () (json->string many :indent 2)))
; => json->string: not enough memory for 4398046511102 elements, because a list counts at each place where it occurs
(refusal (lambda () (json->string (vector many (alist->hash-table (list (cons "a" many)))))))
; => json->string: not enough memory for 8796093022208 elements, because a list counts at each place where it occurs
(refusal (lambda () (save-state "never.state" (list (cons "a" many)))))
; => save-state: not enough memory for 4398046511104 elements, because a list counts at each place where it occurs
(refusal (lambda () (tensor many)))
; => a nested list: not enough memory for 4398046511102 elements, because a list counts at each place where it occurs
(refusal (lambda () (tensor-sum many)))
; => a nested list: not enough memory for 4398046511102 elements, because a list counts at each place where it occurs
(refusal (lambda () (json->string (doubled 200 '(1)))))
; => json->string: not enough memory for 4611686018427387904 elements, because a list counts at each place where it occurs

; A tail that occurs several times, too; vectors and tables likewise.
(define (doubled-tails times x)
  (if (= times 0) x (doubled-tails (- times 1) (cons x x))))
(refusal (lambda () (json->string (doubled-tails 60 '(1)))))
; => json->string: not enough memory for 2305843009213693951 elements, because a list counts at each place where it occurs

; What fits is written.
(print (json->string (doubled 2 '(1 2))))  ; => [[[1,2],[1,2]],[[1,2],[1,2]]]
(print (tensor (doubled 2 '(1 2))))  ; => [[[1 2] [1 2]] [[1 2] [1 2]]]
(print (string-length (json->string (doubled 18 '(1 2)))))  ; => 2097149
(print (tensor-shape (tensor (doubled 20 '(1 2)))))  ; => (2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2)

; Deep data take time for each level, not for all levels before.
(define (nested times x)
  (if (= times 0) x (nested (- times 1) (list x))))
(print (string-length (json->string (nested 200000 1))))  ; => 400001
