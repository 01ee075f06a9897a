; SRFI 117: queues on lists.
(import (srfi 117))
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(define-syntax values-of
  (syntax-rules () ((_ expression) (call-with-values (lambda () expression) list))))

; Constructors and parts.
(define q (list-queue 1 2 3))
(print (list-queue-list q) (list-queue? q) (list-queue? '(1)) (list-queue-empty? q) (list-queue-empty? (list-queue))) ; => (1 2 3) #t #f #f #t
(print (list-queue-front q) (list-queue-back q) (values-of (list-queue-first-last q)) (values-of (list-queue-first-last (list-queue)))) ; => 1 3 ((1 2 3) (3)) (() ())
(define shared (list 1 2 3))
(define made (make-list-queue shared))
(print (eq? shared (list-queue-list made)) (list-queue-back (make-list-queue shared (cddr shared))) (list-queue-empty? (make-list-queue '() '()))) ; => #t 3 #t
(define copied (list-queue-copy made))
(list-queue-add-back! copied 4)
(print (list-queue-list copied) (list-queue-list made)) ; => (1 2 3 4) (1 2 3)
(print (list-queue-list (list-queue-unfold (lambda (x) (> x 3)) (lambda (x) (* x 2)) (lambda (x) (+ x 1)) 0)) (list-queue-list (list-queue-unfold-right (lambda (x) (> x 3)) (lambda (x) (* x 2)) (lambda (x) (+ x 1)) 0))) ; => (0 2 4 6) (6 4 2 0)
(define tail (list-queue 8))
(print (eq? tail (list-queue-unfold (lambda (x) (> x 3)) (lambda (x) (* x 2)) (lambda (x) (+ x 1)) 0 tail)) (list-queue-list tail)) ; => #t (0 2 4 6 8)
(define head (list-queue 8))
(print (eq? head (list-queue-unfold-right (lambda (x) (> x 3)) (lambda (x) (* x 2)) (lambda (x) (+ x 1)) 0 head)) (list-queue-list head)) ; => #t (8 6 4 2 0)

; Changes.
(list-queue-add-front! q 0)
(list-queue-add-back! q 4)
(print (list-queue-list q) (list-queue-back q)) ; => (0 1 2 3 4) 4
(print (list-queue-remove-front! q) (list-queue-remove-back! q) (list-queue-list q) (list-queue-back q)) ; => 0 4 (1 2 3) 3
(print (list-queue-remove-all! q) (list-queue-list q) (list-queue-remove-all! q)) ; => (1 2 3) () ()
(list-queue-add-back! q 'x)
(print (list-queue-front q) (list-queue-back q) (list-queue-remove-back! q) (list-queue-empty? q)) ; => x x x #t
(list-queue-add-front! q 'y)
(print (list-queue-front q) (list-queue-back q) (list-queue-remove-front! q) (list-queue-empty? q)) ; => y y y #t
(list-queue-set-list! q (list 7 8))
(list-queue-add-back! q 9)
(print (list-queue-list q)) ; => (7 8 9)
(define pairs (list 1 2))
(list-queue-set-list! q pairs (cdr pairs))
(list-queue-add-back! q 3)
(print pairs (list-queue-list q)) ; => (1 2 3) (1 2 3)
(list-queue-set-list! q '())
(print (values-of (list-queue-first-last q))) ; => (() ())

; All elements.
(define a (list-queue 1 2))
(define b (list-queue 3))
(print (list-queue-list (list-queue-append a (list-queue) b)) (list-queue-list a) (list-queue-list (list-queue-append)) (list-queue-list (list-queue-concatenate (list a b a)))) ; => (1 2 3) (1 2) () (1 2 3 1 2)
(define appended (list-queue-append a b))
(list-queue-add-back! appended 4)
(print (list-queue-list appended) (list-queue-list a) (list-queue-list b)) ; => (1 2 3 4) (1 2) (3)
(print (list-queue-list (list-queue-map - appended)) (list-queue-list appended)) ; => (-1 -2 -3 -4) (1 2 3 4)
(list-queue-map! (lambda (x) (* 10 x)) appended)
(print (list-queue-list appended) (list-queue-back appended)) ; => (10 20 30 40) 40
(list-queue-for-each (lambda (x) (display x) (display ";")) appended)
(newline) ; => 10;20;30;40;
(define joined (list-queue-append! (list-queue) a (list-queue) b))
(list-queue-add-back! joined 5)
(print (list-queue-list joined) (list-queue-list (list-queue-append!))) ; => (1 2 3 5) ()

; Errors.
(print (message (lambda () (list-queue-front (list-queue)))) (message (lambda () (list-queue-remove-front! (list-queue)))) (message (lambda () (list-queue-remove-back! (list-queue))))) ; => list-queue-front: the queue is empty list-queue-remove-front!: the queue is empty list-queue-remove-back!: the queue is empty
(print (message (lambda () (list-queue-list '(1)))) (message (lambda () (make-list-queue 5))) (message (lambda () (list-queue-back (list-queue))))) ; => list-queue-list: expected a list queue, got (1) make-list-queue: expected a list, got 5 list-queue-back: the queue is empty
