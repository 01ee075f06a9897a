; Top-level variables that procedures read in loops, and what may change them.
(define size 3)
(define points (make-vector size 0.5))
(define (fill! n)
  (do ((i 0 (+ i 1))) ((= i n))
    (vector-set! points i (* 2.0 (+ i (vector-ref points i))))))
(define (total)
  (let next ((i 0) (sum 0.0))
    (if (= i size) sum (next (+ i 1) (+ sum (vector-ref points i))))))
(fill! size)
(print points (total))                            ; => #(1.0 3.0 5.0) 9.0
(vector-set! points 1 'none)
(print (guard (e (#t (error-object-message e))) (total))) ; => +: expected a number, got none

; One that is assigned is read each time.
(define limit 2)
(define (count-up)
  (let next ((i 0) (seen '()))
    (if (> i limit)
        (reverse seen)
        (begin (when (= i 1) (set! limit 4))
               (next (+ i 1) (cons limit seen))))))
(print (count-up) limit)                          ; => (2 4 4 4 4) 4

; One that has no value yet fails where it is read, and not before.
(define (late n)
  (let next ((i 0) (seen '()))
    (if (= i n) seen (next (+ i 1) (cons later seen)))))
(print (late 0) (guard (e (#t (error-object-message e))) (late 1))) ; => () unbound variable: later
(define later 'now)
(print (late 2))                                  ; => (now now)

; Loops in loops, and a value that lives on in a closure and in a list.
(define rows (vector (vector 1 2) (vector 3 4)))
(define (each-item use)
  (do ((i 0 (+ i 1))) ((= i (vector-length rows)))
    (do ((j 0 (+ j 1))) ((= j (vector-length (vector-ref rows i))))
      (use (vector-ref (vector-ref rows i) j) (lambda () rows)))))
(define kept '())
(each-item (lambda (item get) (set! kept (cons (list item (eq? (get) rows)) kept))))
(print (reverse kept))                            ; => ((1 #t) (2 #t) (3 #t) (4 #t))
(define name "text")
(define (repeat n) (let next ((i 0) (all '())) (if (= i n) all (next (+ i 1) (cons name all)))))
(print (repeat 2) (eq? (car (repeat 1)) name))    ; => (text text) #t
