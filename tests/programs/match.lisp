; match: every pattern, nested patterns, and what is read only once.
(import (srfi 204))
(define-record-type <point> (make-point x y) point? (x point-x) (y point-y))
(define-record-type <circle> (make-circle at radius) circle? (at circle-at) (radius circle-radius))
(define-syntax try
  (syntax-rules ()
    ((_ form) (guard (e ((error-object? e)
                         (cons (error-object-message e) (error-object-irritants e))))
                form))))

; Literals are compared by equal?, numbers with their exactness.
(define (literal x)
  (match x
    (1 'one) (1.0 'inexact) ("s" 'string) (#\c 'char) (#t 'true) (#f 'false) (() 'empty)
    ('a 'symbol) (:k 'keyword) ('(a (b)) 'list) ('#(1 x) 'vector) (#u8(1 2) 'bytes) (#() 'no-items)
    (12345678901234567890123 'big) (1/2 'half) (_ 'else)))
(print (map literal (list 1 1.0 (string #\s) #\c #t #f '() 'a ':k (list 'a (list 'b)) (vector 1 'x)
                          (bytevector 1 2) (vector) 12345678901234567890123 (/ 2 4) 2 'b)))
; => (one inexact string char true false empty symbol keyword list vector bytes no-items big half else else)

; Lists, dotted lists, vectors, quasiquotes, names that stand twice.
(define (shape x)
  (match x
    ((a) (list 'one a))
    ((a a) (list 'twins a))
    ((a b) (list 'two a b))
    ((a (b (c . d)) . e) (list a b c d e))
    ((a . b) (list 'pair a b))
    (#(a #(b) (c)) (list 'vector a b c))
    (#(a) (list 'vector-of-one a))
    (#(a b) (list 'vector-of-two a b))
    (x (list 'other x))))
(print (map shape '((1) (2 2) (1 2) (1 (2 (3 . 4)) 5) (1 . 2) #(1 #(2) (3)) #(7) #(7 8) #(7 8 9))))
; => ((one 1) (twins 2) (two 1 2) (1 2 3 4 (5)) (pair 1 2) (vector 1 2 3) (vector-of-one 7) (vector-of-two 7 8) (other #(7 8 9)))
(define (quasi x)
  (match x
    (`(add ,a ,b) (+ a b))
    (`(list ,x ...) x)
    (`(list* ,x . ,rest) (cons rest x))
    (`(all ,@rest) rest)
    (`#(v ,a) (list 'v a))
    (`(nested `(a ,b)) 'nested)
    (`(args (,names ,values) ... end) (list names values))
    (`word 'word)
    (_ 'none)))
(print (map quasi '((add 1 2) (list 1 2) (list* 1 2 3) (all 4 5) #(v 1) (nested `(a ,b))
                    (args (a 1) (b 2) end) word (add 1))))
; => (3 (1 2) ((2 3) . 1) (4 5) (v 1) nested ((a b) (1 2)) word none)

; Ellipses: none, nested, with a tail, with bounds, in vectors.
(define (many x)
  (match x
    (('let ((names values) ...) body ...) (list names values body))
    (('deep ((a b ...) ...) ...) (list a b))
    (('tail x ... y z) (list x y z))
    (('dotted x ... y . z) (list x y z))
    (('plus x **1) (cons 'some x))
    (('two x ..2) x)
    (('three x __3) x)
    (('exactly x =.. 2) x)
    (('between x *.. 1 2 y) (list x y))
    (('numbers (? number? n) ...) n)
    (('any _ ___ last) last)
    (#('v x ... y) (list 'v x y))
    (#('pairs (k . v) ...) (list k v))
    (#(_ ...) 'vector)
    (_ 'none)))
(print (many '(let ((a 1) (b 2)) c d)) (many '(let () c)) (many '(let ((a 1) (b)) c)))
; => ((a b) (1 2) (c d)) (() () (c)) none
(print (many '(deep ((1 2 3) (4)) () ((5 6))))) ; => (((1 4) () (5)) (((2 3) ()) () ((6))))
(print (many '(tail 1 2 3 4)) (many '(tail 3 4)) (many '(tail 4))) ; => ((1 2) 3 4) (() 3 4) none
(print (many '(dotted 1 2 . 3)) (many '(dotted 2)) (many '(dotted . 2))) ; => ((1) 2 3) (() 2 ()) none
(print (many '(plus 1)) (many '(plus)) (many '(two 1)) (many '(two 1 2)) (many '(three 1 2)))
; => (some 1) none none (1 2) none
(print (many '(exactly 1 2)) (many '(exactly 1 2 3)) (many '(between 1 2 3)) (many '(between 1)))
; => (1 2) none ((1 2) 3) none
(print (many '(numbers 1 2)) (many '(numbers 1 a)) (many '(any 1 2 3)) (many '(any 1 2 . 3)))
; => (1 2) none 3 none
(print (many #(v 1 2)) (many '#(pairs (a . 1) (b . 2))) (many #(pairs)) (many #(1)))
; => (v (1) 2) ((a b) (1 2)) (() ()) vector
(define ring (list 1 2))
(set-cdr! (cdr ring) ring)
(print (match ring ((x ...) 'list) ((x ... . y) 'dotted) ((x . _) x))) ; => 1
(print (match '(1 . 2) ((x ... . y) (list x y))) (match 5 ((x ... . y) (list x y)))) ; => ((1) 2) (() 5)

; and, or, not, predicates, procedures.
(define (small? n) (< n 10))
(define (combined x)
  (match x
    ((? symbol? (and s (or 'a 'b))) (list 'letter s))
    ((and (? number? n) (not 3) (? small?)) (list 'small n))
    ((or (x 'left _) (_ 'right x)) (list 'side x))
    ((? list? (= length (and n (or 2 4)))) :when (even? n) (list 'length n))
    ((not (? pair?)) 'atom)
    (_ 'pair)))
(print (map combined '(a c 5 3 99 (1 left 2) (1 right 2) (1 2) (1 2 3))))
; => ((letter a) atom (small 5) atom atom (side 1) (side 2) (length 2) pair)
(print (match '(1 (2 3)) (((? odd? a) (= cadr b)) (list a b)))) ; => (1 3)
(print (match '((a 1) (a 2)) (((k v) (k w)) (list k v w)))) ; => (a 1 2)
(print (match '(3 4) (((or 1 2) _) 'no) (((or 3 (? string?)) (or x x)) x))) ; => 4

; Records by type, hash tables by key.
(define (area x)
  (match x
    (($ <circle> ($ <point> 0 y) r) (list 'on-axis y r))
    (($ <circle> _ 1) 'unit)
    (($ <circle>) 'circle)
    ((@ <point> (y 7) (x x)) (list 'seventh x))
    (($ <point> x) (list 'x x))
    (_ 'none)))
(print (match (make-point 1 2) ((struct <circle> x) x) ((struct <point> x 2) (list 'struct x)))
       (match (make-point 1 2) ((object <point> (y 1)) 'one) ((object <point> (y y) (x 1)) y))
       (match '(object 2) (`(object ,x) x))
       (let ((struct 1)) (match '(a <point>) ((struct x) (list struct x)))))
; => (struct 1) 2 2 (a <point>)
(print (map area (list (make-circle (make-point 0 2) 3) (make-circle (make-point 1 2) 1)
                       (make-circle 1 2) (make-point 1 7) (make-point 4 5) 6)))
; => ((on-axis 2 3) unit circle (seventh 1) (x 4) none)
(define (table x)
  (match x
    ((hash-table 'kind 'user "name" name) name)
    ((hash-table 'kind kind) (list 'kind kind))
    ((hash-table) 'table)
    (_ 'none)))
(print (map table (list (hash-table 'kind 'user "name" "Ada") (hash-table 'kind 'user)
                        (hash-table) '())))    ; => (Ada (kind user) table none)

; Guards and going on.
(define (decide x)
  (match x
    ((a b) :when (> a b) 'falling)
    ((a b) (=> next) (if (= a b) (next) 'rising))
    ((a b) (=> next) :when (zero? a) (set! a 1) (list a (next)))
    ((a b) (list 'level a))
    (_ 'none)))
(print (decide '(2 1)) (decide '(1 2)) (decide '(1 1)) (decide '(0 0)) (decide '(1)))
; => falling rising (level 1) (1 (level 0)) none
(define (count-up n) (match n (0 'done) (_ (=> next) (next)) (n (count-up (- n 1)))))
(print (count-up 100000))                      ; => done

; No clause: the value is shown.
(print (try (match '(1 "s") ((a) a))))         ; => (match: no clause matches (1 s))
(print (try ((match-lambda (1 2)) 'x)))        ; => (match-lambda: no clause matches x)
(print (try ((match-lambda* ((a b) 2)) 'x)))   ; => (match-lambda*: no clause matches (x))
(print (try (match-let (((a b) '(1 2)) ((c) '())) c))) ; => (match-let: no clause matches ())
(print (try (let () (match-define (a) 1) a)))  ; => (match-define: no clause matches 1)
(print (try (match 5)))                        ; => (match: no clause matches 5)
(define caught (try (match (make-point 1 2) (($ <point> x y z) z))))
(print (pair? caught))                         ; => #t

; The other forms.
(print (map (match-lambda ((a . _) a) (#(a) a) (a a)) '((1 2) #(3) 4))) ; => (1 3 4)
(define add (match-lambda* (() 0) ((a) a) ((a b) (+ a b)) ((a b c ...) (apply add (+ a b) c))))
(print (add) (add 1) (add 1 2) (add 1 2 3 4))  ; => 0 1 3 10
(define x 1)
(print (match-let (((x y) '(2 3)) (z x)) (list x y z))) ; => (2 3 1)
(print (match-let* (((x y) '(2 3)) (z x)) (list x y z)) (match-let* () 5)) ; => (2 3 2) 5
(print (match-let loop (((a . rest) '(1 2 3)) (sum 0))
         (if (null? rest) (+ sum a) (loop rest (+ sum a))))) ; => 6
(print (match-letrec (((ev? od?) (list (lambda (n) (or (= n 0) (od? (- n 1))))
                                       (lambda (n) (and (> n 0) (ev? (- n 1)))))))
         (list (ev? 10) (od? 10))))            ; => (#t #f)
(match-define (p (q ...) . r) '(1 (2 3) 4 5))
(match-define `#(,only) (vector 6))
(match-define (_ . _) '(1 . 2))
(print p q r only)                             ; => 1 (2 3) (4 5) 6
(define (inside l) (match-define (a b) l) (define c (+ a b)) (* a b c))
(print (inside '(2 3)))                        ; => 30

; The value, and each procedure of a pattern, is called as often as it must be.
(define calls 0)
(define (counted x) (set! calls (+ calls 1)) x)
(print (match (counted '(1 2)) ((1) 'a) ((1 3) 'b) ((1 2) 'c)) calls) ; => c 1
(set! calls 0)
(print (match '(1 2) (((= counted 2) _) 'a) (((= counted 1) 3) 'b) (((= counted 1) x) (list x calls))))
; => (2 2)

; Names that the form uses itself are the program's where the program defines them.
(let ((car cdr) (cdr car) (pair? null?) (value 5) (next 6) (item 7) (left 8) (equal? eq?))
  (print (match '(1 2 3) ((x y ...) (list x y value next item left)))) ; => (1 (2 3) 5 6 7 8)
  (print (match '("a" "a") ((x x) 'same) (_ 'different)))) ; => same
(print (match 5 (else (+ else 1))))             ; => 6
(let ((? 1) ($ 2) (and 3) (_ 4) (... 5))
  (print (match '(a b) ((? $) (list ? $))) (match '(a b) ((and _) (list and _)))) ; => (a b) (a b)
  (print (match '(1 2) ((x ...) (list x ...)))) ; => (1 2)
  (print (match 9 (_ _))))                     ; => 9
(define-syntax first-of
  (syntax-rules () ((_ e) (match e ((x . rest) x) (rest rest)))))
(let ((rest 1) (x 2)) (print (first-of (list x rest)) (first-of rest))) ; => 2 1
(define-syntax my-match
  (syntax-rules () ((_ e (p body) ...) (match e (p body) ... (other (list 'unmatched other))))))
(print (my-match '(1 2) ((a b) (+ a b))) (my-match 3 ((a b) (+ a b)))) ; => 3 (unmatched 3)
(define saved (map (match-lambda ((a b) (lambda () (set! a (+ a 1)) (list a b)))) '((1 2) (3 4))))
(print ((car saved)) ((car saved)) ((cadr saved))) ; => (2 2) (3 2) (4 4)

; A larger decision, as interpreters have them.
(define (run e env)
  (match e
    ((? number? n) n)
    ((? symbol? s) (cdr (assq s env)))
    (('quote x) x)
    (('if test then orelse) (if (run test env) (run then env) (run orelse env)))
    (('lambda (names ...) body) (lambda values (run body (append (map cons names values) env))))
    (('let ((names values) ...) body)
     (run body (append (map (lambda (n v) (cons n (run v env))) names values) env)))
    ((f xs ...) (apply (run f env) (map (lambda (x) (run x env)) xs)))))
(define base (list (cons '+ +) (cons '- -) (cons '* *) (cons '< <)))
(print (run '((lambda (f) (f f 10)) (lambda (f n) (if (< n 2) n (+ (f f (- n 1)) (f f (- n 2))))))
            base))                             ; => 55
(print (run '(let ((a 2) (b 3)) (* a (+ b '4))) base)) ; => 14
