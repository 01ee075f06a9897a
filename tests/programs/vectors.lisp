; Vectors: construction, mutation, bounds are in errors/.
(define v (vector 1 'two "three"))
(print v (vector-length v) (vector-ref v 1))      ; => #(1 two three) 3 two
(vector-set! v 0 (list 1 2))
(print v)                                         ; => #((1 2) two three)
(write v)
(newline)                                         ; => #((1 2) two "three")
(print (make-vector 3) (make-vector 2 'x) (vector) #(1 #(2))) ; => #(0 0 0) #(x x) #() #(1 #(2))
(vector-fill! v 0)
(print v (vector->list #(1 2)) (list->vector '(3 4))) ; => #(0 0 0) (1 2) #(3 4)
(define grid (make-vector 2 #f))
(vector-set! grid 0 (vector 1 2))
(vector-set! grid 1 (vector 3 4))
(print (vector-ref (vector-ref grid 1) 0))        ; => 3
(define (reverse! v)
  (let loop ((i 0) (j (- (vector-length v) 1)))
    (if (< i j)
        (let ((held (vector-ref v i)))
          (vector-set! v i (vector-ref v j))
          (vector-set! v j held)
          (loop (+ i 1) (- j 1)))
        v)))
(print (reverse! (vector 1 2 3 4 5)))             ; => #(5 4 3 2 1)
(define same (vector 0))
(define holder (vector same same))
(vector-set! same 0 'seen)
(print holder)                                    ; => #(#(seen) #(seen))
(print (vector? #(1)) (vector? '(1)) (equal? #(1 2) (vector 1 2))) ; => #t #f #t
(vector-for-each (lambda (x) (display x)) #(1 2 3))
(newline)                                         ; => 123

; vectors side by side
(print (vector-map + #(1 2 3) #(10 20)) (vector-map - #() #(1)) (vector-map list #(1 2) #(3 4) #(5 6 7))) ; => #(11 22) #() #((1 3 5) (2 4 6))
(let ((seen '())) (vector-for-each (lambda (a b) (set! seen (cons (+ a b) seen))) #(1 2) #(3 4 5)) (print seen)) ; => (6 4)
(print (guard (e (#t (error-object-message e))) (vector-map + #(1) '(1)))) ; => vector-map: expected a vector, got (1)
(print (guard (e (#t (error-object-message e))) (vector-for-each + "x" #(1)))) ; => vector-for-each: expected a vector, got "x"
