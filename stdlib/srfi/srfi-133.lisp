;; srfi-133.lisp - what SRFI 133, the vector library, has besides sequence.lisp.
;;
;; Where `range` stands, a start and an end may be given.  Of several vectors
;; the shortest says how far they are walked.

;; Making vectors.

(define (%unfold-into! f to k end step seeds)
  "Fill a vector from k up to but without end, by steps of 1 or -1."
  (let loop ((k k) (seeds seeds))
    (unless (= k end)
      (receive (x . next) (apply f k seeds)
        (vector-set! to k x)
        (loop (+ k step) next)))))

(define (vector-unfold f n . seeds)
  "A vector of n elements.  f is called with each index and the seeds, and gives
  the element and the seeds that follow, as several values."
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
  "Fill the part of a vector from start up to but without end as vector-unfold
  does."
  (let ((part (%vector-part "vector-unfold!" 4 items (list start end))))
    (%unfold-into! f items (car part) (cdr part) 1 seeds)))

(define (vector-unfold-right! f items start end . seeds)
  "Fill the part of a vector from end down to start."
  (let ((part (%vector-part "vector-unfold-right!" 4 items (list start end))))
    (%unfold-into! f items (- (cdr part) 1) (- (car part) 1) -1 seeds)))

(define (%vector-part who required items range)
  "(start . end): the part of a vector that two optional arguments mean."
  (%check-vector who items)
  (%part who required (vector-length items) range))

(define (vector-reverse-copy items . range)
  "A new vector of the elements of a part, the last one first."
  (let* ((part (%vector-part "vector-reverse-copy" 1 items range))
         (end (cdr part)))
    (vector-unfold (lambda (k) (vector-ref items (- end k 1)))
                   (- end (car part)))))

(define (vector-concatenate vectors)
  "The vectors of a list in a row."
  (apply vector-append vectors))

(define (vector-append-subvectors . parts)
  "The parts in a row: each is a vector, a start and an end."
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
  "A vector of the elements of a list, the last one first."
  (list->vector (%reversed "reverse-list->vector" items)))

(define (reverse-vector->list items . range)
  "The list of the elements of a part of a vector, the last one first."
  (let ((part (%vector-part "reverse-vector->list" 1 items range)))
    (reverse (vector->list items (car part) (cdr part)))))

;; Questions.

(define (vector-empty? items)
  "Whether a vector has no elements."
  (%check-vector "vector-empty?" items)
  (= (vector-length items) 0))

(define (vector= same? . vectors)
  "Whether the vectors have as many elements, the same by same? one by one."
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
  "The last index of vectors, which must be of one length."
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
  "The predicate that holds where ok? does not."
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
  "The vector of (f initial x), (f that y) ... for a vector #(x y ...)."
  (%check-vector "vector-cumulate" items)
  (vector-unfold (lambda (k last)
                   (let ((now (f last (vector-ref items k))))
                     (values now now)))
                 (vector-length items)
                 initial))

(define (vector-map! f items . more)
  "Put the results of f in the place of the elements of the first vector."
  (let* ((vectors (cons items more)) (n (%shortest "vector-map!" vectors)))
    (let loop ((k 0))
      (when (< k n)
        (vector-set! items k (apply f (%elements vectors k)))
        (loop (+ k 1))))))

;; In place.

(define (vector-reverse! items . range)
  "Turn a part of a vector round."
  (let ((part (%vector-part "vector-reverse!" 1 items range)))
    (let loop ((low (car part)) (high (- (cdr part) 1)))
      (when (< low high)
        (vector-swap! items low high)
        (loop (+ low 1) (- high 1))))))

(define (vector-reverse-copy! to at from . range)
  "Copy the elements of a part to another place, the last one first."
  (let ((part (%vector-part "vector-reverse-copy!" 3 from range)))
    (vector-copy! to at (vector-reverse-copy from (car part) (cdr part)))))
