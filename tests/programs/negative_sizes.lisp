; A size, index or count that is negative is refused, -1 or not, typed or not.
(define (refused? thunk)
  (guard (e (#t (and (string-contains (error-object-message e) "a non-negative exact integer") #t)))
    (thunk)
    #f))
(define makers
  (list make-string make-bytevector make-list iota
        (lambda (n) (make-string n #\x3b1))
        (lambda (n) (make-vector n 0))
        (lambda (n) (string-pad-left "a" n))
        (lambda (n) (string-pad-right "a" n))))
(define readers
  (list (lambda (n) (list-tail '(1 2) n))
        (lambda (n) (list-ref '(1 2) n))
        (lambda (n) (vector-ref (vector 1 2) n))
        (lambda (n) (string-ref "ab" n))
        (lambda (n) (bytevector-u8-ref (bytevector 1 2) n))
        (lambda (n) (substring "ab" n))
        (lambda (n) (string-copy "ab" 0 n))
        (lambda (n) (vector-copy (vector 1 2) n))
        (lambda (n) (vector-fill! (vector 1 2) 0 n))
        (lambda (n) (utf8->string (bytevector 65) n))
        (lambda (n) (integer->char n))
        (lambda (n) (exact-integer-sqrt n))
        (lambda (n) (read-string n (open-input-string "abc")))
        (lambda (n) (read-bytevector n (open-input-bytevector (bytevector 1))))))
(define (all-refused? n)
  (map (lambda (f) (refused? (lambda () (f n)))) (append makers readers)))
(define numbers '(-1 -2 -1000 -4611686018427387904 -4611686018427387905))
(print (map (lambda (n) (memv #f (all-refused? n))) numbers))  ; => (#f #f #f #f #f)
(print (refused? (lambda () (make-string -2))) (refused? (lambda () (make-vector -2 0))))  ; => #t #t
(print (refused? (lambda () (make-bytevector -2))) (refused? (lambda () (make-list -2))))  ; => #t #t
