;; Macros by procedures: they run while the program is analysed.
(defmacro while (test . body)
  "Repeat body as long as test holds."
  `(let loop () (when ,test ,@body (loop))))
(define i 0)
(while (< i 2) (print i) (set! i (+ i 1)))
; => 0
; => 1
(defmacro swap! (a b)
  (let ((tmp (gensym)))
    `(let ((,tmp ,a)) (set! ,a ,b) (set! ,b ,tmp))))
(define p 1)
(define q 2)
(swap! p q)
(print p q)  ; => 2 1
;; The value is any datum; the parts of a use are data.
(defmacro twice (x) (if (number? x) (* 2 x) `(list ,x ,x)))
(print (twice 4) (twice "a"))  ; => 8 (a a)
(defmacro nothing () (if #f #f))
(nothing)
(define (f) (nothing) 3)
(print (f))  ; => 3
;; It may define, and use the macros before it.
(defmacro define-all (value . names)
  `(begin ,@(map (lambda (name) `(define ,name (twice ,value))) names)))
(define-all 9 aa bb)
(print aa bb)  ; => 18 18
(define (g) (define-all 1 x y) (+ x y))
(print (g))  ; => 4
;; Keyword parameters, and names alone as rest parameter.
(defmacro times (x :by 2) (list '* x by))
(print (times 4) (times 4 :by 3))  ; => 8 12
(defmacro reversed form (reverse form))
(print (reversed 3 4 list))  ; => (4 3)
;; Not hygienic: this is what `it` is for.
(defmacro aif (test then else) `(let ((it ,test)) (if it ,then ,else)))
(print (aif (assv 2 '((1 . a) (2 . b))) (cdr it) 'none))  ; => b
;; A tensor expression goes through, and a template may hold one.
(defmacro shape (t) `(tensor-shape ,t))
(print (shape [[1 2] [3 4]]))  ; => (2 2)
(defmacro pair (a b) `(tensor-sum [,a ,b]))
(print (pair 1 2))  ; => 3
;; Strings, characters, vectors and dotted pairs come back as they went.
(defmacro same (x) `(quote ,x))
(print (same (a "b" #\c #(1 2.5 1/2) :k . #t)))  ; => (a b c #(1 2.5 1/2) :k . #t)
(define (local)
  (defmacro three () 3)
  (+ (three) 1))
(print (local))  ; => 4
;; In a hygienic macro's template.
(define-syntax unless-zero
  (syntax-rules () ((_ x e) (aif (= x 0) #f e))))
(print (unless-zero 1 'yes))  ; => yes
(print (symbol? (gensym)) (eq? (gensym) (gensym)))  ; => #t #f
