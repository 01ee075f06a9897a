; A field that is read and then replaced moves out of its pair, whatever it holds.

(define (reverse! items)
  (let loop ((rest items) (done '()))
    (if (null? rest)
        done
        (let ((next (cdr rest)))
          (set-cdr! rest done)
          (loop next rest)))))
(define (texts n) (map number->string (iota n)))
(print (reverse! (texts 4)) (reverse! '()))        ; => (3 2 1 0) ()
(define shared (texts 3))
(define end (cdr shared))
(print (reverse! shared) shared end)               ; => (2 1 0) (0) (1 0)

; The rest of a list behind its first n pairs, which are cut off.
(define (cut! items n)
  (let* ((last (list-tail items (- n 1))) (rest (cdr last)))
    (set-cdr! last '())
    rest))
(define items (texts 5))
(define rest (cut! items 2))
(print items rest)                                 ; => (0 1) (2 3 4)

; The same object as before, the pair itself, and a field that nobody needs.
(define (replace-car! p new) (let ((old (car p))) (set-car! p new) old))
(define p (texts 1))
(print (replace-car! p (car p)) p)                 ; => 0 (0)
(print (eq? p (begin (replace-car! p p) (replace-car! p 1))) p)    ; => #t (1)
(define (forget! p new) (let ((old (cdr p))) (set-cdr! p new) (car p)))
(print (forget! p (texts 2)) p)                    ; => 1 (1 0 1)

; Elements that are used as numbers; a store into another pair; two reads, and two stores.
(define (add! p n) (let ((old (car p))) (set-car! p n) (+ old n)))
(print (add! (list 1) 2) (add! (list 1.5) 2))      ; => 3 3.5
(print (add! (list (expt 10 20)) 1))               ; => 100000000000000000001
(define (move! p q) (let ((old (car p))) (set-car! q old) (set-car! p "gone") old))
(define q (texts 1))
(print (move! (cdr p) q) p q)                      ; => 0 (1 gone 1) (0)
(define (twice! p)
  (let* ((one (car p)) (same (car p)))
    (set-car! p "a")
    (let ((two (car p)))
      (set-car! p "b")
      (list one same two))))
(print (twice! q) q)                               ; => (0 0 a) (b)

; Cycles that the exchange closes and opens.
(define (ring n)
  (let ((items (texts n)))
    (set-cdr! (list-tail items (- n 1)) items)
    items))
(define (open! ring) (let ((rest (cdr ring))) (set-cdr! ring '()) rest))
(do ((k 0 (+ k 1))) ((= k 100)) (ring 3) (open! (ring 4)))
(print (open! (ring 3)))                           ; => (1 2 0)

; A tensor dies where its last name does.
(define (weights! p) (let ((old (car p))) (set-car! p #f) (tensor-sum old)))
(print (weights! (list (tensor-ones 3))))          ; => 3.0

; What is not a pair is the error of the read, also where the value is kept nowhere else.
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(print (message (lambda () (replace-car! 5 (texts 2)))))    ; => car: expected a pair, got 5
(print (message (lambda () (reverse! (cons 1 2)))))         ; => cdr: expected a pair, got 2
