;; sequence.lisp - vectors and strings, element by element.

;; Vectors.

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

;; Strings.

(define (%check-string who x)
  "Raise an error unless x is a string."
  (unless (string? x)
    (wrong-type who "a string" x)))

(define (%strings->lists who texts)
  "The characters of each string as a list."
  (map (lambda (x) (%check-string who x) (string->list x)) texts))

(define (string-map f text . more)
  "The string of the characters that f gives for each character."
  (list->string
   (apply map f (%strings->lists "string-map" (cons text more)))))

(define (string-for-each f text . more)
  "Call f on each character in order, or on characters side by side."
  (apply for-each f (%strings->lists "string-for-each" (cons text more))))

(define (string-index text wanted)
  "The index of the first character that is or satisfies wanted, or #f."
  (%check-string "string-index" text)
  (let ((ok? (if (char? wanted) (lambda (c) (char=? c wanted)) wanted))
        (n (string-length text)))
    (let loop ((k 0))
      (cond ((= k n) #f)
            ((ok? (string-ref text k)) k)
            (else (loop (+ k 1)))))))
