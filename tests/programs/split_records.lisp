;; Pairs and records of which only the fields are used are never made, and
;; nothing shows it.

(define-record-type point (make-point x y) point? (x point-x set-point-x!) (y point-y))
(define-record-type size (make-size width height) size? (width size-width) (height size-height))
(define (add a b) (make-point (+ (point-x a) (point-x b)) (+ (point-y a) (point-y b))))
(define (scale k a) (make-point (* k (point-x a)) (* k (point-y a))))
(define (norm a) (+ (* (point-x a) (point-x a)) (* (point-y a) (point-y a))))
(define (show p) (list (point-x p) (point-y p)))
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))

;; A loop's variable, which is also its value.
(define (sum points)
  (let loop ((rest points) (total (make-point 0 0)))
    (if (null? rest) total (loop (cdr rest) (add total (scale 2 (car rest)))))))
(print (show (sum (list (make-point 1 2.5) (make-point 1/2 4)))))  ; => (3 13.0)
(print (show (sum '())))  ; => (0 0)
(print (norm (add (make-point 1 2) (scale 3. (make-point 1 1)))))  ; => 41.0
(print (message (lambda () (sum (list (make-point 1 "two"))))))  ; => *: expected a number, got "two"
(print (message (lambda () (sum (list (make-size 1 2))))))  ; => point-x: expected a point, got #<size width: 1 height: 2>
(print (message (lambda () (norm (make-size 3 4)))))  ; => point-x: expected a point, got #<size width: 3 height: 4>

(define (mean items)
  (let loop ((items items) (so-far (cons 0 0)))
    (if (null? items)
        (/ (car so-far) (cdr so-far))
        (loop (cdr items) (cons (+ (car so-far) (car items)) (+ (cdr so-far) 1))))))
(print (mean '(1 2 4)) (mean '(1.5 2)))  ; => 7/3 1.75

;; Fields that own what they hold, and a variable that stays as it is.
(define (longest words)
  (let loop ((words words) (best (cons (string) 0)))
    (cond ((null? words) (list (car best) (cdr best)))
          ((> (string-length (car words)) (cdr best))
           (loop (cdr words) (cons (string-copy (car words)) (string-length (car words)))))
          (else (loop (cdr words) best)))))
(print (longest '("a" "ccc" "bb")) (longest '()))  ; => (ccc 3) ( 0)
(define (swap n)
  (let loop ((n n) (both (cons (list 'a) (list 'b))))
    (if (= n 0) both (loop (- n 1) (cons (cdr both) (car both))))))
(print (swap 3) (swap 4))  ; => ((b) a) ((a) b)

;; Objects that something else holds, compares, or changes.
(define held '())
(define (hold n)
  (let loop ((n n) (p (cons 0 '())))
    (set! held (cons p held))
    (if (= n 0) (eq? p (car held)) (loop (- n 1) (cons n p)))))
(print (hold 2) held)  ; => #t ((1 2 0) (2 0) (0))
(define (count-up n)
  (let loop ((n n) (p (make-point 0 0)))
    (set-point-x! p (+ (point-x p) 1))
    (if (= n 0) (show p) (loop (- n 1) (make-point (point-x p) n)))))
(print (count-up 3))  ; => (4 1)
(define (same n)
  (let ((start (cons 1 2)))
    (let loop ((n n) (p start) (q start))
      (if (= n 0) (list (eq? p q) (eq? p start) (car p)) (loop (- n 1) q p)))))
(print (same 3))  ; => (#t #t 1)
(define (nested n)
  (let outer ((n n) (p (cons 0 n)))
    (if (= n 0)
        p
        (let ((best (let inner ((k n) (q (cons 1 (cdr p)))) (if (= k 0) q (inner (- k 1) (cons (+ k (car q)) (cdr q)))))))
          (outer (- n 1) (cons (+ (car p) (car best)) (+ 1 (cdr best))))))))
(print (nested 3))  ; => (13 . 6)
(define (either n)
  (let loop ((n n) (p (make-point 1 2)))
    (if (= n 0) p (loop (- n 1) (if (odd? n) (make-size n n) p)))))
(print (size-width (either 2)) (message (lambda () (point-x (either 1)))))  ; => 1 point-x: expected a point, got #<size width: 1 height: 1>

;; A read that fails is still an error, and a predicate still a test.
(define (wrong n)
  (let loop ((n n) (p (make-point 1 2)))
    (if (= n 0) (size-width p) (loop (- n 1) (make-point n n)))))
(print (message (lambda () (wrong 2))))  ; => size-width: expected a size, got #<point x: 1 y: 1>
(define (tested n)
  (let ((p (make-point n n))) (if (point? p) (point-x p) 'none)))
(print (tested 5))  ; => 5

;; A loop's variable that becomes another loop's is an object.
(define (twice n)
  (let first ((i 0) (p (cons 1 2)))
    (if (< i n)
        (first (+ i 1) (cons (car p) i))
        (let second ((j 0) (q p)) (if (< j 2) (second (+ j 1) q) (+ (car q) (cdr q)))))))
(print (twice 0) (twice 3))  ; => 3 3
(define (kept n)
  (let loop ((i n) (acc (cons n (list 1 'a))))
    (if (<= i 0) (filter (lambda (x) (number? x)) acc)
        (loop (- i 1) (let ((made (vector i))) acc)))))
(print (kept 2))  ; => (2 1)
