;; values.lisp - the values of LispE: lists that are arrays, and dictionaries.
;;
;; A LispE list is a record of its kind, a vector and a count, because `push`
;; changes the list itself; integers, floats, numbers, shorts and strings are
;; lists that convert what they take.  A dictionary is a hash table.
;; Names that Scheme has too begin with lispe: here.

(define-record-type %lispe-list (%make-list kind items count)
  %list?
  (kind %list-kind)
  (items %list-items %set-list-items!)
  (count %list-count %set-list-count!))

(define-record-type %lispe-error (%make-error text) %error? (text %error-text))

(define (%fail . parts)
  "Raise the error whose message is the parts, after what LispE's begin with."
  (error (apply string "Error: " parts)))

;; Lists.

(define (%new-list kind items)
  "A list of a kind with the elements of a Scheme list, converted."
  (let ((vector (list->vector (if (eq? kind 'list)
                                  items
                                  (map (lambda (x) (%converted kind x))
                                       items)))))
    (%make-list kind vector (vector-length vector))))

(define (%list . items)
  "A list of any values."
  (%new-list 'list items))

(define (lispe:list . items)
  "A list of any values."
  (%new-list 'list items))

(define (llist . items)
  "A list of any values; push puts its value at the front."
  (%new-list 'llist items))

(define (%elements x)
  "The elements of a list, or what a loop runs over, as a Scheme list."
  (vector->list (%loop-items x)))

(define (%loop-items x)
  "What a loop over a value runs over, as a vector."
  (cond ((%list? x) (subvector (%list-items x) 0 (%list-count x)))
        ((exact-integer? x) (list->vector (iota (max x 0))))
        ((string? x) (vector-map string (list->vector (string->list x))))
        ((hash-table? x) (list->vector (%dictionary-keys x)))
        ((tensor? x) (list->vector (%rows x)))
        ((not x) (vector))
        ((list? x) (list->vector x))
        ((vector? x) x)
        (else (%fail "loop: expected a list, got " (%text x)))))

(define (%rows x)
  "The elements of a tensor along its first dimension; numbers if it has one."
  (map (lambda (k) (%tensor-at x k)) (iota (tensor-size x 0))))

(define (%count n)
  "How often a loop runs that counts to n."
  (if (exact-integer? n) n (exact (floor (%number "loopcount" n)))))

(define (%add-last! x value)
  "Put a value at the end of a list; returns the list."
  (let ((n (%list-count x)))
    (when (= n (vector-length (%list-items x)))
      (%set-list-items! x (vector-grow (%list-items x) (max 8 (* 2 n)))))
    (vector-set! (%list-items x) n (%converted (%list-kind x) value))
    (%set-list-count! x (+ n 1))
    x))

(define (%set-elements! x items)
  "Replace the elements of a list by those of a Scheme list; returns it."
  (let ((made (%new-list (%list-kind x) items)))
    (%set-list-items! x (%list-items made))
    (%set-list-count! x (%list-count made))
    x))

;; The kinds.

(define (%converted kind x)
  "The value as an element of a list of a kind."
  (case kind
    ((integers shorts) (%integer x))
    ((floats numbers) (%float x))
    ((strings) (if (string? x) x (%text x)))
    (else x)))

(define (%integer x)
  "The integer of a value: numbers are truncated, texts are read."
  (cond ((exact-integer? x) x)
        ((tensor? x) (%integer (tensor-item x)))
        ((number? x) (exact (truncate x)))
        ((boolean? x) (if x 1 0))
        ((and (string? x) (string->number x)) => %integer)
        (else (%fail "expected an integer, got " (%text x)))))

(define (%float x)
  "The floating-point number of a value."
  (cond ((number? x) (inexact x))
        ((tensor? x) (inexact (tensor-item x)))
        ((boolean? x) (if x 1.0 0.0))
        ((and (string? x) (string->number x)) => inexact)
        (else (%fail "expected a number, got " (%text x)))))

(define (%flat values)
  "The values where lists stand for their elements."
  (append-map (lambda (x)
                (cond ((%list? x) (%flat (%elements x)))
                      ((tensor? x) (%flat (tensor->list (tensor-flatten x))))
                      ((list? x) (%flat x))
                      (else (list x))))
              values))

(define (integers . values)
  "A list of integers."
  (%new-list 'integers (%flat values)))

(define (shorts . values)
  "A list of integers."
  (%new-list 'shorts (%flat values)))

(define (floats . values)
  "A list of floats."
  (%new-list 'floats (%flat values)))

(define (numbers . values)
  "A list of doubles."
  (%new-list 'numbers (%flat values)))

(define (strings . values)
  "A list of strings."
  (%new-list 'strings (%flat values)))

(define (integer x) "The integer of a number or a text." (%integer x))
(define (float x) "The float of a number or a text." (%float x))
(define (lispe:number x) "The float of a number or a text." (%float x))

(define (lispe:iota n)
  "The numbers from 1 to n."
  (%new-list (if (exact-integer? n) 'integers 'numbers)
             (iota (%count n) 1)))

(define (iota0 n)
  "The numbers from 0 up to n, without n."
  (%new-list (if (exact-integer? n) 'integers 'numbers) (iota (%count n))))

(define (lispe:range start end . step)
  "The numbers from start up to end, without end, by step (1)."
  (let ((by (if (pair? step) (car step) 1)))
    (when (zero? by) (%fail "range: the step is 0"))
    (%new-list (if (every exact-integer? (list start end by)) 'integers 'numbers)
               (%steps start end by (if (> by 0) < >)))))

(define (%steps start end by before?)
  (let loop ((x start) (found '()))
    (if (before? x end) (loop (+ x by) (cons x found)) (reverse found))))

(define (irange start end . step)
  "The numbers from start up to end, without end, by step (1)."
  (apply lispe:range start end step))

(define (rangein start end . step)
  "The numbers from start to end, with end, by step (1)."
  (let ((by (if (pair? step) (car step) 1)))
    (%new-list (if (every exact-integer? (list start end by)) 'integers 'numbers)
               (%steps start end by (if (> by 0) <= >=)))))

(define (rho . arguments)
  "(rho n items): n elements, taken from a list again and again; with more
  lengths, (rho 2 3 items) is a list of lists."
  (let* ((items (last arguments))
         (lengths (drop-right arguments 1))
         (source (%loop-items (if (%list? items) items (%list items)))))
    (when (zero? (vector-length source)) (%fail "rho: there are no elements"))
    (car (%filled lengths (if (%list? items) (%list-kind items) 'list)
                  source 0))))

(define (%filled lengths kind source at)
  "A pair: the nested lists, and the index of the element that comes next."
  (if (null? lengths)
      (cons (vector-ref source (modulo at (vector-length source))) (+ at 1))
      (let loop ((k 0) (at at) (found '()))
        (if (= k (car lengths))
            (cons (%new-list (if (null? (cdr lengths)) kind 'list)
                             (reverse found))
                  at)
            (let ((next (%filled (cdr lengths) kind source at)))
              (loop (+ k 1) (cdr next) (cons (car next) found)))))))

;; Dictionaries: hash tables.

(define (%dictionary . pairs)
  "A dictionary of keys and values."
  (let ((table (make-hash-table)))
    (let loop ((rest pairs))
      (cond ((null? rest) table)
            ((null? (cdr rest))
             (%fail "dictionary: the key " (%text (car rest)) " has no value"))
            (else
             (hash-set! table (car rest) (cadr rest))
             (loop (cddr rest)))))))

(define (dictionary . pairs)
  "A dictionary: (dictionary \"a\" 1 \"b\" 2)."
  (apply %dictionary pairs))

(define (dict . pairs) "The same as dictionary." (apply %dictionary pairs))

(define (%dictionary-keys table)
  "The keys, in the order of their texts."
  (sort (hash-keys table)
        (lambda (a b)
          (if (and (number? a) (number? b))
              (< a b)
              (string<? (%text a) (%text b))))))

(define (keys@ table)
  "The list of a dictionary's keys, sorted."
  (%new-list 'list (%dictionary-keys table)))

(define (values@ table)
  "The list of a dictionary's values, in the order of keys@."
  (%new-list 'list (map (lambda (key) (hash-ref table key #f))
                        (%dictionary-keys table))))

(define (keyp table key)
  "Whether a dictionary has a key."
  (hash-has-key? table key))
