;; streams.lisp - what (import (srfi 41)) means: streams, lists whose elements
;; and rests are computed when they are first asked for.
;;
;; A stream holds a promise of the symbol `end`, or of a pair: a promise of the
;; first element, and the stream of the rest.

(define-record-type <stream>
  (%new-stream promise)
  stream?
  (promise %promise))

(define-syntax %lazy
  (syntax-rules ()
    ((_ expression) (%new-stream (delay-force (%promise-of expression))))))

(define (%promise-of x)
  "The promise of a stream."
  (if (stream? x) (%promise x) (wrong-type "stream-lambda" "a stream" x)))

(define (%content stream)
  "The pair of a stream, or `end`."
  (force (%promise stream)))

(define (%check-stream who x)
  "Raise an error unless x is a stream."
  (unless (stream? x) (wrong-type who "a stream" x)))

(define (%check-streams who streams)
  "Raise an error unless all are streams, and there are any."
  (when (null? streams)
    (error (string who ": expected a stream, got none")))
  (for-each (lambda (s) (%check-stream who s)) streams))

(define (%check-function who f)
  "Raise an error unless f is a procedure."
  (unless (procedure? f) (wrong-type who "a procedure" f)))

(define stream-null
  (%new-stream (make-promise 'end)))   ; the stream without elements

(define-syntax stream-cons
  "(stream-cons first rest): a stream of an element and a stream.  Both are
  evaluated when they are first asked for."
  (syntax-rules ()
    ((_ first rest)
     (%new-stream (make-promise (cons (delay first) (%lazy rest)))))))

(define (%put x rest)
  "The stream of a value and a stream."
  (%new-stream (make-promise (cons (make-promise x) rest))))

(define (stream-null? x)
  "Whether x is a stream without elements."
  (and (stream? x) (eq? (%content x) 'end)))

(define (stream-pair? x)
  "Whether x is a stream that has elements."
  (and (stream? x) (pair? (%content x))))

(define (stream-car stream)
  "The first element of a stream."
  (%check-stream "stream-car" stream)
  (let ((content (%content stream)))
    (if (pair? content)
        (force (car content))
        (error "stream-car: the stream has no elements"))))

(define (stream-cdr stream)
  "The stream after the first element."
  (%check-stream "stream-cdr" stream)
  (let ((content (%content stream)))
    (if (pair? content)
        (cdr content)
        (error "stream-cdr: the stream has no elements"))))

(define-syntax stream-lambda
  "(stream-lambda parameters form ...): a procedure that returns a stream, whose
  forms are evaluated when the stream's first element is asked for."
  (syntax-rules ()
    ((_ parameters form ...)
     (lambda parameters (%lazy (let () form ...))))))

(define-syntax define-stream
  "(define-stream (name . parameters) form ...): a definition of a
  stream-lambda."
  (syntax-rules ()
    ((_ (name . parameters) form ...)
     (define name (stream-lambda parameters form ...)))))

(define-syntax stream-let
  "(stream-let name ((variable value) ...) form ...): a named let whose
  procedure is a stream-lambda."
  (syntax-rules ()
    ((_ name ((variable value) ...) form ...)
     ((letrec ((name (stream-lambda (variable ...) form ...))) name)
      value ...))))

(define-syntax stream
  "(stream x ...): the stream of the values, each evaluated when it is first
  asked for."
  (syntax-rules ()
    ((_) stream-null)
    ((_ x y ...) (stream-cons x (stream y ...)))))

(define-syntax stream-match
  "(stream-match stream clause ...): the value of the first clause that matches;
  a clause is (pattern expression) or (pattern test expression).  A pattern is
  (), (first ...), (first ... . rest) or a variable; _ matches anything."
  (syntax-rules ()
    ((_ expression clause ...)
     (let ((s expression))
       (%check-stream "stream-match" s)
       (%stream-clauses s clause ...)))))

(define-syntax %stream-clauses
  (syntax-rules ()
    ((_ s) (error "stream-match: no pattern matches"))
    ((_ s (pattern result ...) clause ...)
     (let ((next (lambda () (%stream-clauses s clause ...))))
       (%stream-pattern s pattern next result ...)))))

(define-syntax %stream-pattern
  (syntax-rules (_)
    ((%stream-pattern s () next result ...)
     (if (stream-null? s) (%stream-result next result ...) (next)))
    ((%stream-pattern s (_ . others) next result ...)
     (if (stream-pair? s)
         (let ((rest (stream-cdr s)))
           (%stream-pattern rest others next result ...))
         (next)))
    ((%stream-pattern s ((head . tail) . others) next result ...)
     (syntax-error "stream-match: expected a variable for an element, got"
                   (head . tail)))
    ((%stream-pattern s (first . others) next result ...)
     (if (stream-pair? s)
         (let ((first (stream-car s)) (rest (stream-cdr s)))
           (%stream-pattern rest others next result ...))
         (next)))
    ((%stream-pattern s _ next result ...)
     (%stream-result next result ...))
    ((%stream-pattern s variable next result ...)
     (let ((variable s)) (%stream-result next result ...)))))

(define-syntax %stream-result
  (syntax-rules ()
    ((_ next expression) expression)
    ((_ next test expression) (if test expression (next)))))

(define-syntax stream-of
  "(stream-of expression clause ...): the stream of the expression's values for
  all values of the clauses' variables.  A clause is (x in stream), (x is
  value), or a test.  (stream-of (* x x) (x in (stream-range 0 10)) (even? x))
  has the squares of even numbers."
  (syntax-rules ()
    ((_ expression clause ...)
     (%stream-of expression stream-null clause ...))))

(define-syntax %stream-of
  (syntax-rules (in is)
    ((_ expression base) (stream-cons expression base))
    ((_ expression base (variable in source) clause ...)
     (stream-let loop ((s source))
       (if (stream-null? s)
           base
           (let ((variable (stream-car s)))
             (%stream-of expression (loop (stream-cdr s)) clause ...)))))
    ((_ expression base (variable is value) clause ...)
     (let ((variable value))
       (%stream-of expression base clause ...)))
    ((_ expression base test clause ...)
     (if test (%stream-of expression base clause ...) base))))

;; Conversions.

(define (list->stream items)
  "The stream of the elements of a list."
  (%check-list "list->stream" items)
  (stream-let loop ((left items))
    (if (null? left)
        stream-null
        (%put (car left) (loop (cdr left))))))

(define (port->stream . port)
  "The stream of the characters of a port, by default the current input."
  (let ((port (%optional "port->stream" 0 port (current-input-port))))
    (unless (input-port? port) (wrong-type "port->stream" "an input port" port))
    (stream-let loop ()
      (let ((c (read-char port)))
        (if (eof-object? c)
            stream-null
            (%put c (loop)))))))

(define (stream->list . arguments)
  "The list of the elements: (stream->list stream) of all, (stream->list n
  stream) of the first n, if there are so many."
  (let* ((count (and (pair? arguments) (pair? (cdr arguments)) (car arguments)))
         (stream (if (null? arguments) #f (last arguments))))
    (when count (%check-index "stream->list" count))
    (%check-stream "stream->list" stream)
    (let loop ((s stream) (n 0) (items '()))
      (if (or (eqv? n count) (stream-null? s))
          (reverse items)
          (loop (stream-cdr s) (+ n 1) (cons (stream-car s) items))))))

;; Streams of streams.

(define (stream-append . streams)
  "The stream of the elements of all streams, one stream after the other."
  (for-each (lambda (s) (%check-stream "stream-append" s)) streams)
  (stream-let loop ((streams streams))
    (cond ((null? streams) stream-null)
          ((null? (cdr streams)) (car streams))
          ((stream-null? (car streams)) (loop (cdr streams)))
          (else (stream-cons (stream-car (car streams))
                             (loop (cons (stream-cdr (car streams))
                                         (cdr streams))))))))

(define (stream-concat streams)
  "The stream of the elements of all streams of a stream."
  (%check-stream "stream-concat" streams)
  (stream-let loop ((streams streams))
    (if (stream-null? streams)
        stream-null
        (let ((s (stream-car streams)))
          (%check-stream "stream-concat" s)
          (if (stream-null? s)
              (loop (stream-cdr streams))
              (stream-cons (stream-car s)
                           (loop (stream-cons (stream-cdr s)
                                              (stream-cdr streams)))))))))

(define (stream-constant . items)
  "The stream of the items, again and again."
  (if (null? items)
      stream-null
      (stream-let loop ((left items))
        (if (null? left)
            (loop items)
            (%put (car left) (loop (cdr left)))))))

(define (stream-drop n stream)
  "The stream after its first n elements."
  (%check-index "stream-drop" n)
  (%check-stream "stream-drop" stream)
  (stream-let loop ((n n) (s stream))
    (if (or (= n 0) (stream-null? s))
        s
        (loop (- n 1) (stream-cdr s)))))

(define (stream-drop-while drop? stream)
  "The stream from the first element on of which drop? is not true."
  (%check-function "stream-drop-while" drop?)
  (%check-stream "stream-drop-while" stream)
  (stream-let loop ((s stream))
    (if (and (stream-pair? s) (drop? (stream-car s)))
        (loop (stream-cdr s))
        s)))

(define (stream-filter keep? stream)
  "The stream of the elements of which keep? is true."
  (%check-function "stream-filter" keep?)
  (%check-stream "stream-filter" stream)
  (stream-let loop ((s stream))
    (cond ((stream-null? s) stream-null)
          ((keep? (stream-car s))
           (stream-cons (stream-car s) (loop (stream-cdr s))))
          (else (loop (stream-cdr s))))))

(define (stream-fold f base stream)
  "(f result element) for each element; the result at first is the base."
  (%check-function "stream-fold" f)
  (%check-stream "stream-fold" stream)
  (let loop ((result base) (s stream))
    (if (stream-null? s)
        result
        (loop (f result (stream-car s)) (stream-cdr s)))))

(define (stream-for-each f . streams)
  "Call f on the elements of the streams, until one of them ends."
  (%check-function "stream-for-each" f)
  (%check-streams "stream-for-each" streams)
  (let loop ((streams streams))
    (unless (any stream-null? streams)
      (apply f (map stream-car streams))
      (loop (map stream-cdr streams)))))

(define (stream-from first . step)
  "The stream of the numbers from first on, in steps, by default 1."
  (let ((step (%optional "stream-from" 1 step 1)))
    (unless (number? first) (wrong-type "stream-from" "a number" first))
    (unless (number? step) (wrong-type "stream-from" "a number" step))
    (stream-let loop ((n first))
      (%put n (loop (+ n step))))))

(define (stream-iterate f base)
  "The stream of base, (f base), (f (f base)) ..."
  (%check-function "stream-iterate" f)
  (stream-let loop ((x base))
    (stream-cons x (loop (f x)))))

(define (stream-length stream)
  "How many elements a stream has."
  (%check-stream "stream-length" stream)
  (let loop ((n 0) (s stream))
    (if (stream-null? s) n (loop (+ n 1) (stream-cdr s)))))

(define (stream-map f . streams)
  "The stream of the results of f on the elements of the streams, until one of
  them ends."
  (%check-function "stream-map" f)
  (%check-streams "stream-map" streams)
  (stream-let loop ((streams streams))
    (if (any stream-null? streams)
        stream-null
        (stream-cons (apply f (map stream-car streams))
                     (loop (map stream-cdr streams))))))

(define (stream-range first past . step)
  "The stream of the numbers from first to past, which is excluded, in steps, by
  default 1, or -1 if past is below first."
  (for-each (lambda (x)
              (unless (number? x) (wrong-type "stream-range" "a number" x)))
            (cons* first past step))
  (let* ((step (%optional "stream-range" 2 step (if (< first past) 1 -1)))
         (inside? (if (negative? step) > <)))
    (stream-let loop ((n first))
      (if (inside? n past)
          (%put n (loop (+ n step)))
          stream-null))))

(define (stream-ref stream n)
  "The element at an index."
  (%check-stream "stream-ref" stream)
  (%check-index "stream-ref" n)
  (let loop ((k n) (s stream))
    (cond ((stream-null? s) (error "stream-ref: the stream has no element" n))
          ((= k 0) (stream-car s))
          (else (loop (- k 1) (stream-cdr s))))))

(define (stream-reverse stream)
  "The stream of the elements, the last one first."
  (%check-stream "stream-reverse" stream)
  (stream-let loop ((s stream) (reversed stream-null))
    (if (stream-null? s)
        reversed
        (loop (stream-cdr s) (stream-cons (stream-car s) reversed)))))

(define (stream-scan f base stream)
  "The stream of base, (f base first), (f of that and the second) ..."
  (%check-function "stream-scan" f)
  (%check-stream "stream-scan" stream)
  (stream-let loop ((result base) (s stream))
    (if (stream-null? s)
        (%put result stream-null)
        (stream-cons result
                     (loop (f result (stream-car s)) (stream-cdr s))))))

(define (stream-take n stream)
  "The stream of the first n elements, if there are so many."
  (%check-index "stream-take" n)
  (%check-stream "stream-take" stream)
  (stream-let loop ((n n) (s stream))
    (if (or (= n 0) (stream-null? s))
        stream-null
        (stream-cons (stream-car s) (loop (- n 1) (stream-cdr s))))))

(define (stream-take-while keep? stream)
  "The stream up to the first element of which keep? is not true."
  (%check-function "stream-take-while" keep?)
  (%check-stream "stream-take-while" stream)
  (stream-let loop ((s stream))
    (if (and (stream-pair? s) (keep? (stream-car s)))
        (stream-cons (stream-car s) (loop (stream-cdr s)))
        stream-null)))

(define (stream-unfold mapper more? generator base)
  "The stream of (mapper base), (mapper (generator base)) ..., as long as more?
  is true of the base."
  (for-each (lambda (f) (%check-function "stream-unfold" f))
            (list mapper more? generator))
  (stream-let loop ((base base))
    (if (more? base)
        (stream-cons (mapper base) (loop (generator base)))
        stream-null)))

(define (stream-unfolds generator seed)
  "Several streams as multiple values.  (generator seed) returns the next seed,
  and for each stream (x) for a next element, () for its end, or #f for
  nothing yet."
  (%check-function "stream-unfolds" generator)
  (letrec ((results (stream-lambda (seed)   ; a stream of lists
             (call-with-values
              (lambda () (generator seed))
              (lambda (next . items)
                (stream-cons items (results next)))))))
    (let* ((all (results seed))
           (count (length (stream-car all))))
      (apply values
             (map (lambda (k)
                    (stream-let loop ((s all))
                      (let ((item (list-ref (stream-car s) k)))
                        (cond ((pair? item)
                               (stream-cons (car item) (loop (stream-cdr s))))
                              ((null? item) stream-null)
                              (else (loop (stream-cdr s)))))))
                  (iota count))))))

(define (stream-zip . streams)
  "The stream of lists of the elements of the streams, until one of them ends."
  (%check-streams "stream-zip" streams)
  (apply stream-map list streams))
