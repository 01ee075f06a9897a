;; sequence.lisp - vectors, element by element.

(define (%check-vector who x)
  "Raise an error unless x is a vector."
  (unless (vector? x)
    (wrong-type who "a vector" x)))

(define (vector-map f items . more)
  "The vector of the results of f on each element, or on elements side by side."
  (if (null? more)
      (begin
        (%check-vector "vector-map" items)
        (let* ((n (vector-length items))
               (results (make-vector n)))
          (let loop ((k 0))
            (if (= k n)
                results
                (begin
                  (vector-set! results k (f (vector-ref items k)))
                  (loop (+ k 1)))))))
      (list->vector
       (apply map f (%vectors->lists "vector-map" (cons items more))))))

(define (vector-for-each f items . more)
  "Call f on each element in order, or on elements side by side."
  (if (null? more)
      (begin
        (%check-vector "vector-for-each" items)
        (let ((n (vector-length items)))
          (let loop ((k 0))
            (when (< k n)
              (f (vector-ref items k))
              (loop (+ k 1))))))
      (apply for-each f
             (%vectors->lists "vector-for-each" (cons items more)))))

(define (%vectors->lists who vectors)
  "The elements of each vector as a list."
  (map (lambda (x) (%check-vector who x) (vector->list x)) vectors))
