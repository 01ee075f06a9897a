;; default-equality.lisp - the equality, order and hash of SRFI 128's default
;; comparator.
;;
;; It differs from equal? in numbers, which are compared by =, and in values of
;; registered types.  Hash tables search by it as by equal? while all their keys
;; are plain: see hash-keying.lisp.

(define %default-registered '())   ; the first registered first: vectors of four procedures

(define (%register-default! has-type? same? before? hash)
  "Add a type."
  (set! %default-registered
        (append %default-registered (list (vector has-type? same? before? hash)))))

(define %registered-rank 9)   ; the rank of the first registered comparator

(define (%rank x)
  "Where the type of x is among all types; #f if it is unknown."
  (cond ((null? x) 0)
        ((pair? x) 1)
        ((boolean? x) 2)
        ((char? x) 3)
        ((string? x) 4)
        ((symbol? x) 5)
        ((number? x) 6)
        ((vector? x) 7)
        ((bytevector? x) 8)
        (else
         (let ((k (list-index (lambda (c) ((vector-ref c 0) x))
                              %default-registered)))
           (and k (+ %registered-rank k))))))

(define (%registered-part k rank)
  "A procedure that was registered for the values of a rank."
  (vector-ref (list-ref %default-registered (- rank %registered-rank)) k))

(define (%default-equal? a b)
  "Whether two values are equal by the default comparator."
  (if (or (string? a) (symbol? a) (and (exact-integer? a) (exact-integer? b)))
      (equal? a b)
      (%equal-by-rank? a b)))

(define (%equal-by-rank? a b)
  (let ((rank (%rank a)))
    (and (eqv? rank (%rank b))
         (case rank
           ((1) (and (%default-equal? (car a) (car b))
                     (%default-equal? (cdr a) (cdr b))))
           ((6) (= a b))
           ((7) (let ((n (vector-length a)))
                  (and (= n (vector-length b))
                       (let loop ((k 0))
                         (or (= k n)
                             (and (%default-equal? (vector-ref a k)
                                                   (vector-ref b k))
                                  (loop (+ k 1))))))))
           ((0 2 3 4 5 8 #f) (equal? a b))
           (else ((%registered-part 1 rank) a b))))))

(define (%default-before? a b)
  "Whether a is before b by the default comparator."
  (cond ((and (exact-integer? a) (exact-integer? b)) (< a b))
        ((and (string? a) (string? b)) (string<? a b))
        (else (%before-by-rank? a b))))

(define (%before-by-rank? a b)
  (let ((rank (%known-rank a)) (other (%known-rank b)))
    (cond ((< rank other) #t)
          ((> rank other) #f)
          (else
           (case rank
             ((0) #f)
             ((1) (if (%default-equal? (car a) (car b))
                      (%default-before? (cdr a) (cdr b))
                      (%default-before? (car a) (car b))))
             ((2) (and (not a) b))
             ((3) (char<? a b))
             ((4) (string<? a b))
             ((5) (symbol<? a b))
             ((6) (< a b))
             ((7) (%vector-before? a b))
             ((8) (%bytes-before? a b))
             (else ((%registered-part 2 rank) a b)))))))

(define (%known-rank x)
  "The rank of x, which must have one."
  (or (%rank x)
      (error "make-default-comparator: no order is registered for:" x)))

(define (%vector-before? a b)
  "Whether a vector is shorter than b, or as long and before it."
  (let ((n (vector-length a)) (m (vector-length b)))
    (if (= n m)
        (let loop ((k 0))
          (cond ((= k n) #f)
                ((%default-equal? (vector-ref a k) (vector-ref b k))
                 (loop (+ k 1)))
                (else (%default-before? (vector-ref a k) (vector-ref b k)))))
        (< n m))))

(define (%bytes-before? a b)
  "Whether a bytevector is shorter than b, or as long and before it."
  (let ((n (bytevector-length a)) (m (bytevector-length b)))
    (if (= n m)
        (let loop ((k 0))
          (and (< k n)
               (let ((x (bytevector-u8-ref a k)) (y (bytevector-u8-ref b k)))
                 (if (= x y) (loop (+ k 1)) (< x y)))))
        (< n m))))

(define (%any? x)
  "#t: the type test of comparators of all values, by which they are known."
  #t)

(define (%default-hash x)
  "A hash of any value: the same for those that the default comparator calls
  equal."
  (cond ((string? x) (%hash-text x))
        ((symbol? x) (hash x))
        ((exact-integer? x) (%number-hash x))
        (else (%hash-by-rank x))))

(define (%hash-by-rank x)
  (case (%rank x)
    ((1) (let loop ((x x) (hash 10))   ; along the list, not into its rest
           (if (pair? x)
               (loop (cdr x) (%mixed hash (%default-hash (car x))))
               (%mixed hash (%default-hash x)))))
    ((6) (%number-hash x))
    ((7) (vector-fold (lambda (hash y) (%mixed hash (%default-hash y))) 11 x))
    ((0 2 3 4 5 8 #f) (hash x))
    (else => (lambda (rank) ((%registered-part 3 rank) x)))))
