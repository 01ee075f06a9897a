;; Patterns and templates: ellipses, tails, literals, escapes.
(define-syntax my-let-values
  (syntax-rules () ((_ ((names e) ...) body) '((names ... : e ...) body))))
(print (my-let-values (((a b) 1) ((c) 2)) x))  ; => (((a b) (c) : 1 2) x)
(define-syntax nested
  (syntax-rules () ((_ (a b ...) ...) '((a ...) (b ... ...) ((b ... a) ...)))))
(print (nested (1 2 3) (4) (5 6)))
; => ((1 4 5) (2 3 6) ((2 3 1) (4) (6 5)))
(define-syntax three-deep
  (syntax-rules ()
    ((_ ((a ...) ...) ...) '((((a) ...) ...) ...))
    ((_ . any) 'other)))
(print (three-deep ((1 2) (3)) ()))  ; => ((((1) (2)) ((3))) ())
(print (three-deep 1))  ; => other
;; A tail after an ellipsis, as items and behind a dot.
(define-syntax ends
  (syntax-rules ()
    ((_ a b (m n) ... x y) '(two (a b) ((m n) ...) (x y)))
    ((_ a ... z) '(one (a ...) z))))
(print (ends 1 2 3))  ; => (one (1 2) 3)
(print (ends 1 2 (3 4) (5 6) 7 8))  ; => (two (1 2) ((3 4) (5 6)) (7 8))
(print (ends 1 2 7 8))  ; => (two (1 2) () (7 8))
(define-syntax dotted-use (syntax-rules () ((_ a ... b . c) '((a ...) b c))))
(print (dotted-use 1 2 3 . 4) (dotted-use 1 2))  ; => ((1 2) 3 4) ((1) 2 ())
(define-syntax dotted
  (syntax-rules () ((_ (a ... b . c)) '((a ...) b c)) ((_ x) 'no)))
(print (dotted (1 2 3 . 4)))  ; => ((1 2) 3 4)
(print (dotted (1 2 3)))  ; => ((1 2) 3 ())
(print (dotted (1)))  ; => (() 1 ())
(print (dotted 1))  ; => no
(define-syntax rest-of
  (syntax-rules () ((_ (a . b)) '(a b)) ((_ #(a b ...)) '(vector a b ...))))
(print (rest-of (1 2 3)))  ; => (1 (2 3))
(print (rest-of (1 . 2)))  ; => (1 2)
(print (rest-of #(1 2 3)))  ; => (vector 1 2 3)
(define-syntax to-vector
  (syntax-rules () ((_ (a b ...) ...) '#(#(a ...) (b ... . end) ...))))
(print (to-vector (1 2) (3)))  ; => #(#(1 3) (2 . end) end)
;; Variables that stand before more ellipses than in the pattern.
(define-syntax spread
  (syntax-rules () ((_ (a b ...) ...) '((a b) ... ...))))
(print (spread (1 2 3) (4 5)))  ; => ((1 2) (1 3) (4 5))
(define-syntax product
  (syntax-rules () ((_ (a ...) (b ...)) '((b a ...) ...))))
(print (product (1 2) (x y)))  ; => ((x 1 2) (y 1 2))
(define-syntax with-constant
  (syntax-rules () ((_ k a ...) '((k a) ...))))
(print (with-constant k 1 2))  ; => ((k 1) (k 2))
;; Other ellipses, and the ellipsis as it stands.
(define-syntax custom
  (syntax-rules ::: (stop)
    ((_ a ::: stop ...) '((a :::) ...))
    ((_ a :::) '(no-stop a :::))))
(print (custom 1 2 stop 3))  ; => ((1 2) 3)
(print (custom 1 2))  ; => (no-stop 1 2)
(define-syntax escape
  (syntax-rules ()
    ((_) '(... ...))
    ((_ x) '(... (x ...)))
    ((_ x y) '(... (... x y)))))
(print (escape) (escape 100) (escape 1 2))  ; => ... (100 ...) (... 1 2)
(define-syntax literal-ellipsis
  (syntax-rules ... (...) ((_ x) '(x ...)) ((_ x ...) '(both x))))
(print (literal-ellipsis 100) (literal-ellipsis 1 ...))  ; => (100 ...) (both 1)
(print (let ((... 2))
         (let-syntax ((s (syntax-rules ()
                           ((_ x ...) 'bad)
                           ((_ . r) 'ok))))
           (s a b c))))  ; => ok
;; Underscores.
(define-syntax count-to-2
  (syntax-rules () ((_) 0) ((_ _) 1) ((_ _ _) 2) ((_ . _) 'many)))
(print (count-to-2) (count-to-2 a) (count-to-2 a b) (count-to-2 a b c d))
; => 0 1 2 many
(define-syntax literal-underscore
  (syntax-rules (_) ((foo _) 'under) ((foo x) 'x)))
(print (literal-underscore _) (literal-underscore y))  ; => under y
(define-syntax in-template (syntax-rules () ((foo _) '_)))
(print (in-template foo))  ; => _
;; Data in patterns.
(define-syntax datum-kind
  (syntax-rules ()
    ((_ 1) 'one) ((_ 1.0) 'one-point-zero) ((_ "a") 'string) ((_ #\a) 'char)
    ((_ #t) 'true) ((_ ()) 'empty) ((_ :key) 'keyword) ((_ (quote x)) 'quoted)
    ((_ #u8(1 2)) 'bytes) ((_ any) 'other)))
(print (datum-kind 1) (datum-kind 1.0) (datum-kind "a") (datum-kind #\a)
       (datum-kind #t) (datum-kind ()) (datum-kind :key) (datum-kind 'z)
       (datum-kind #u8(1 2)) (datum-kind 2) (datum-kind "b"))
; => one one-point-zero string char true empty keyword quoted bytes other other
;; Literals match what means the same, not what is spelt the same.
(define-syntax is-else (syntax-rules (else) ((_ else) 'yes) ((_ x) 'no)))
(print (is-else else) (is-else other) (let ((else 1)) (is-else else)))
; => yes no no
(define-syntax is-car (syntax-rules (car) ((_ car) 'yes) ((_ x) 'no)))
(print (is-car car) (is-car cdr) (let ((car cdr)) (is-car car)))  ; => yes no no
(define-syntax through (syntax-rules () ((_ x) (is-else x)) ((_) (is-else else))))
(print (through else) (through) (let ((else 1)) (through)))  ; => yes yes yes
(define-syntax my-if
  (syntax-rules (then else)
    ((_ c then a else b) (if c a b))
    ((_ c then a) (if c a 'nothing))))
(print (my-if #t then 1 else 2) (my-if #f then 1))  ; => 1 nothing
;; Tensor expressions in patterns and templates.
(define-syntax rows (syntax-rules () ((_ [a ...] ...) (list [a ... 0] ...))))
(print (rows [1 2] [3]))  ; => ([1 2 0] [3 0])
