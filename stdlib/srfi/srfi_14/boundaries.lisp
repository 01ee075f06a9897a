;; boundaries.lisp - the code points of the sets of (import (srfi 14)).
;;
;; Ranges are a vector of boundaries in increasing order: the code points where a
;; set begins and where it ends, in turn.
;;
;;     a to f, and x  =>  #(97 103 120 121)

(define %all-ranges '#(0 #xd800 #xe000 #x110000))   ; without surrogates

(define (%ranges-of-codes codes)
  "The ranges of a list of code points in any order."
  (let loop ((left (sort codes <)) (bounds '()))
    (cond ((null? left) (list->vector (reverse bounds)))
          ((null? bounds) (loop (cdr left) (list (+ 1 (car left)) (car left))))
          ((< (car left) (car bounds)) (loop (cdr left) bounds))
          ((= (car left) (car bounds))
           (loop (cdr left) (cons (+ 1 (car left)) (cdr bounds))))
          (else (loop (cdr left)
                      (cons* (+ 1 (car left)) (car left) bounds))))))

(define (%ranges-of-property property)
  "The ranges of the characters with a property of %property-runs."
  (let* ((runs (%property-runs property)) (n (vector-length runs)))
    (let loop ((k 0) (bounds '()))
      (if (= k n)
          (list->vector (reverse bounds))
          (loop (+ k 3)
                (%with-run (vector-ref runs k)
                           (+ (vector-ref runs k) (vector-ref runs (+ k 1)))
                           (vector-ref runs (+ k 2))
                           bounds))))))

(define (%with-run first past step bounds)
  "Boundaries, the greatest first, and those of every step-th code from first to
  past, which is included."
  (let loop ((code first) (bounds bounds))
    (cond ((> code past) bounds)
          ((= step 1) (%with-range code (+ past 1) bounds))
          (else (loop (+ code step) (%with-range code (+ code 1) bounds))))))

(define (%with-range start end bounds)
  "Boundaries, the greatest first, and those of a range that begins at the
  greatest one or above it."
  (if (and (pair? bounds) (= (car bounds) start))
      (cons end (cdr bounds))
      (cons* end start bounds)))

(define (%next-code ranges code)
  "The least code point in the ranges from a code on; #f if there is none."
  (let ((k (%code-position ranges code)))
    (cond ((odd? k) code)
          ((< k (vector-length ranges)) (vector-ref ranges k))
          (else #f))))

(define (%combined in? a b)
  "The ranges of the code points for which (in? in-a in-b) is true."
  (let ((n (vector-length a)) (m (vector-length b)))
    (let loop ((i 0) (j 0) (inside #f) (bounds '()))
      (if (and (= i n) (= j m))
          (list->vector (reverse bounds))
          (let* ((x (if (< i n) (vector-ref a i) #x110001))
                 (y (if (< j m) (vector-ref b j) #x110001))
                 (code (min x y))
                 (i (if (= x code) (+ i 1) i))
                 (j (if (= y code) (+ j 1) j))
                 (now (in? (odd? i) (odd? j))))
            (loop i j now
                  (if (eq? now inside) bounds (cons code bounds))))))))

(define (%union a b)
  (%combined (lambda (in-a in-b) (or in-a in-b)) a b))

(define (%intersection a b)
  (%combined (lambda (in-a in-b) (and in-a in-b)) a b))

(define (%difference a b)
  (%combined (lambda (in-a in-b) (and in-a (not in-b))) a b))

(define (%exclusive-or a b)
  (%combined (lambda (in-a in-b) (not (eq? in-a in-b))) a b))

(define (%size-of-ranges ranges)
  "How many code points there are in the ranges."
  (let loop ((k (vector-length ranges)) (size 0))
    (if (= k 0)
        size
        (loop (- k 2)
              (+ size (- (vector-ref ranges (- k 1))
                         (vector-ref ranges (- k 2))))))))

(define (%fold-ranges f seed ranges)
  "(f code result) for each code point, from the least on."
  (let ((n (vector-length ranges)))
    (let loop ((k 0) (result seed))
      (if (= k n)
          result
          (let ((end (vector-ref ranges (+ k 1))))
            (let inside ((code (vector-ref ranges k)) (result result))
              (if (= code end)
                  (loop (+ k 2) result)
                  (inside (+ code 1) (f code result)))))))))
