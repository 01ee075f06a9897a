; Record types that extend others (SRFI 131), and records that differ in some fields.
(import (srfi 131))

(define-record-type <point> (make-point x y) point? (x point-x set-point-x!) (y point-y))
(define-record-type (<circle> <point>) (make-circle x y radius) circle? (radius circle-radius))
(define-record-type (<ring> <circle>) make-ring ring? (hole ring-hole set-ring-hole!))
(define-record-type (<root> #f) (make-root a) root? (a root-a))

(define p (make-point 1 2))
(define c (make-circle 1 2 3.5))
(define r (make-ring 1.5 2 3 4))
(print p c r (make-root 5))         ; => #<point x: 1 y: 2> #<circle x: 1 y: 2 radius: 3.5> #<ring x: 1.5 y: 2 radius: 3 hole: 4> #<root a: 5>
(define (which shape) (map (lambda (is?) (is? shape)) (list point? circle? ring? root?)))
(print (map which (list p c r 5)))  ; => ((#t #f #f #f) (#t #t #f #f) (#t #t #t #f) (#f #f #f #f))

; Procedures of a type take records of those that extend it, with fields of other types, too.
(define (sum-x shapes) (fold (lambda (s sum) (+ (point-x s) sum)) 0 shapes))
(print (sum-x (list p c r)) (circle-radius r) (ring-hole r))  ; => 3.5 3 4
(set-point-x! r "text")
(set-ring-hole! r '(a b))
(print r (point-x r))               ; => #<ring x: text y: 2 radius: 3 hole: (a b)> text
(print (record-type-fields <ring>) (record-fields c) (eq? (record-type c) <circle>))  ; => (x y radius hole) (1 2 3.5) #t

; The constructor may leave out fields, its own and inherited ones, in any order.
(define-record-type (<named> <point>) (make-named name y) named? (name named-name))
(print (make-named "n" 7))          ; => #<named x: #f y: 7 name: n>

; A field hides one of the same name that the type inherits.
(define-record-type (<again> <point>) (make-again x) again? (x again-x))
(print (again-x (make-again 1)) (point-x (make-again 1)))  ; => 1 #f

; In a procedure.
(define (local n)
  (define-record-type (<local> <circle>) (make-local x y radius n) local? (n local-n))
  (let ((made (make-local 1 2 3 n)))
    (list (local-n made) (circle-radius made) (local? made) (local? c))))
(print (local 9))                   ; => (9 3 #t #f)

; Applicable records: what extends them is applicable, too.
(define-record-type <adder> (make-adder n) adder? (n adder-n) :call (lambda (self x) (+ x (adder-n self))))
(define-record-type (<loud> <adder>) (make-loud n) loud?)
(define-record-type (<double> <adder>) (make-double n) double? :call (lambda (self x) (* x (adder-n self))))
(print ((make-adder 1) 10) ((make-loud 2) 10) ((make-double 3) 10))  ; => 11 12 30

; match takes the first clause whose type fits.
(define (kind shape)
  (match shape
    (($ <ring> _ _ radius hole) (list 'ring radius hole))
    (($ <circle> _ _ radius) (list 'circle radius))
    (($ <point> x y) (list 'point x y))))
(print (map kind (list r c p)))     ; => ((ring 3 (a b)) (circle 3.5) (point 1 2))

; Functional update keeps the record's own type, and evaluates the values in order.
(define moved (record-update r <point> (y (begin (display "y ") 20)) (x (begin (display "x ") 10))))
(print moved (ring? moved) r)       ; => y x #<ring x: 10 y: 20 radius: 3 hole: (a b)> #t #<ring x: text y: 2 radius: 3 hole: (a b)>
(print (record-update p <point>) (eq? p (record-update p <point>)))  ; => #<point x: 1 y: 2> #f
(define (grown shape) (record-update shape <circle> (radius (* 2 (circle-radius shape)))))
(print (circle-radius (grown (grown c))))  ; => 14.0

(define (try thunk) (guard (e (#t (print (error-object-message e)))) (thunk)))
(try (lambda () (ring-hole c)))     ; => ring-hole: expected a ring, got #<circle x: 1 y: 2 radius: 3.5>
(try (lambda () (record-update 5 <point> (x 1))))  ; => record-update: expected a point, got 5
(define-record-type <other> (make-other x) other? (x other-x))
(try (lambda () (point-x (make-other 1))))  ; => point-x: expected a point, got #<other x: 1>

; Records that hold numbers of one type until one that extends them holds another.
(define-record-type <cell> (make-cell value) cell? (value cell-value set-cell-value!))
(define-record-type (<any-cell> <cell>) (make-any-cell value) any-cell?)
(define (total cells) (let loop ((cells cells) (sum 0.0)) (if (null? cells) sum (loop (cdr cells) (+ sum (cell-value (car cells)))))))
(print (total (list (make-cell 1.5) (make-any-cell 2) (make-any-cell 1/2))))  ; => 4.0
