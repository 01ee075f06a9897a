;; Vectors and records that die give their fields away, also in branches, and a
;; field that was read once is read again without a test.

(define (node color left key right) (vector color left key right))
(define (left tree) (vector-ref tree 1))
(define (key tree) (vector-ref tree 2))
(define (right tree) (vector-ref tree 3))

(define (insert tree new)
  (if (not tree)
      (node 'red #f new #f)
      (let ((l (left tree)) (k (key tree)) (r (right tree)))
        (cond ((string<? new k) (node (vector-ref tree 0) (insert l new) k r))
              ((string<? k new) (node (vector-ref tree 0) l k (insert r new)))
              (else tree)))))

(define (keys tree rest)
  (if tree
      (keys (left tree) (cons (key tree) (keys (right tree) rest)))
      rest))

(define tree
  (let loop ((words '("m" "c" "x" "a" "m" "d" "z")) (tree #f))
    (if (null? words) tree (loop (cdr words) (insert tree (string-copy (car words)))))))
(print (keys tree '()))  ; => (a c d m x z)
(print (keys (insert tree "b") '()))  ; => (a b c d m x z)
(print (keys tree '()))  ; => (a c d m x z)

(define-record-type point (make-point x y label) point?
  (x point-x set-point-x!) (y point-y) (label point-label))
(define (swap p)
  (let ((x (point-x p)) (y (point-y p)))
    (if (eq? x y) p (make-point y x (point-label p)))))
(define (moved p)
  (let ((label (point-label p)))
    (set-point-x! p "changed")
    (list label (point-x p))))
(define shared (make-point (list 1) (list 2) (string #\p)))
(print (point-x (swap shared)) (point-label (swap shared)))  ; => (2) p
(print (point-x (swap (make-point (list 3) (list 4) "q"))))  ; => (4)
(print (point-y (swap (swap (make-point (list 5) (list 6) "r")))))  ; => (6)
(print (moved (make-point (list 7) 8 (string #\s))))  ; => (s changed)

;; A field is kept on one path only, and an object that changes on another.
(define (choose v which)
  (let ((first (vector-ref v 0)) (second (vector-ref v 1)))
    (cond ((eq? which 'first) (list first))
          ((eq? which 'change) (vector-set! v 0 'new) (list first second (vector-ref v 0)))
          ((eq? which 'whole) v)
          (else (for-each (lambda (i) (vector-set! v i i)) '(0 1)) (list second v)))))
(define (fresh) (vector (string #\a) (string #\b)))
(print (map (lambda (which) (choose (fresh) which)) '(first change)))  ; => ((a) (a b new))
(print (map (lambda (which) (choose (fresh) which)) '(whole both)))  ; => (#(a b) (b #(0 1)))

;; A large double has an object of its own.
(define (sum v) (let ((a (vector-ref v 0)) (b (vector-ref v 1))) (if (> a b) (- a b) (+ a b))))
(print (sum (vector 1e300 1e299)) (sum (vector 1 (expt 10 30))))  ; => 9e299 1000000000000000000000000000001

(define (third v) (let ((a (vector-ref v 1))) (list a (vector-ref v 2))))
(print (guard (e (#t (error-object-message e)))
         (third (vector 1 2))))  ; => vector-ref: index 2 is out of range for length 2
(print (guard (e (#t (error-object-message e)))
         (swap (vector 1 2))))  ; => point-x: expected a point, got #(1 2)
