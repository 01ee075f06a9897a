;; sort.lisp - stable sorting of lists and vectors.
;;
;; Halves of a vector are sorted from one vector into the other and back, by
;; merging.  Elements of which neither is before the other keep their order.

(define (sort items before?)
  "A new sorted list or vector; elements of which neither is before? the other
  keep their order.  The arguments may be in either order."
  (cond ((vector? items) (sort! (vector-copy items) before?))
        ((and (not (procedure? items)) (vector? before?))     ; the other order
         (wrong-type "sort" "a procedure" items))
        ((%in-other-order? items before?) (sort before? items))
        (else
         (%check-list "sort" items)
         (vector->list (sort! (list->vector items) before?)))))

(define (%in-other-order? items before?)
  "Whether the procedure stands before the list or vector, as in SRFI 132."
  (and (procedure? items)
       (or (pair? before?) (null? before?) (vector? before?))))

(define (sort! items before?)
  "Sort a vector in place, and return it; for a list, return a new one.  The
  arguments may be in either order."
  (cond ((vector? items) (%sort-all! items before?))
        ((%in-other-order? items before?) (sort! before? items))
        (else (sort items before?))))

(define (list-sort before? items)
  "sort: the arguments are in the order of SRFI 132, or in the other one."
  (sort items before?))

(define (vector-sort before? items)
  "sort: the arguments are in the order of SRFI 132, or in the other one."
  (sort items before?))

(define (sorted? items before?)
  "Whether a list or vector is sorted."
  (let ((elements (if (vector? items) (vector->list items) items)))
    (or (null? elements)
        (let loop ((last (car elements)) (rest (cdr elements)))
          (cond ((null? rest) #t)
                ((before? (car rest) last) #f)
                (else (loop (car rest) (cdr rest))))))))

(define (merge one other before?)
  "Merge two sorted lists; of equal elements, the first list's come first."
  (let loop ((left one) (right other) (done '()))
    (cond ((null? left) (append-reverse done right))
          ((null? right) (append-reverse done left))
          ((before? (car right) (car left))
           (loop left (cdr right) (cons (car right) done)))
          (else (loop (cdr left) right (cons (car left) done))))))

(define (%sort-all! items before?)
  "Sort a vector in place, and return it."
  (let ((order (%plain-order before?)))
    (unless (and order (%sort-plain! items order))
      (%sort-part! (vector-copy items) items 0 (vector-length items) before?))
    items))

;; Vectors of numbers or strings in these orders are sorted without calls:
;; runtime/data/sort.c has the numbers, too.
(define (%plain-order before?)
  "The number of an order, or #f."
  (cond ((eq? before? <) 0)
        ((eq? before? >) 1)
        ((eq? before? string<?) 2)
        ((eq? before? string>?) 3)
        (else #f)))

(define %short-run 8)

(define (%sort-part! from to start end before?)
  "Sort the elements between start and end into `to`; `from` has the same
  elements, and is overwritten."
  (if (<= (- end start) %short-run)
      (%insert-all! to start end before?)
      (let ((middle (quotient (+ start end) 2)))
        (%sort-part! to from start middle before?)
        (%sort-part! to from middle end before?)
        (%merge-parts! from to start middle end before?))))

(define (%insert-all! items start end before?)
  "Sort a few elements of a vector by insertion."
  (let outer ((i (+ start 1)))
    (when (< i end)
      (let ((a (vector-ref items i)))
        (let inner ((k i))
          (if (and (> k start) (before? a (vector-ref items (- k 1))))
              (begin
                (vector-set! items k (vector-ref items (- k 1)))
                (inner (- k 1)))
              (vector-set! items k a))))
      (outer (+ i 1)))))

(define (%merge-parts! from to start middle end before?)
  "Merge two adjacent runs of one vector, split at middle, into another."
  (let loop ((left start) (right middle) (k start))
    (cond ((= left middle) (vector-copy! to k from right end))
          ((= right end) (vector-copy! to k from left middle))
          (else
           (let ((a (vector-ref from right)) (b (vector-ref from left)))
             (if (before? a b)
                 (begin
                   (vector-set! to k a)
                   (loop left (+ right 1) (+ k 1)))
                 (begin
                   (vector-set! to k b)
                   (loop (+ left 1) right (+ k 1)))))))))
