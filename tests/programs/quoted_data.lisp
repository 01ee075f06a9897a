; Quoted data of every kind stand in a table, parts before wholes; each place has its own object.

(define all '(1 2.5 -0.0 1e300 #0=(a . #0#) "s" "" #u8(1 2) #t #f #\a () 1/2 (x y . z) #(1 2 3)
              :k |a b| 123456789012345678901234567890 -7 8 9 (0.5 0.25) (1 (2 (3 (4))))
              "nul\x0;inside" |nul\x0;too|))
(write all)
(newline)
; => (1 2.5 -0.0 1e300 #0=(a . #0#) "s" "" #u8(1 2) #t #f #\a () 1/2 (x y . z) #(1 2 3) :k |a b| 123456789012345678901234567890 -7 8 9 (0.5 0.25) (1 (2 (3 (4)))) "nul\x0;inside" |nul\x0;too|)
(print (length all))                                   ; => 25

(define (constant) '(1 "two" (3 4) #(5 6.5)))
(print (eq? (constant) (constant)))                    ; => #t
(print (eq? (cadr (constant)) (cadr (constant))))      ; => #t
(print (eq? (cadr '("two" "two")) (cadr (constant))))  ; => #f
(print (eq? (car '(same)) 'same))                      ; => #t
(print (map (lambda (x) (if (number? x) (* 2 x) x)) '(1 2 3 4.5 5.5 6 7 "x" 8)))
; => (2 4 6 9.0 11.0 12 14 x 16)

; A large tensor literal is made from data, too, and anew each time.

(define (grid)
  [[1 2 3 4 5 6] [7 8 9 10 11 12] [13 14 15 16 17 18]])
(define changed (grid))
(tensor-fill! changed 0)
(print (tensor-sum (grid)) (tensor-dtype (grid)) (tensor-shape (grid)))  ; => 171 int64 (3 6)
(print (tensor-dtype [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17.5]))     ; => float32

; What has a label is one object wherever it stands.
(define (shared)
  '(#0="s" #0# #1=(1 "s") #1# #2=#(2.5) (#2# . #2#) #3=#u8(1) #3# #4=() #4#))
(write (shared)) (newline)  ; => ("s" "s" (1 "s") (1 "s") #(2.5) (#(2.5) . #(2.5)) #u8(1) #u8(1) () ())
(define (same? i j) (eq? (list-ref (shared) i) (list-ref (shared) j)))
(print (same? 0 1) (same? 2 3) (same? 6 7))                ; => #t #t #t
(print (eq? (list-ref (shared) 4) (cdr (list-ref (shared) 5))))  ; => #t
(print (eq? (list-ref (shared) 0) (cadr (list-ref (shared) 2)))) ; => #f
(define (spread) (list #5="t" '(#6=(b) . #6#)))
(print (eq? (car (cadr (spread))) (cdr (cadr (spread)))))  ; => #t

; Each constant in a macro's template is an object of its own, also where they are equal.
(define-syntax two
  (syntax-rules ()
    ((_ x) (let ((b '(0 x)) (c '(0 x)) (d '#(0)) (e '#(0)))
             (set-car! b 1)
             (vector-set! d 0 1)
             (list b c d e (eq? "s" "s"))))))
(print (two 5))                                            ; => ((1 5) (0 5) #(1) #(0) #f)
(define (again) (let ((pick (lambda () (two 6)))) (list (pick) (pick))))
(print (again))                                            ; => (((1 6) (0 6) #(1) #(0) #f) ((1 6) (0 6) #(1) #(0) #f))

; What a macro's user writes once is one object, however often the macro uses it.
(define-syntax twice (syntax-rules () ((_ x) (let ((b 'x) (c 'x)) (set-car! b 1) (list b c (eq? b c))))))
(print (twice (0 0)))  ; => ((1 0) (1 0) #t)
(define-syntax one-object? (syntax-rules () ((_ x) (list (eq? x x) (let ((l '(x x #(x)))) (and (eq? (car l) (cadr l)) (eq? (car l) (vector-ref (caddr l) 0))))))))
(print (one-object? "text") (one-object? #u8(1 2)))  ; => (#t #t) (#t #t)
(define-syntax parts (syntax-rules () ((_ x y) (let ((l '((x y) (y x)))) (list (eq? (caar l) (cadadr l)) (eq? (cadar l) (caadr l)) (eq? (caar l) (cadar l)))))))
(print (parts (a) (a)))  ; => (#t #t #f)
(defmacro doubled (x) `(let ((b ',x) (c ',x)) (set-car! b 1) (list b c)))
(print (doubled (0 0)))  ; => ((1 0) (1 0))
(print (eq? "a" "a") (eq? '(a) '(a)) (let ((f (lambda () '(a)))) (eq? (f) (f))))  ; => #f #f #t
