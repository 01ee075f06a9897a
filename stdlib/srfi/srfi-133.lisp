;; srfi-133.lisp - the procedures of SRFI 133, the vector library, that are not
;; in sequence.lisp.
;;
;; `range` is an optional start and end.  The shortest of several vectors
;; determines how many elements are used.

;; Creating vectors.

(define (%unfold-into! f to k end step seeds)
  "Fill a vector from k up to but without end, by steps of 1 or -1."
  (let loop ((k k) (seeds seeds))
    (unless (= k end)
      (receive (x . next) (apply f k seeds)
        (vector-set! to k x)
        (loop (+ k step) next)))))

(define (vector-unfold f n . seeds)
  "A vector of n elements.  f is called with each index and the seeds, and
  returns the element and the next seeds, as several values."
  (%check-index "vector-unfold" n)
  (let ((made (make-vector n)))
    (%unfold-into! f made 0 n 1 seeds)
    made))

(define (vector-unfold-right f n . seeds)
  "vector-unfold, from the last index down to 0."
  (%check-index "vector-unfold-right" n)
  (let ((made (make-vector n)))
    (%unfold-into! f made (- n 1) -1 -1 seeds)
    made))

(define (vector-unfold! f items start end . seeds)
  "Fill a vector from start up to but without end as vector-unfold does."
  (let ((part (%vector-part "vector-unfold!" 4 items (list start end))))
    (%unfold-into! f items (car part) (cdr part) 1 seeds)))

(define (vector-unfold-right! f items start end . seeds)
  "Fill a vector from end down to start as vector-unfold-right does."
  (let ((part (%vector-part "vector-unfold-right!" 4 items (list start end))))
    (%unfold-into! f items (- (cdr part) 1) (- (car part) 1) -1 seeds)))

(define (%vector-part who required items range)
  "(start . end): the range of a vector that two optional arguments mean."
  (%check-vector who items)
  (%part who required (vector-length items) range))

(define (vector-reverse-copy items . range)
  "A new vector of the elements of a range, in reverse order."
  (let* ((part (%vector-part "vector-reverse-copy" 1 items range))
         (end (cdr part)))
    (vector-unfold (lambda (k) (vector-ref items (- end k 1)))
                   (- end (car part)))))

(define (vector-concatenate vectors)
  "The vectors of a list, appended."
  (apply vector-append vectors))

(define (vector-append-subvectors . parts)
  "The ranges, appended: each is a vector, a start and an end."
  (let loop ((rest parts) (copies '()))
    (cond ((null? rest) (vector-concatenate (reverse copies)))
          ((and (pair? (cdr rest)) (pair? (cddr rest)))
           (loop (cdddr rest)
                 (cons (vector-copy (car rest) (cadr rest) (caddr rest))
                       copies)))
          (else
           (error (string-append "vector-append-subvectors: expected a vector, "
                                 "a start and an end for each part, got")
                  rest)))))

(define (reverse-list->vector items)
  "A vector of the elements of a list, in reverse order."
  (list->vector (%reversed "reverse-list->vector" items)))

(define (reverse-vector->list items . range)
  "The list of the elements of a range of a vector, in reverse order."
  (let ((part (%vector-part "reverse-vector->list" 1 items range)))
    (reverse (vector->list items (car part) (cdr part)))))

;; Predicates and searches.

(define (vector-empty? items)
  "Whether a vector has no elements."
  (%check-vector "vector-empty?" items)
  (= (vector-length items) 0))

(define (vector= same? . vectors)
  "Whether the vectors have the same length, and elements that are same?."
  (for-each (lambda (items) (%check-vector "vector=" items)) vectors)
  (or (null? vectors)
      (%ordered? (lambda (items others) (%vector=? same? items others))
                 (car vectors)
                 (cdr vectors))))

(define (%vector=? same? items others)
  "vector= of two vectors."
  (let ((n (vector-length items)))
    (and (= n (vector-length others))
         (let loop ((k 0))
           (or (= k n)
               (and (same? (vector-ref items k) (vector-ref others k))
                    (loop (+ k 1))))))))

(define (%shortest who vectors)
  "The length of the shortest vector."
  (for-each (lambda (items) (%check-vector who items)) vectors)
  (apply min (map vector-length vectors)))

(define (%elements vectors k)
  "The elements of the vectors at an index."
  (map (lambda (items) (vector-ref items k)) vectors))

(define (%vector-search who ok? vectors k step)
  "The first index from k on, by steps of 1 or -1, at which ok? holds, or #f."
  (let ((end (if (> step 0) (%shortest who vectors) -1)))
    (let loop ((k k))
      (cond ((= k end) #f)
            ((apply ok? (%elements vectors k)) k)
            (else (loop (+ k step)))))))

(define (%last-index who vectors)
  "The last index of vectors, which must have the same length."
  (let ((n (%shortest who vectors)))
    (unless (every (lambda (items) (= (vector-length items) n)) vectors)
      (error (string-append who ": expected vectors of one length, got lengths")
             (map vector-length vectors)))
    (- n 1)))

(define (vector-index-right ok? items . more)
  "The index of the last element that ok? holds for, or #f."
  (let ((vectors (cons items more)))
    (%vector-search "vector-index-right" ok? vectors
             (%last-index "vector-index-right" vectors) -1)))

(define (%not ok?)
  "The negation of the predicate ok?."
  (lambda elements (not (apply ok? elements))))

(define (vector-skip ok? items . more)
  "The index of the first element that ok? does not hold for, or #f."
  (%vector-search "vector-skip" (%not ok?) (cons items more) 0 1))

(define (vector-skip-right ok? items . more)
  "The index of the last element that ok? does not hold for, or #f."
  (let ((vectors (cons items more)))
    (%vector-search "vector-skip-right" (%not ok?) vectors
             (%last-index "vector-skip-right" vectors) -1)))

(define (vector-any ok? items . more)
  "The first result of ok? on an element that is not #f, or #f."
  (let* ((vectors (cons items more)) (n (%shortest "vector-any" vectors)))
    (let loop ((k 0))
      (and (< k n)
           (or (apply ok? (%elements vectors k)) (loop (+ k 1)))))))

(define (vector-every ok? items . more)
  "#f if ok? is #f on some element, otherwise its result on the last."
  (let* ((vectors (cons items more)) (n (%shortest "vector-every" vectors)))
    (let loop ((k 0) (result #t))
      (if (= k n)
          result
          (let ((now (apply ok? (%elements vectors k))))
            (and now (loop (+ k 1) now)))))))

(define (vector-partition ok? items)
  "Two values: a vector of the elements that ok? holds for and then the others,
  and how many the former are."
  (receive (in out) (partition ok? (vector->list items))
    (values (list->vector (append in out)) (length in))))

;; Folds and maps.

(define (vector-fold-right f initial items . more)
  "(f (f initial y) x) for a vector #(x y)."
  (let ((vectors (cons items more)))
    (let loop ((k (- (%shortest "vector-fold-right" vectors) 1))
               (result initial))
      (if (< k 0)
          result
          (loop (- k 1) (apply f result (%elements vectors k)))))))

(define (vector-cumulate f initial items)
  "The vector of r1 = (f initial x), r2 = (f r1 y) ... for a vector #(x y ...)."
  (%check-vector "vector-cumulate" items)
  (vector-unfold (lambda (k last)
                   (let ((now (f last (vector-ref items k))))
                     (values now now)))
                 (vector-length items)
                 initial))

(define (vector-map! f items . more)
  "Replace the elements of the first vector by the results of f."
  (let* ((vectors (cons items more)) (n (%shortest "vector-map!" vectors)))
    (let loop ((k 0))
      (when (< k n)
        (vector-set! items k (apply f (%elements vectors k)))
        (loop (+ k 1))))))

;; Changes in place.

(define (vector-reverse! items . range)
  "Reverse a range of a vector in place."
  (let ((part (%vector-part "vector-reverse!" 1 items range)))
    (let loop ((low (car part)) (high (- (cdr part) 1)))
      (when (< low high)
        (vector-swap! items low high)
        (loop (+ low 1) (- high 1))))))

(define (vector-reverse-copy! to at from . range)
  "Copy the elements of a range, in reverse order, to a position of another
  vector."
  (let ((part (%vector-part "vector-reverse-copy!" 3 from range)))
    (vector-copy! to at (vector-reverse-copy from (car part) (cdr part)))))
