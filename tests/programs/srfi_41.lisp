; SRFI 41: streams.
(import (srfi 41))
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(define (shown s) (stream->list 10 s))
(define naturals (stream-from 0))
(define s123 (stream 1 2 3))

; Streams and their parts.
(print (map stream? (list stream-null s123 '(1) 5)) (map stream-pair? (list stream-null s123 5)) (map stream-null? (list stream-null s123 '()))) ; => (#t #t #f #f) (#f #t #f) (#t #f #f)
(define bad (stream-cons (error "never asked for") (stream-cons 2 (error "nor this"))))
(print (stream-pair? bad) (stream-car (stream-cdr bad))) ; => #t 2
(define evaluated 0)
(define once (stream-cons (begin (set! evaluated (+ evaluated 1)) 'x) stream-null))
(print evaluated (stream-car once) (stream-car once) evaluated) ; => 0 x x 1
(define lazy ((stream-lambda (x) (set! evaluated (+ evaluated 1)) (stream x)) 'y))
(print evaluated (stream-car lazy) evaluated) ; => 1 y 2
(define-stream (repeated x . others) (stream-cons x (apply repeated x others)))
(print (stream->list 3 (repeated 'a))) ; => (a a a)
(print (shown (stream-let loop ((n 0)) (if (= n 3) stream-null (stream-cons n (loop (+ n 1))))))) ; => (0 1 2)
(print (shown (stream)) (shown (stream 1 (+ 1 1))) (stream-car (stream 1 (error "not yet")))) ; => () (1 2) 1

; Conversions.
(print (shown (list->stream '(1 2))) (shown (list->stream '())) (stream->list s123) (stream->list 2 s123) (stream->list 0 s123) (stream->list 3 naturals)) ; => (1 2) () (1 2 3) (1 2) () (0 1 2)
(print (shown (port->stream (open-input-string "abc"))) (with-input-from-string "xy" (lambda () (stream->list (port->stream))))) ; => (a b c) (x y)

; Matching.
(define (kind s)
  (stream-match s
    (() 'empty)
    ((x) (list 'one x))
    ((x y) (= x y) (list 'twice x))
    ((_ y . rest) (list y (stream->list rest)))))
(print (map kind (list (stream) (stream 1) (stream 2 2) (stream 1 2) (stream 1 2 3 4)))) ; => (empty (one 1) (twice 2) (2 ()) (2 (3 4)))
(print (stream-match s123 (all (stream-length all))) (stream-match s123 (_ 'any)) (stream-match naturals ((a b . _) (+ a b)))) ; => 3 any 1
(print (message (lambda () (stream-match s123 (() 1)))) (message (lambda () (stream-match '(1) (_ 1))))) ; => stream-match: no pattern matches stream-match: expected a stream, got (1)

; Comprehensions.
(print (shown (stream-of (* x x) (x in (stream-range 0 10)) (even? x)))) ; => (0 4 16 36 64)
(print (shown (stream-of (list a b) (a in (stream-range 1 4)) (b in (stream-range 1 3))))) ; => ((1 1) (1 2) (2 1) (2 2) (3 1) (3 2))
(print (shown (stream-of (list i j) (i in (stream-range 1 5)) (even? i) (j is (* i i)))) (shown (stream-of 1)) (stream->list 3 (stream-of x (x in naturals) (odd? x)))) ; => ((2 4) (4 16)) (1) (1 3 5)

; Procedures.
(print (shown (stream-append)) (shown (stream-append s123)) (shown (stream-append s123 stream-null (stream 4) s123)) (stream->list 5 (stream-append s123 naturals))) ; => () (1 2 3) (1 2 3 4 1 2 3) (1 2 3 0 1)
(print (shown (stream-concat (stream (stream 1 2) (stream) (stream 3 2 1)))) (stream->list 4 (stream-concat (stream-map (lambda (n) (stream n n)) naturals))) (shown (stream-concat stream-null))) ; => (1 2 3 2 1) (0 0 1 1) ()
(print (stream->list 5 (stream-constant 1 2)) (shown (stream-constant))) ; => (1 2 1 2 1) ()
(print (shown (stream-drop 2 s123)) (shown (stream-drop 5 s123)) (shown (stream-drop 0 s123)) (stream-car (stream-drop 1000 naturals))) ; => (3) () (1 2 3) 1000
(print (stream->list 2 (stream-drop-while (lambda (x) (< x 5)) naturals)) (shown (stream-filter odd? s123)) (stream->list 3 (stream-filter even? naturals))) ; => (5 6) (1 3) (0 2 4)
(print (stream-fold - 10 s123) (stream-fold cons '() s123)) ; => 4 (((() . 1) . 2) . 3)
(stream-for-each (lambda (x) (display x)) s123)
(stream-for-each (lambda (x y) (display (list x y))) naturals (stream 'a 'b))
(newline) ; => 123(0 a)(1 b)
(print (stream->list 3 (stream-from 1)) (stream->list 3 (stream-from 1 2)) (stream->list 3 (stream-from 0 -1)) (stream->list 4 (stream-iterate (lambda (x) (* 2 x)) 1))) ; => (1 2 3) (1 3 5) (0 -1 -2) (1 2 4 8)
(print (stream-length s123) (stream-length stream-null) (shown (stream-map - s123)) (shown (stream-map + s123 naturals)) (shown (stream-map list s123 stream-null))) ; => 3 0 (-1 -2 -3) (1 3 5) ()
(print (shown (stream-range 0 5)) (shown (stream-range 5 0)) (shown (stream-range 0 5 2)) (shown (stream-range 3 3)) (shown (stream-range 0 5 -1)) (shown (stream-range 1 2 1/4))) ; => (0 1 2 3 4) (5 4 3 2 1) (0 2 4) () () (1 5/4 3/2 7/4)
(print (stream-ref s123 0) (stream-ref s123 2) (shown (stream-reverse s123)) (shown (stream-reverse stream-null))) ; => 1 3 (3 2 1) ()
(print (shown (stream-scan + 0 s123)) (shown (stream-scan + 7 stream-null)) (stream->list 4 (stream-scan * 1 (stream-from 1)))) ; => (0 1 3 6) (7) (1 1 2 6)
(print (shown (stream-take 2 naturals)) (shown (stream-take 5 s123)) (shown (stream-take 0 s123)) (shown (stream-take-while (lambda (x) (< x 3)) naturals))) ; => (0 1) (1 2 3) () (0 1 2)
(print (shown (stream-unfold (lambda (x) (* x x)) (lambda (x) (< x 5)) (lambda (x) (+ x 1)) 0))) ; => (0 1 4 9 16)
(define (partition keep? s)
  (stream-unfolds
   (lambda (s)
     (if (stream-null? s)
         (values s '() '())
         (let ((a (stream-car s)) (d (stream-cdr s)))
           (if (keep? a) (values d (list a) #f) (values d #f (list a))))))
   s))
(print (call-with-values (lambda () (partition odd? (stream-range 1 6))) (lambda (odds evens) (list (shown odds) (shown evens))))) ; => ((1 3 5) (2 4))
(print (shown (stream-zip s123 naturals)) (shown (stream-zip s123)) (shown (stream-zip s123 stream-null))) ; => ((1 0) (2 1) (3 2)) ((1) (2) (3)) ()

; Streams that refer to themselves, and long ones, in constant stack.
(define primes (let sieve ((s (stream-from 2))) (stream-cons (stream-car s) (sieve (stream-filter (lambda (n) (not (zero? (modulo n (stream-car s))))) (stream-cdr s))))))
(print (stream->list 8 primes)) ; => (2 3 5 7 11 13 17 19)
(define hamming (stream-cons 1 (let merge ((a (stream-map (lambda (x) (* 2 x)) hamming)) (b (stream-map (lambda (x) (* 3 x)) hamming))) (let ((x (stream-car a)) (y (stream-car b))) (cond ((< x y) (stream-cons x (merge (stream-cdr a) b))) ((> x y) (stream-cons y (merge a (stream-cdr b)))) (else (stream-cons x (merge (stream-cdr a) (stream-cdr b)))))))))
(print (shown hamming)) ; => (1 2 3 4 6 8 9 12 16 18)
(print (stream-ref (stream-filter (lambda (n) (zero? (modulo n 20000))) naturals) 2) (stream-length (stream-take 30000 naturals)) (stream-fold + 0 (stream-take 30000 naturals))) ; => 40000 30000 449985000

; Errors.
(print (message (lambda () (stream-car stream-null))) (message (lambda () (stream-cdr '(1)))) (message (lambda () (stream-ref s123 3)))) ; => stream-car: the stream has no elements stream-cdr: expected a stream, got (1) stream-ref: the stream has no element
(print (message (lambda () (stream-map 1 s123))) (message (lambda () (stream-map -))) (message (lambda () (stream-take -1 s123))) (message (lambda () (list->stream 5))) (message (lambda () (stream-append s123 '(1))))) ; => stream-map: expected a procedure, got 1 stream-map: expected a stream, got none stream-take: expected a non-negative exact integer, got -1 list->stream: expected a list, got 5 stream-append: expected a stream, got (1)
(print (message (lambda () (stream-car (stream-cdr (stream-cons 1 '()))))) (message (lambda () (stream-from 'a)))) ; => stream-lambda: expected a stream, got () stream-from: expected a number, got a
