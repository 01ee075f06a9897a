;; sorting.lisp - what (import (srfi 132)) means: sorting and merging of lists
;; and vectors, their order first.
;;
;; All sorts are stable.  A procedure whose name ends in ! may reuse its list.
;; Optional starts and ends are indices, the ends excluded.

(define (%check-order who before?)
  "Raise an error unless it is a procedure."
  (unless (procedure? before?) (wrong-type who "a procedure" before?)))

(define (%check-vector who x)
  "Raise an error unless x is a vector."
  (unless (vector? x) (wrong-type who "a vector" x)))

(define (%bounds who items options)
  "(start . end) of a vector and optional indices; more options are left out."
  (%check-vector who items)
  (let* ((n (vector-length items))
         (start (if (pair? options) (car options) 0))
         (end (if (and (pair? options) (pair? (cdr options)))
                  (cadr options)
                  n)))
    (%check-index who start)
    (%check-index who end)
    (when (> end n) (%out-of-range who end n))
    (when (> start end)
      (error (string who ": the start is after the end:") start end))
    (cons start end)))

(define (%only-bounds who items options)
  "%bounds of at most two options."
  (when (> (length options) 2)
    (error (string who ": expected 2 to 4 arguments, got " (+ 2 (length options)))))
  (%bounds who items options))

;; Lists.

(define (list-sorted? before? items)
  "Whether a list is sorted."
  (%check-order "list-sorted?" before?)
  (%check-list "list-sorted?" items)
  (or (null? items)
      (let loop ((last (car items)) (left (cdr items)))
        (cond ((null? left) #t)
              ((before? (car left) last) #f)
              (else (loop (car left) (cdr left)))))))

(define (%sorted-list who before? items)
  "A new list of the items, sorted."
  (%check-order who before?)
  (%check-list who items)
  (sort items before?))

(define (list-sort before? items)
  "A new sorted list; elements of which neither is before the other keep their
  order.  (list-sort > '(1 3 2)) is (3 2 1)."
  (%sorted-list "list-sort" before? items))

(define (list-stable-sort before? items)
  "list-sort, which is stable, too."
  (%sorted-list "list-stable-sort" before? items))

(define (list-sort! before? items)
  "list-sort; it may reuse the list, so only the result counts."
  (%sorted-list "list-sort!" before? items))

(define (list-stable-sort! before? items)
  "list-sort; it may reuse the list, so only the result counts."
  (%sorted-list "list-stable-sort!" before? items))

(define (%merged who before? one other)
  "The list of the elements of two sorted lists, sorted."
  (%check-order who before?)
  (%check-list who one)
  (%check-list who other)
  (merge one other before?))

(define (list-merge before? one other)
  "The sorted list of the elements of two sorted lists; of elements of which
  neither is before the other, those of the first list come first."
  (%merged "list-merge" before? one other))

(define (list-merge! before? one other)
  "list-merge; it may reuse the lists, so only the result counts."
  (%merged "list-merge!" before? one other))

(define (%without-neighbors who same? items)
  "The list without elements that are the same as the one kept before them."
  (%check-order who same?)
  (%check-list who items)
  (if (null? items)
      '()
      (let loop ((left (cdr items)) (kept (list (car items))))
        (cond ((null? left) (reverse kept))
              ((same? (car kept) (car left)) (loop (cdr left) kept))
              (else (loop (cdr left) (cons (car left) kept)))))))

(define (list-delete-neighbor-dups same? items)
  "The list with only the first of neighbours that are the same:
  (list-delete-neighbor-dups = '(1 1 2 1)) is (1 2 1)."
  (%without-neighbors "list-delete-neighbor-dups" same? items))

(define (list-delete-neighbor-dups! same? items)
  "list-delete-neighbor-dups; it may reuse the list, so only the result counts."
  (%without-neighbors "list-delete-neighbor-dups!" same? items))

;; Vectors.

(define (vector-sorted? before? items . range)
  "Whether the elements from start to end are sorted."
  (%check-order "vector-sorted?" before?)
  (let* ((part (%only-bounds "vector-sorted?" items range)) (end (cdr part)))
    (let loop ((k (+ (car part) 1)))
      (cond ((>= k end) #t)
            ((before? (vector-ref items k) (vector-ref items (- k 1))) #f)
            (else (loop (+ k 1)))))))

(define (%sorted-part who before? items range)
  "A new vector of the elements of a range, sorted."
  (%check-order who before?)
  (let ((part (%only-bounds who items range)))
    (sort (vector-copy items (car part) (cdr part)) before?)))

(define (vector-sort before? items . range)
  "A new vector of the elements from start to end, sorted; elements of which
  neither is before the other keep their order."
  (%sorted-part "vector-sort" before? items range))

(define (vector-stable-sort before? items . range)
  "vector-sort, which is stable, too."
  (%sorted-part "vector-stable-sort" before? items range))

(define (%sort-range! who before? items range)
  "Sort the elements of a range in place."
  (let ((start (car (%only-bounds who items range))))
    (vector-copy! items start (%sorted-part who before? items range))
    (if #f #f)))

(define (vector-sort! before? items . range)
  "Sort the elements from start to end in place; elements of which neither is
  before the other keep their order."
  (%sort-range! "vector-sort!" before? items range))

(define (vector-stable-sort! before? items . range)
  "vector-sort!, which is stable, too."
  (%sort-range! "vector-stable-sort!" before? items range))

(define (%merge-into! before? to k one part other other-part)
  "Write the elements of two sorted ranges into a vector from index k on."
  (let ((end (cdr part)) (other-end (cdr other-part)))
    (let loop ((i (car part)) (j (car other-part)) (k k))
      (cond ((= i end) (vector-copy! to k other j other-end))
            ((= j other-end) (vector-copy! to k one i end))
            ((before? (vector-ref other j) (vector-ref one i))
             (vector-set! to k (vector-ref other j))
             (loop i (+ j 1) (+ k 1)))
            (else
             (vector-set! to k (vector-ref one i))
             (loop (+ i 1) j (+ k 1)))))))

(define (%second-bounds options)
  "The options after a start and an end."
  (if (and (pair? options) (pair? (cdr options))) (cddr options) '()))

(define (vector-merge before? one other . ranges)
  "A new vector of the elements of two sorted vectors, sorted.  ranges are a
  start and an end of the first vector, and then of the second one."
  (%check-order "vector-merge" before?)
  (let* ((part (%bounds "vector-merge" one ranges))
         (other-part
          (%only-bounds "vector-merge" other (%second-bounds ranges)))
         (to (make-vector (+ (- (cdr part) (car part))
                             (- (cdr other-part) (car other-part))))))
    (%merge-into! before? to 0 one part other other-part)
    to))

(define (vector-merge! before? to one other . ranges)
  "Write the elements of two sorted vectors, sorted, into a third one.  ranges
  are a start in it, and a start and an end of each of the two."
  (%check-order "vector-merge!" before?)
  (%check-vector "vector-merge!" to)
  (let* ((start (if (pair? ranges) (car ranges) 0))
         (rest (if (pair? ranges) (cdr ranges) '()))
         (part (%bounds "vector-merge!" one rest))
         (other-part (%only-bounds "vector-merge!" other (%second-bounds rest)))
         (end (begin
                (%check-index "vector-merge!" start)
                (+ start (- (cdr part) (car part))
                   (- (cdr other-part) (car other-part))))))
    (when (> end (vector-length to))
      (%out-of-range "vector-merge!" end (vector-length to)))
    (%merge-into! before? to start one part other other-part)
    (if #f #f)))

(define (vector-delete-neighbor-dups same? items . range)
  "A new vector of the elements from start to end, with only the first of
  neighbours that are the same."
  (%check-order "vector-delete-neighbor-dups" same?)
  (let ((part (%only-bounds "vector-delete-neighbor-dups" items range)))
    (list->vector
     (list-delete-neighbor-dups
      same? (vector->list items (car part) (cdr part))))))

(define (vector-delete-neighbor-dups! same? items . range)
  "Keep only the first of neighbours that are the same between start and end,
  moved together, and return the index after the last of them."
  (%check-order "vector-delete-neighbor-dups!" same?)
  (let* ((part (%only-bounds "vector-delete-neighbor-dups!" items range))
         (start (car part))
         (end (cdr part)))
    (if (= start end)
        end
        (let loop ((k (+ start 1)) (last start))
          (cond ((= k end) (+ last 1))
                ((same? (vector-ref items last) (vector-ref items k))
                 (loop (+ k 1) last))
                (else
                 (vector-set! items (+ last 1) (vector-ref items k))
                 (loop (+ k 1) (+ last 1))))))))

;; Medians and selection.

(define (%median sorted knil mean)
  "The median of a sorted vector; knil if it is empty."
  (let* ((n (vector-length sorted)) (half (quotient n 2)))
    (cond ((= n 0) knil)
          ((odd? n) (vector-ref sorted half))
          (else (mean (vector-ref sorted (- half 1)) (vector-ref sorted half))))))

(define (%mean a b)
  "Half of the sum."
  (/ (+ a b) 2))

(define (vector-find-median before? items knil . mean)
  "The median of a vector; knil if it is empty.  Of the two in the middle, it is
  (mean a b), by default half of their sum."
  (%check-order "vector-find-median" before?)
  (%check-vector "vector-find-median" items)
  (%median (sort items before?)
           knil
           (%optional "vector-find-median" 3 mean %mean)))

(define (vector-find-median! before? items knil . mean)
  "vector-find-median that sorts the vector itself."
  (%check-order "vector-find-median!" before?)
  (%check-vector "vector-find-median!" items)
  (%median (%sort-all! items before?)
           knil
           (%optional "vector-find-median!" 3 mean %mean)))

(define (%partition! before? items start end)
  "Move what is before a pivot to the front of a range, and what is after it to
  the back.  Returns (low . high), the range of the others."
  (let ((pivot (vector-ref items (quotient (+ start end) 2))))
    (let loop ((k start) (low start) (high end))
      (cond ((= k high) (cons low high))
            ((before? (vector-ref items k) pivot)
             (vector-swap! items k low)
             (loop (+ k 1) (+ low 1) high))
            ((before? pivot (vector-ref items k))
             (vector-swap! items k (- high 1))
             (loop k low (- high 1)))
            (else (loop (+ k 1) low high))))))

(define %most-rounds 40)   ; of partitions; then pivots are bad, and it sorts

(define (%select! before? items k start end)
  "Move the element that index k has in the sorted range there; none after it is
  before it, and it is before none that stands before it."
  (let loop ((start start) (end end) (rounds %most-rounds))
    (cond ((<= (- end start) 1))
          ((= rounds 0) (vector-sort! before? items start end))
          (else
           (let ((part (%partition! before? items start end)))
             (cond ((< k (car part)) (loop start (car part) (- rounds 1)))
                   ((>= k (cdr part)) (loop (cdr part) end (- rounds 1)))))))))

(define (vector-select! before? items k . range)
  "The element that index k has among the sorted elements from start to end;
  (vector-select! < v 0) is the least.  It reorders the elements."
  (%check-order "vector-select!" before?)
  (let* ((part (%only-bounds "vector-select!" items range))
         (count (- (cdr part) (car part))))
    (%check-index "vector-select!" k)
    (when (>= k count) (%out-of-range "vector-select!" k count))
    (%select! before? items (+ (car part) k) (car part) (cdr part))
    (vector-ref items (+ (car part) k))))

(define (vector-separate! before? items k . range)
  "Reorder the elements from start to end so that the first k of them are the
  least."
  (%check-order "vector-separate!" before?)
  (let* ((part (%only-bounds "vector-separate!" items range))
         (count (- (cdr part) (car part))))
    (%check-index "vector-separate!" k)
    (when (> k count) (%out-of-range "vector-separate!" k count))
    (when (< 0 k count)
      (%select! before? items (+ (car part) k) (car part) (cdr part)))
    (if #f #f)))
