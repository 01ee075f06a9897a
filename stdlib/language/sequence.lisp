;; sequence.lisp - vectors, element by element.

(define (%check-vector who x)
  "Raise an error unless x is a vector."
  (unless (vector? x)
    (wrong-type who "a vector" x)))

(define (%vector-size who x)
  "The length of a vector; an error if it is not a vector."
  (%check-vector who x)
  (vector-length x))

(define (vector-map f items . more)
  "The vector of the results of f on each element, or on elements side by side."
  (cond ((null? more)
         (%check-vector "vector-map" items)
         (let* ((n (vector-length items))
                (results (make-vector n)))
           (let loop ((k 0))
             (if (= k n)
                 results
                 (begin
                   (vector-set! results k (f (vector-ref items k)))
                   (loop (+ k 1)))))))
        ((null? (cdr more)) (%vector-map-two f items (car more)))
        (else
         (list->vector
          (apply map f (%vectors->lists "vector-map" (cons items more)))))))

(define (%vector-map-two f items others)
  "vector-map of two vectors."
  (let* ((n (%shorter-size "vector-map" items others))
         (results (make-vector n)))
    (let loop ((k 0))
      (if (= k n)
          results
          (begin
            (vector-set! results k (f (vector-ref items k) (vector-ref others k)))
            (loop (+ k 1)))))))

(define (%shorter-size who items others)
  "The length of the shorter of two vectors."
  (let* ((size (%vector-size who items))
         (other (%vector-size who others)))
    (if (< other size) other size)))

(define (vector-for-each f items . more)
  "Call f on each element in order, or on elements side by side."
  (cond ((null? more)
         (%check-vector "vector-for-each" items)
         (let ((n (vector-length items)))
           (let loop ((k 0))
             (when (< k n)
               (f (vector-ref items k))
               (loop (+ k 1))))))
        ((null? (cdr more)) (%vector-for-each-two f items (car more)))
        (else
         (apply for-each f
                (%vectors->lists "vector-for-each" (cons items more))))))

(define (%vector-for-each-two f items others)
  "vector-for-each of two vectors."
  (let ((n (%shorter-size "vector-for-each" items others)))
    (let loop ((k 0))
      (when (< k n)
        (f (vector-ref items k) (vector-ref others k))
        (loop (+ k 1))))))

(define (%vectors->lists who vectors)
  "The elements of each vector as a list."
  (map (lambda (x) (%check-vector who x) (vector->list x)) vectors))

;; Ranges of vectors, and searches.

(define (subvector items start end)
  "A new vector of the elements from start up to but without end."
  (vector-copy items start end))

(define (vector-grow items length)
  "A new vector of that length that begins with the elements; #f follows."
  (%check-vector "vector-grow" items)
  (%check-index "vector-grow" length)
  (when (< length (vector-length items))
    (%out-of-range "vector-grow" length (vector-length items)))
  (let ((grown (make-vector length #f)))
    (vector-copy! grown 0 items)
    grown))

(define (vector-swap! items i k)
  "Exchange two elements."
  (let ((x (vector-ref items i)))
    (vector-set! items i (vector-ref items k))
    (vector-set! items k x)))

(define (vector-fold f initial items . more)
  "(f (f initial x) y) for a vector #(x y)."
  (if (null? more)
      (let ((n (%vector-size "vector-fold" items)))
        (let loop ((k 0) (result initial))
          (if (= k n) result (loop (+ k 1) (f result (vector-ref items k))))))
      (apply fold-left f initial
             (%vectors->lists "vector-fold" (cons items more)))))

(define (vector-index ok? items . more)
  "The index of the first element that ok? holds for, or #f."
  (if (null? more)
      (let ((n (%vector-size "vector-index" items)))
        (let loop ((k 0))
          (cond ((= k n) #f)
                ((ok? (vector-ref items k)) k)
                (else (loop (+ k 1))))))
      (%vector-search "vector-index" ok? (cons items more) 0 1)))

(define (vector-count ok? items . more)
  "How many elements ok? holds for."
  (let ((tally (lambda (n . elements) (if (apply ok? elements) (+ n 1) n))))
    (apply vector-fold tally 0 items more)))

(define (vector-binary-search items wanted compare)
  "The index of an element of a sorted vector for which (compare element
  wanted), which is negative, zero or positive, is zero; #f if there is none."
  (%check-vector "vector-binary-search" items)
  (let loop ((low 0) (high (vector-length items)))
    (if (= low high)
        #f
        (let* ((middle (quotient (+ low high) 2))
               (order (compare (vector-ref items middle) wanted)))
          (cond ((= order 0) middle)
                ((< order 0) (loop (+ middle 1) high))
                (else (loop low middle)))))))
