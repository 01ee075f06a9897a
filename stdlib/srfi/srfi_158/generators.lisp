;; generators.lisp - what (import (srfi 158)) means: generators, procedures that
;; return their next value at each call, and then the end-of-file object.
;;
;; make-coroutine-generator is missing: it needs continuations that can be
;; entered again.

(define (%end? x)
  "Whether x ends a generator."
  (eof-object? x))

(define (%check-generator who x)
  "Raise an error unless x is a procedure."
  (unless (procedure? x) (wrong-type who "a generator" x)))

(define (%checked-list who items)
  "The list, if it is one."
  (%check-list who items)
  items)

(define (%slice-bounds who length options)
  "(start . end) of what has a length, and optional indices."
  (let* ((start (if (pair? options) (car options) 0))
         (end (if (and (pair? options) (pair? (cdr options)))
                  (cadr options)
                  length)))
    (%check-index who start)
    (%check-index who end)
    (when (> end length) (%out-of-range who end length))
    (when (> start end)
      (error (string who ": the start is after the end:") start end))
    (cons start end)))

;; Constructors.

(define (generator . items)
  "A generator of the items: (generator->list (generator 1 2)) is (1 2)."
  (list->generator items))

(define (circular-generator item . items)
  "A generator of the items, again and again."
  (let* ((all (cons item items)) (left all))
    (lambda ()
      (when (null? left) (set! left all))
      (let ((x (car left)))
        (set! left (cdr left))
        x))))

(define (make-iota-generator count . start-and-step)
  "A generator of count numbers from start, by default 0, in steps, by default
  1."
  (%check-index "make-iota-generator" count)
  (let* ((start (if (pair? start-and-step) (car start-and-step) 0))
         (step (if (and (pair? start-and-step) (pair? (cdr start-and-step)))
                   (cadr start-and-step)
                   1))
         (k 0))
    (lambda ()
      (if (< k count)
          (let ((x (+ start (* k step))))
            (set! k (+ k 1))
            x)
          (eof-object)))))

(define (make-range-generator start . end-and-step)
  "A generator of the numbers from start up to end, the end excluded, in steps,
  by default 1.  Without an end, it does not end."
  (let ((end (if (pair? end-and-step) (car end-and-step) #f))
        (step (if (and (pair? end-and-step) (pair? (cdr end-and-step)))
                  (cadr end-and-step)
                  1))
        (next start))
    (lambda ()
      (if (or (not end) (< next end))
          (let ((x next))
            (set! next (+ next step))
            x)
          (eof-object)))))

(define (list->generator items)
  "A generator of the elements of a list."
  (let ((left (%checked-list "list->generator" items)))
    (lambda ()
      (if (null? left)
          (eof-object)
          (let ((x (car left)))
            (set! left (cdr left))
            x)))))

(define (%indexed start end ref)
  "A generator of (ref start) ... (ref (- end 1))."
  (let ((k start))
    (lambda ()
      (if (< k end)
          (let ((x (ref k)))
            (set! k (+ k 1))
            x)
          (eof-object)))))

(define (vector->generator items . range)
  "A generator of the elements of a vector from start to end."
  (unless (vector? items) (wrong-type "vector->generator" "a vector" items))
  (let ((part (%slice-bounds "vector->generator" (vector-length items) range)))
    (%indexed (car part) (cdr part) (lambda (k) (vector-ref items k)))))

(define (reverse-vector->generator items . range)
  "A generator of the elements of a vector from start to end, the last one
  first."
  (unless (vector? items)
    (wrong-type "reverse-vector->generator" "a vector" items))
  (let* ((part (%slice-bounds "reverse-vector->generator"
                              (vector-length items) range))
         (top (+ (car part) (cdr part) -1)))
    (%indexed (car part) (cdr part) (lambda (k) (vector-ref items (- top k))))))

(define (string->generator text . range)
  "A generator of the characters of a string from start to end."
  (%check-string "string->generator" text)
  (let ((part (%slice-bounds "string->generator" (string-length text) range)))
    (%indexed (car part) (cdr part) (lambda (k) (string-ref text k)))))

(define (bytevector->generator bytes . range)
  "A generator of the bytes of a bytevector from start to end."
  (unless (bytevector? bytes)
    (wrong-type "bytevector->generator" "a bytevector" bytes))
  (let ((part (%slice-bounds "bytevector->generator"
                             (bytevector-length bytes) range)))
    (%indexed (car part) (cdr part) (lambda (k) (bytevector-u8-ref bytes k)))))

(define (make-for-each-generator walk items)
  "A generator of the elements that (walk f items) calls f on, as for-each,
  vector-for-each and string-for-each do.  It collects all of them when it is
  first called."
  (%check-generator "make-for-each-generator" walk)
  (let ((elements #f))
    (lambda ()
      (unless elements
        (let ((found '()))
          (walk (lambda (x) (set! found (cons x found))) items)
          (set! elements (list->generator (reverse found)))))
      (elements))))

(define (make-unfold-generator stop? mapper successor seed)
  "A generator of (mapper seed), (mapper (successor seed)) ..., until
  (stop? seed) is true."
  (lambda ()
    (if (stop? seed)
        (eof-object)
        (let ((x (mapper seed)))
          (set! seed (successor seed))
          x))))

;; Generators of generators.

(define (gcons* . items-and-generator)
  "A generator of the items, and then of the values of a generator, which is the
  last argument."
  (when (null? items-and-generator)
    (error "gcons*: expected at least 1 argument, got 0"))
  (let ((left items-and-generator))
    (%check-generator "gcons*" (last left))
    (lambda ()
      (if (pair? (cdr left))
          (let ((x (car left)))
            (set! left (cdr left))
            x)
          ((car left))))))

(define (gappend . generators)
  "A generator of the values of all generators, one generator after the other."
  (for-each (lambda (g) (%check-generator "gappend" g)) generators)
  (lambda ()
    (let loop ()
      (if (null? generators)
          (eof-object)
          (let ((x ((car generators))))
            (if (%end? x)
                (begin (set! generators (cdr generators)) (loop))
                x))))))

(define (gflatten generator)
  "A generator of the elements of all lists that a generator returns."
  (%check-generator "gflatten" generator)
  (let ((left '()))   ; of the latest list
    (lambda ()
      (let loop ()
        (cond ((pair? left)
               (let ((x (car left)))
                 (set! left (cdr left))
                 x))
              ((%end? left) left)
              ((null? left)
               (set! left (generator))
               (loop))
              (else (wrong-type "gflatten" "a generator of lists" left)))))))

(define (ggroup generator k . padding)
  "A generator of lists of k values.  The last list is shorter if values are
  missing, or filled up with the padding, if it is passed."
  (%check-generator "ggroup" generator)
  (%check-index "ggroup" k)
  (when (= k 0) (wrong-type "ggroup" "a positive exact integer" k))
  (lambda ()
    (let loop ((n 0) (group '()))
      (if (= n k)
          (reverse group)
          (let ((x (generator)))
            (cond ((not (%end? x)) (loop (+ n 1) (cons x group)))
                  ((null? group) x)
                  ((null? padding) (reverse group))
                  (else (append-reverse
                         group (make-list (- k n) (car padding))))))))))

(define (gmerge before? generator . generators)
  "A generator of the values of all generators, each of which is sorted, sorted:
  of values of which neither is before the other, those of the first generator
  come first."
  (%check-generator "gmerge" generator)
  (fold (lambda (other merged) (%merge-two before? merged other))
        generator
        generators))

(define (%merge-two before? one other)
  "gmerge of two generators."
  (%check-generator "gmerge" other)
  (let ((begun? #f) (a #f) (b #f))
    (lambda ()
      (unless begun?
        (set! begun? #t)
        (set! a (one))
        (set! b (other)))
      (if (or (%end? a) (and (not (%end? b)) (before? b a)))
          (let ((x b))
            (unless (%end? x) (set! b (other)))
            x)
          (let ((x a))
            (set! a (one))
            x)))))

(define (%next-of generators)
  "The list of the next value of each generator; the end if one has ended."
  (let loop ((left generators) (found '()))
    (if (null? left)
        (reverse found)
        (let ((x ((car left))))
          (if (%end? x) x (loop (cdr left) (cons x found)))))))

(define (gmap f generator . generators)
  "A generator of the results of f on the values of the generators, until one of
  them ends."
  (let ((all (cons generator generators)))
    (for-each (lambda (g) (%check-generator "gmap" g)) all)
    (lambda ()
      (let ((found (%next-of all)))
        (if (%end? found) found (apply f found))))))

(define (gcombine f seed generator . generators)
  "A generator of the first results of f on the values of the generators and a
  state, which is at first the seed, and then the second result of f."
  (let ((all (cons generator generators)) (state seed))
    (for-each (lambda (g) (%check-generator "gcombine" g)) all)
    (lambda ()
      (let ((items (%next-of all)))
        (if (%end? items)
            items
            (call-with-values
             (lambda () (apply f (append items (list state))))
             (lambda (x next)
               (set! state next)
               x)))))))

(define (gfilter keep? generator)
  "A generator of the values of which keep? is true."
  (%check-generator "gfilter" generator)
  (lambda ()
    (let loop ()
      (let ((x (generator)))
        (if (or (%end? x) (keep? x)) x (loop))))))

(define (gremove remove? generator)
  "A generator of the values of which remove? is not true."
  (gfilter (lambda (x) (not (remove? x))) generator))

(define (gstate-filter f seed generator)
  "A generator of the values of which the first result of (f value state) is
  true; the state is at first the seed, and then the second result."
  (%check-generator "gstate-filter" generator)
  (let ((state seed))
    (lambda ()
      (let loop ()
        (let ((x (generator)))
          (if (%end? x)
              x
              (let ((keep? (call-with-values
                            (lambda () (f x state))
                            (lambda (keep? next)
                              (set! state next)
                              keep?))))
                (if keep? x (loop)))))))))

(define (gtake generator k . padding)
  "A generator of the first k values.  If values are missing, it ends early, or
  is filled up with the padding, if it is passed."
  (%check-generator "gtake" generator)
  (%check-index "gtake" k)
  (let ((left k))
    (lambda ()
      (if (= left 0)
          (eof-object)
          (let ((x (generator)))
            (set! left (- left 1))
            (if (and (%end? x) (pair? padding)) (car padding) x))))))

(define (gdrop generator k)
  "A generator of the values after the first k."
  (%check-generator "gdrop" generator)
  (%check-index "gdrop" k)
  (let ((left k))
    (lambda ()
      (let loop ()
        (if (= left 0)
            (generator)
            (begin
              (set! left (- left 1))
              (if (%end? (generator))
                  (begin (set! left 0) (eof-object))
                  (loop))))))))

(define (gtake-while keep? generator)
  "A generator of the values up to the first of which keep? is not true."
  (%check-generator "gtake-while" generator)
  (let ((ended? #f))
    (lambda ()
      (let ((x (if ended? (eof-object) (generator))))
        (if (and (not (%end? x)) (keep? x))
            x
            (begin (set! ended? #t) (eof-object)))))))

(define (gdrop-while drop? generator)
  "A generator of the values from the first of which drop? is not true."
  (%check-generator "gdrop-while" generator)
  (let ((found? #f))
    (lambda ()
      (let loop ()
        (let ((x (generator)))
          (if (or found? (%end? x) (not (drop? x)))
              (begin (set! found? #t) x)
              (loop)))))))

(define (gdelete item generator . same)
  "A generator of the values that are not the same as the item; (same? item
  value) is by default equal?."
  (let ((same? (%optional "gdelete" 2 same equal?)))
    (gremove (lambda (x) (same? item x)) generator)))

(define (gdelete-neighbor-dups generator . same)
  "A generator of the values with only the first of neighbours that are the
  same; (same? kept value) is by default equal?."
  (%check-generator "gdelete-neighbor-dups" generator)
  (let ((same? (%optional "gdelete-neighbor-dups" 1 same equal?))
        (begun? #f)
        (last #f))
    (lambda ()
      (let loop ()
        (let ((x (generator)))
          (if (and begun? (not (%end? x)) (same? last x))
              (loop)
              (begin
                (set! begun? #t)
                (set! last x)
                x)))))))

(define (gindex generator indices)
  "A generator of the values of a generator at the indices that another one
  returns, each of which is above the one before."
  (%check-generator "gindex" generator)
  (%check-generator "gindex" indices)
  (let ((next 0))
    (lambda ()
      (let ((k (indices)))
        (if (%end? k)
            k
            (begin
              (%check-index "gindex" k)
              (when (< k next)
                (error "gindex: the index is not above the one before:" k))
              (let loop ()
                (let ((x (generator)))
                  (set! next (+ next 1))
                  (if (or (%end? x) (> next k)) x (loop))))))))))

(define (gselect generator truths)
  "A generator of the values of a generator for which another one returns a true
  value."
  (%check-generator "gselect" generator)
  (%check-generator "gselect" truths)
  (lambda ()
    (let loop ()
      (let ((found (%next-of (list generator truths))))
        (cond ((%end? found) found)
              ((cadr found) (car found))
              (else (loop)))))))

;; Consumers.

(define (%limited who generator options)
  "The generator of the first values, as many as an option says, or of all."
  (%check-generator who generator)
  (let ((k (%optional who 1 options #f)))
    (if k
        (begin (%check-index who k) (gtake generator k))
        generator)))

(define (%values-of generator)
  "The list of the values, the last one first."
  (let loop ((found '()))
    (let ((x (generator)))
      (if (%end? x) found (loop (cons x found))))))

(define (generator->list generator . k)
  "The list of the values of a generator, or of the first k."
  (reverse (%values-of (%limited "generator->list" generator k))))

(define (generator->reverse-list generator . k)
  "The list of the values of a generator, or of the first k, the last one
  first."
  (%values-of (%limited "generator->reverse-list" generator k)))

(define (generator->vector generator . k)
  "The vector of the values of a generator, or of the first k."
  (list->vector
   (reverse (%values-of (%limited "generator->vector" generator k)))))

(define (generator->vector! items at generator)
  "Write the values of a generator into a vector from an index on, until one of
  them ends.  Returns how many there were."
  (unless (vector? items) (wrong-type "generator->vector!" "a vector" items))
  (%check-index "generator->vector!" at)
  (%check-generator "generator->vector!" generator)
  (let ((end (vector-length items)))
    (when (> at end) (%out-of-range "generator->vector!" at end))
    (let loop ((k at))
      (if (= k end)
          (- k at)
          (let ((x (generator)))
            (if (%end? x)
                (- k at)
                (begin
                  (vector-set! items k x)
                  (loop (+ k 1)))))))))

(define (generator->string generator . k)
  "The string of the characters of a generator, or of the first k."
  (let ((chars (reverse (%values-of (%limited "generator->string" generator k)))))
    (for-each (lambda (c)
                (unless (char? c) (wrong-type "generator->string" "a character" c)))
              chars)
    (list->string chars)))

(define (generator-fold f seed generator . generators)
  "(f value ... result) for the values of the generators, until one ends; the
  result at first is the seed."
  (let ((all (cons generator generators)))
    (for-each (lambda (g) (%check-generator "generator-fold" g)) all)
    (let loop ((result seed))
      (let ((items (%next-of all)))
        (if (%end? items)
            result
            (loop (apply f (append items (list result)))))))))

(define (generator-map->list f generator . generators)
  "The list of the results of f on the values of the generators, until one
  ends."
  (generator->list (apply gmap f generator generators)))

(define (generator-for-each f generator . generators)
  "Call f on the values of the generators, until one ends."
  (let ((all (cons generator generators)))
    (for-each (lambda (g) (%check-generator "generator-for-each" g)) all)
    (let loop ()
      (let ((items (%next-of all)))
        (unless (%end? items)
          (apply f items)
          (loop))))))

(define (generator-find found? generator)
  "The first value of which found? is true; #f if there is none."
  (let ((x ((gfilter found? generator))))
    (if (%end? x) #f x)))

(define (generator-count counted? generator)
  "How many values there are of which counted? is true."
  (%check-generator "generator-count" generator)
  (generator-fold (lambda (x n) (if (counted? x) (+ n 1) n)) 0 generator))

(define (generator-any f generator)
  "The first true result of f on the values; #f if there is none."
  (%check-generator "generator-any" generator)
  (let loop ()
    (let ((x (generator)))
      (if (%end? x) #f (or (f x) (loop))))))

(define (generator-every f generator)
  "#f if a result of f on the values is, otherwise the last result; #t if there
  are no values."
  (%check-generator "generator-every" generator)
  (let loop ((last #t))
    (let ((x (generator)))
      (if (%end? x)
          last
          (let ((result (f x)))
            (and result (loop result)))))))

(define (generator-unfold generator unfold . arguments)
  "The result of (unfold stop? mapper successor seed argument ...) for the
  values of a generator: (generator-unfold g unfold) is their list."
  (%check-generator "generator-unfold" generator)
  (apply unfold eof-object? (lambda (x) x) (lambda (x) (generator))
         (generator) arguments))

;; Accumulators: procedures that take values, and return what they have made of
;; them when they are called with the end-of-file object.

(define (make-accumulator kons knil finalizer)
  "An accumulator of a state, at first knil, that becomes (kons value state).  Its
  result is (finalizer state)."
  (let ((state knil))
    (lambda (x)
      (if (%end? x)
          (finalizer state)
          (begin
            (set! state (kons x state))
            (if #f #f))))))

(define (count-accumulator)
  "An accumulator that counts its values."
  (make-accumulator (lambda (x n) (+ n 1)) 0 (lambda (n) n)))

(define (list-accumulator)
  "An accumulator of a list."
  (make-accumulator cons '() reverse))

(define (reverse-list-accumulator)
  "An accumulator of a list, the last value first."
  (make-accumulator cons '() (lambda (items) items)))

(define (vector-accumulator)
  "An accumulator of a vector."
  (make-accumulator cons '() (lambda (items) (list->vector (reverse items)))))

(define (reverse-vector-accumulator)
  "An accumulator of a vector, the last value first."
  (make-accumulator cons '() list->vector))

(define (%writing who size at result write!)
  "An accumulator that calls (write! k value) for k from an index on."
  (%check-index who at)
  (let ((k at))
    (lambda (x)
      (cond ((%end? x) result)
            ((>= k size) (%out-of-range who k size))
            (else
             (write! k x)
             (set! k (+ k 1))
             (if #f #f))))))

(define (vector-accumulator! items at)
  "An accumulator that writes its values into a vector from an index on."
  (unless (vector? items) (wrong-type "vector-accumulator!" "a vector" items))
  (%writing "vector-accumulator!" (vector-length items) at items
            (lambda (k x) (vector-set! items k x))))

(define (bytevector-accumulator! bytes at)
  "An accumulator that writes its values into a bytevector from an index on."
  (unless (bytevector? bytes)
    (wrong-type "bytevector-accumulator!" "a bytevector" bytes))
  (%writing "bytevector-accumulator!" (bytevector-length bytes) at bytes
            (lambda (k x) (bytevector-u8-set! bytes k x))))

(define (string-accumulator)
  "An accumulator of a string of characters."
  (let ((chars (list-accumulator)))
    (lambda (x)
      (cond ((%end? x) (list->string (chars x)))
            ((char? x) (chars x))
            (else (wrong-type "string-accumulator" "a character" x))))))

(define (bytevector-accumulator)
  "An accumulator of a bytevector."
  (let ((bytes (list-accumulator)))
    (lambda (x)
      (cond ((%end? x) (apply bytevector (bytes x)))
            ((and (exact-integer? x) (<= 0 x 255)) (bytes x))
            (else (wrong-type "bytevector-accumulator" "a byte" x))))))

(define (sum-accumulator)
  "An accumulator of the sum of its values."
  (make-accumulator + 0 (lambda (n) n)))

(define (product-accumulator)
  "An accumulator of the product of its values."
  (make-accumulator * 1 (lambda (n) n)))
