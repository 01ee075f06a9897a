; Rest lists and case-lambda where calls show how many arguments there are.

(define-syntax message
  (syntax-rules ()
    ((_ e) (print (guard (x (#t (error-object-message x))) e)))))

(define area
  (case-lambda
    ((r) (* r r))
    ((w h) (* w h))
    ((a b . more) (list a b more (length more) (eq? more more)))))
(define (areas n)
  (list (area n) (area n 2) (area n 2 3) (area n 2 3 4)))
(print (areas 3))  ; => (9 6 (3 2 (3) 1 #t) (3 2 (3 4) 2 #t))
(message (area))  ; => area: expected 1, 2 or at least 2 arguments, got 0
(print (apply area '(1 2 3)) (map area '(1 2)))  ; => (1 2 (3) 1 #t) (1 4)

; Optional arguments.
(define (scaled x . options)
  (let ((by (if (pair? options) (car options) 10))
        (plus (if (and (pair? options) (pair? (cdr options))) (cadr options) 100)))
    (+ (* x by) plus)))
(print (scaled 1) (scaled 1 2) (scaled 1 2 3) (scaled 1 2 3 4))  ; => 110 102 5 5
(define (first-of . items) (car items))
(message (first-of))  ; => car: expected a pair, got ()
(define (third x . more) (caddr more))
(print (third 1 2 3 4))  ; => 4
(message (third 1 2 3))  ; => caddr: expected a pair, got ()

; A procedure that calls itself with other numbers of arguments.
(define range
  (case-lambda
    ((end) (range 0 end))
    ((start end) (range start end 1))
    ((start end step)
     (if (>= start end) '() (cons start (range (+ start step) end step))))))
(print (range 3) (range 1 3) (range 0 7 3))  ; => (0 1 2) (1 2) (0 3 6)

; The list is one object, however often it is used.
(define (twice . items)
  (if (null? items) 'none (let ((f (lambda () items))) (eq? (f) (f)))))
(print (twice) (twice 1) (twice 1 2))  ; => none #t #t
(define (tails a . items)
  (if (null? items) '() (let ((rest (cdr items))) (list items rest (eq? rest (cdr items))))))
(print (tails 1) (tails 1 2) (tails 1 2 3))  ; => () ((2) () #t) ((2 3) (3) #t)
(define (in-a-loop . items)
  (if (pair? items)
      (let loop ((n 0) (found '()))
        (if (= n 2) (eq? (car found) (cadr found)) (loop (+ n 1) (cons (cdr items) found))))
      #f))
(print (in-a-loop 1 2 3) (in-a-loop))  ; => #t #f

; It may be changed.
(define (changed . items)
  (if (null? items)
      'none
      (begin
        (set-car! items 'new)
        (list (car items) (length items)))))
(print (changed) (changed 1 2))  ; => none (new 2)
(define (shortened . items)
  (if (null? items) 'none (begin (set-cdr! items '()) (length items))))
(print (shortened 1 2 3))  ; => 1
(define (assigned . items)
  (if (null? items) (set! items '(0)))
  (car items))
(print (assigned) (assigned 5))  ; => 0 5

; What remains of it goes to another procedure.
(define (sum . items) (apply + items))
(define (sum-from start . items) (if (null? items) start (apply sum start (cdr items))))
(print (sum) (sum 1) (sum 1 2 3) (sum-from 1) (sum-from 1 2 3))  ; => 0 1 6 1 4
(define (with-tensor . items) (if (car items) (tensor-shape (cadr items)) 'none))
(print (with-tensor [1 2] [1]))  ; => (1)
