; Vectors that hold doubles only store them without tags, until something else is stored.
(define (move! v dt)
  (vector-set! v 0 (+ (vector-ref v 0) (* dt (vector-ref v 1))))
  (vector-set! v 1 (* 0.5 (vector-ref v 1))))
(define v (vector 1.0 2.0 3.0))
(move! v 0.5)
(move! v 2)
(print v (vector-length v) (vector? v))           ; => #(4.0 0.5 3.0) 3 #t
(define w (vector 1.0 2.0 'name))
(move! w 0.5)
(print w)                                         ; => #(2.0 1.0 name)
(define u (vector 1 2))
(move! u 1/2)
(print u)                                         ; => #(2 1.0)

; No word holds these; they are doubles all the same.
(define odd (vector 1.5 (/ 1.0 0.0) -0.0 1e-300 (- (/ 1.0 0.0) (/ 1.0 0.0))))
(print odd (vector-ref odd 2) (eqv? (vector-ref odd 2) 0.0)) ; => #(1.5 +inf.0 -0.0 1e-300 +nan.0) -0.0 #f
(define (scale! v k)
  (let loop ((i 0))
    (when (< i (vector-length v))
      (vector-set! v i (* (vector-ref v i) k))
      (loop (+ i 1)))))
(define small (make-vector 3 2e-60))
(scale! small 0.5)
(print small (vector->list small))                ; => #(1e-60 1e-60 1e-60) (1e-60 1e-60 1e-60)
(define (first-two v) (list (vector-ref v 0) (vector-ref v 1)))
(print (first-two small) small)                   ; => (1e-60 1e-60) #(1e-60 1e-60 1e-60)

; Stores of other values, through another name and in a procedure that is called between.
(define (spoil! v x) (vector-set! v 1 x))
(define (mixed v other x)
  (let* ((a (* 2.0 (vector-ref v 0))) (b (* 2.0 (vector-ref v 1))))
    (spoil! other x)
    (list a b (vector-ref v 0) (vector-ref v 1) (vector-ref v 2))))
(define same (vector 1.0 2.0 3.0))
(print (mixed same (vector 0.5 0.5) "text") same) ; => (2.0 4.0 1.0 2.0 3.0) #(1.0 2.0 3.0)
(print (mixed same same 7.0) (mixed same same "text")) ; => (2.0 4.0 1.0 7.0 3.0) (2.0 14.0 1.0 text 3.0)
(print same)                                      ; => #(1.0 text 3.0)
(define (sum-twice v n)
  (let loop ((i 0) (sum 0.0))
    (if (= i n)
        sum
        (let ((next (+ sum (* 2.0 (vector-ref v 0)) (* 3.0 (vector-ref v 1)))))
          (when (= i 1) (vector-set! v 1 1))
          (vector-set! v 0 (+ 1.0 (vector-ref v 0)))
          (loop (+ i 1) next)))))
(define steps (vector 1.0 2.0))
(print (sum-twice steps 4) steps)                 ; => 38.0 #(5.0 1)

; Indices that do not fit, with and without a constant.
(define (third v) (+ (* 2.0 (vector-ref v 0)) (* 2.0 (vector-ref v 1)) (vector-ref v 2)))
(define (report thunk) (guard (e (#t (error-object-message e))) (thunk)))
(print (third (vector 1.0 2.0 3.0)) (report (lambda () (third (vector 1.0 2.0)))))
; => 9.0 vector-ref: index 2 is out of range for length 2
(define (at v i) (+ (* 2.0 (vector-ref v i)) (* 0.5 (vector-ref v (- i 1)))))
(print (at v 1) (report (lambda () (at v 0))))    ; => 3.0 vector-ref: expected a non-negative exact integer, got -1
(print (report (lambda () (at v 3))))             ; => vector-ref: index 3 is out of range for length 3
(define (put! v i) (vector-set! v i (* 2.0 (vector-ref v 0))) (vector-set! v (+ i 1) (* 0.5 (vector-ref v 0))))
(print (report (lambda () (put! v 2))) v)         ; => vector-set!: index 3 is out of range for length 3 #(4.0 0.5 8.0)
(print (report (lambda () (move! 'no 1.0))))      ; => vector-ref: expected a vector, got no

; All other procedures of vectors.
(define d (make-vector 3 0.25))
(vector-fill! d 1.5 1)
(print d (vector-copy d 1) (vector->list d 0 2))  ; => #(0.25 1.5 1.5) #(1.5 1.5) (0.25 1.5)
(vector-copy! d 0 (vector 7.0 8.0))
(print d (vector-append d (vector 'a)) (vector-append d d)) ; => #(7.0 8.0 1.5) #(7.0 8.0 1.5 a) #(7.0 8.0 1.5 7.0 8.0 1.5)
(vector-copy! d 1 #(x y))
(print d (vector-map + (vector 1.0 2.0) (vector 10 20))) ; => #(7.0 x y) #(11.0 22.0)
(define filled (vector 1.0 2.0))
(vector-fill! filled 'z 1)
(print filled (list->vector '(1.0 2.0)) (vector 1.0 2)) ; => #(1.0 z) #(1.0 2.0) #(1.0 2)
(print (equal? (vector 1.0 2.0) #(1.0 2.0)) (equal? (vector 1.0 2.0) (vector 1.0 2))) ; => #t #f
(print (eq? d d) (eqv? (vector 1.0) (vector 1.0)) (equal? (make-vector 0 1.0) (vector))) ; => #t #f #t
(define table (make-hash-table))
(hash-set! table (vector 1.0 2.0) 'found)
(print (hash-ref table (list->vector (list 1.0 2.0)) #f)) ; => found
(print (call-with-values (lambda () (values 1.0 2.0)) list)) ; => (1.0 2.0)
(print (vector-binary-search (vector 1.0 2.0 4.0) 4.0 (lambda (a b) (- a b)))) ; => 2
(print (sort (vector 3.0 1.0 2.0) <) (apply + (vector->list (vector 1.0 2.0)))) ; => #(1.0 2.0 3.0) 3.0
(define total 0)
(vector-for-each (lambda (x) (set! total (+ total x))) (vector 1.0 2.0))
(print total)                                     ; => 3.0
(define ref vector-ref)
(define set vector-set!)
(define f (vector 1.0 2.0))
(set f 0 (+ 1.0 (ref f 1)))
(print f)                                         ; => #(3.0 2.0)

; A vector that comes to hold itself is a cycle like any other.
(define (make-cycle)
  (let ((c (make-vector 2 0.5)))
    (vector-set! c 0 (* 2.0 (vector-ref c 1)))
    (vector-set! c 1 c)
    (vector-ref c 0)))
(print (make-cycle) (make-cycle))                 ; => 1.0 1.0

; A matrix is a vector of such vectors.
(define (make-matrix rows columns x)
  (let ((m (make-vector rows 0.0)))
    (do ((i 0 (+ i 1))) ((= i rows) m)
      (vector-set! m i (make-vector columns x)))))
(define (dot a b)
  (let loop ((i 0) (sum 0.0))
    (if (= i (vector-length a))
        sum
        (loop (+ i 1) (+ sum (* (vector-ref a i) (vector-ref b i)))))))
(define m (make-matrix 2 3 0.5))
(vector-set! (vector-ref m 1) 2 4.0)
(print m (dot (vector-ref m 0) (vector-ref m 1))) ; => #(#(0.5 0.5 0.5) #(0.5 0.5 4.0)) 2.5
(print (dot (vector 1 2) (vector 1.5 2)) (dot #(1.0 2.0) #(3.0 4.0))) ; => 5.5 11.0

; What computes with elements is inlined: what holds of a vector is tested again after each store that
; may change it, and a failure leaves what was stored before it.
(define (pull! a dx dy factor)
  (vector-set! a 0 (+ (vector-ref a 0) (* dx factor)))
  (vector-set! a 1 (+ (vector-ref a 1) (* dy factor))))
(define (attract! a b)
  (let ((dx (- (vector-ref a 2) (vector-ref b 2))) (dy (- (vector-ref a 3) (vector-ref b 3))))
    (pull! a dx dy 0.5)
    (pull! b dx dy 2)
    (list a b)))
(print (attract! (vector 1.0 2.0 3.0 4.0) (vector 5.0 6.0 7.0 8.0))) ; => (#(-1.0 0.0 3.0 4.0) #(-3.0 -2.0 7.0 8.0))
(print (attract! (vector 1 2.0 3.0 4.0) (vector 5.0 6.0 7 1/2)))     ; => (#(-1.0 3.75 3.0 4.0) #(-3.0 13.0 7 1/2))
(define same (vector 1.0 2.0 3.0 4.0))
(print (attract! same same))                      ; => (#(1.0 2.0 3.0 4.0) #(1.0 2.0 3.0 4.0))
(define first (vector 1.0 2.0 3.0 4.0))
(define second (vector 5.0 'six 7.0 8.0))
(guard (e (#t (print (error-object-message e)))) (attract! first second)) ; => +: expected a number, got six
(print first second)                              ; => #(-1.0 0.0 3.0 4.0) #(-3.0 six 7.0 8.0)
