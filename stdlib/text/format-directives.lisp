;; format-directives.lisp - the step of each directive.
;;
;; A step is a string, or a procedure of a layout, which writes and returns #f,
;; or 'end or 'end-all if ~^ ends what is around it.

(define (%format-step directive)
  "The step of a directive that holds no others."
  (case (%directive-letter directive)
    ((#\a) (%text-step directive (lambda (x) (string x))))
    ((#\s #\w) (%text-step directive (lambda (x) (%written x))))
    ((#\y) (%text-step directive (lambda (x) (%pretty-text x))))
    ((#\d) (%number-step directive 10))
    ((#\x) (%number-step directive 16))
    ((#\o) (%number-step directive 8))
    ((#\b) (%number-step directive 2))
    ((#\r) (%radix-step directive))
    ((#\f) (%fixed-step directive))
    ((#\e) (%float-step directive %exponent-text))
    ((#\g) (%float-step directive %general-text))
    ((#\$) (%float-step directive %money-text))
    ((#\c) (%character-step directive))
    ((#\p) (%plural-step directive))
    ((#\%) (%repeated-character directive #\newline))
    ((#\~) (%repeated-character directive #\~))
    ((#\|) (%repeated-character directive #\page))
    ((#\_) (%repeated-character directive #\space))
    ((#\/) (%repeated-character directive #\tab))
    ((#\&) (%fresh-line-step directive))
    ((#\t) (%column-step directive))
    ((#\*) (%skip-step directive))
    ((#\? #\k) (%indirect-step directive))
    ((#\^) (%escape-step directive))
    ((#\!) "")
    (else (%format-error directive "unknown directive "))))

(define (%writing-step directive text-of)
  "The step that writes (text-of argument parameters)."
  (let ((parameters (%directive-parameters directive)))
    (if (%has-arguments? parameters)
        (lambda (layout)
          (let* ((parameters (%resolved-parameters layout directive))
                 (x (%next-argument layout directive)))
            (%write-piece layout (text-of x parameters))
            #f))
        (lambda (layout)
          (%write-piece layout
                        (text-of (%next-argument layout directive) parameters))
          #f))))

;; Parameters.

(define (%has-arguments? parameters)
  "Whether v or # stand for some of the parameters."
  (or (memq 'next parameters) (memq 'left parameters)))

(define (%resolved-parameters layout directive)
  "The parameters of a directive, with arguments for v and #."
  (let ((parameters (%directive-parameters directive)))
    (if (%has-arguments? parameters)
        (map-in-order
         (lambda (parameter)
           (case parameter
             ((next) (%argument-parameter layout directive))
             ((left) (%arguments-left layout))
             (else parameter)))
         parameters)
        parameters)))

(define (%argument-parameter layout directive)
  "The argument for v: a number, a character, or #f for nothing."
  (let ((x (%next-argument layout directive)))
    (unless (or (not x) (char? x) (and (exact-integer? x) (<= -999 x 999)))
      (%format-wrong-type directive
                          "an integer up to 999, a character or #f for v" x))
    x))

(define (%directive-parameter parameters k)
  "The parameter with an index; #f without one."
  (cond ((null? parameters) #f)
        ((= k 0) (car parameters))
        (else (%directive-parameter (cdr parameters) (- k 1)))))

(define (%count-parameter directive parameters k default)
  "The parameter with an index, a number from 0; a default without one."
  (let ((x (%directive-parameter parameters k)))
    (cond ((not x) default)
          ((and (integer? x) (>= x 0)) x)
          (else (%wrong-parameter directive "a number from 0" k x)))))

(define (%integer-parameter directive parameters k default)
  "The parameter with an index, an integer; a default without one."
  (let ((x (%directive-parameter parameters k)))
    (cond ((not x) default)
          ((integer? x) x)
          (else (%wrong-parameter directive "an integer" k x)))))

(define (%char-parameter directive parameters k default)
  "The parameter with an index, a character; a default without one."
  (let ((x (%directive-parameter parameters k)))
    (cond ((not x) default)
          ((char? x) x)
          (else (%wrong-parameter directive "a character" k x)))))

(define (%wrong-parameter directive expected k x)
  (%format-wrong-type directive
                      (string expected " as parameter " (+ k 1)) x))

;; Texts.

(define (%text-step directive text-of)
  "The step of ~a and ~s: width, column increment, least padding, padding."
  (let ((at? (%directive-at? directive)))
    (%writing-step
     directive
     (lambda (x parameters)
       (if (null? parameters)
           (text-of x)
           (%padded-text directive parameters (text-of x) at?))))))

(define (%padded-text directive parameters text left?)
  "A text with padding on its right, or left.  ~10,'*a pads with *, too."
  (let* ((second (%directive-parameter parameters 1))
         (width (%count-parameter directive parameters 0 0))
         (step (if (char? second)
                   1
                   (max 1 (%count-parameter directive parameters 1 1))))
         (least (%count-parameter directive parameters 2 0))
         (fill (%char-parameter directive parameters 3
                                (if (char? second) second #\space)))
         (lacks (- width (string-length text) least))
         (count (+ least
                   (if (> lacks 0) (* step (quotient (+ lacks step -1) step)) 0))))
    (%pad text count fill left?)))

(define (%pad text count fill left?)
  "A text with count characters before or after it; none if count is below 1."
  (cond ((<= count 0) text)
        (left? (string-append (make-string count fill) text))
        (else (string-append text (make-string count fill)))))

(define (%pretty-text x)
  "What pretty-print prints."
  (call-with-output-string (lambda (port) (pretty-print x port))))

(define (%character-step directive)
  "The step of ~c; ~@c is as written, ~:c shows control characters as ^A."
  (%writing-step
   directive
   (lambda (x parameters)
     (unless (char? x)
       (%format-wrong-type directive "a character" x))
     (let ((text (cond ((%directive-at? directive) (%written x))
                       ((and (%directive-colon? directive) (char<? x #\space))
                        (string "^" (integer->char (+ 64 (char->integer x)))))
                       (else (string x)))))
       (if (null? parameters)
           text
           (%padded-text directive parameters text #f))))))

(define (%plural-step directive)
  "The step of ~p: s unless the argument is 1, y or ies for ~@p."
  (lambda (layout)
    (when (%directive-colon? directive)
      (%go-to-argument! layout directive (- (%layout-index layout) 1)))
    (let* ((x (%next-argument layout directive))
           (one? (and (number? x) (= x 1))))
      (%write-piece layout
                    (if (%directive-at? directive)
                        (if one? "y" "ies")
                        (if one? "" "s")))
      #f)))

;; White space.

(define (%repeated-character directive char)
  "The step that writes a character as often as the parameter says."
  (if (null? (%directive-parameters directive))
      (string char)
      (lambda (layout)
        (let ((parameters (%resolved-parameters layout directive)))
          (%write-piece
           layout
           (make-string (%count-parameter directive parameters 0 1) char))
          #f))))

(define (%fresh-line-step directive)
  "The step of ~&: a new line unless one begins, and then count - 1 others."
  (lambda (layout)
    (let* ((parameters (%resolved-parameters layout directive))
           (count (%count-parameter directive parameters 0 1))
           (begins? (= (%output-column (%layout-written layout)) 0)))
      (when (> count 0)
        (%write-piece layout
                      (make-string (if begins? (- count 1) count) #\newline)))
      #f)))

(define (%column-step directive)
  "The step of ~t: column, increment, padding; ~@t: columns from here on."
  (lambda (layout)
    (let* ((parameters (%resolved-parameters layout directive))
           (to (%count-parameter directive parameters 0 1))
           (step (%count-parameter directive parameters 1 1))
           (fill (%char-parameter directive parameters 2 #\space))
           (column (%output-column (%layout-written layout)))
           (next (cond ((%directive-at? directive)
                        (%next-column 0 step (+ column to)))
                       ((<= column to) to)
                       (else (%next-column to step column)))))
      (when (> next column)
        (%write-piece layout (make-string (- next column) fill)))
      #f)))

(define (%next-column from step column)
  "The first of the columns from, from + step ... that is not before column."
  (if (= step 0)
      column
      (+ from (* step (quotient (+ (- column from) step -1) step)))))

;; Which argument is next.

(define (%skip-step directive)
  "The step of ~*: forward, ~:* back, ~@* to an argument."
  (lambda (layout)
    (let ((parameters (%resolved-parameters layout directive))
          (index (%layout-index layout)))
      (%go-to-argument!
       layout directive
       (cond ((%directive-at? directive)
              (%count-parameter directive parameters 0 0))
             ((%directive-colon? directive)
              (- index (%count-parameter directive parameters 0 1)))
             (else (+ index (%count-parameter directive parameters 0 1)))))
      #f)))

(define (%indirect-step directive)
  "The step of ~?: a text and the list of its arguments, or ~@? the next ones."
  (lambda (layout)
    (let ((steps (%argument-steps layout directive)))
      (if (%directive-at? directive)
          (%write-steps steps layout)
          (%write-steps steps
                      (%layout (%argument-list layout directive)
                               (%layout-written layout) #f)))
      #f)))

(define (%argument-steps layout directive)
  "The steps of an argument that is a text with directives."
  (let ((text (%next-argument layout directive)))
    (unless (string? text)
      (%format-wrong-type directive "a string" text))
    (%format-steps text)))

(define (%argument-list layout directive)
  "An argument that is a list, as a vector."
  (%list-of-arguments directive (%next-argument layout directive)))

(define (%list-of-arguments directive x)
  (unless (list? x)
    (%format-wrong-type directive "a list" x))
  (list->vector x))

;; Blocks.

(define (%escape-step directive)
  "The step of ~^: end what is around it if no argument is left.

  With one parameter if that is 0, with two if they are equal, with three if
  they are in order."
  (let ((end (if (%directive-colon? directive) 'end-all 'end)))
    (lambda (layout)
      (let ((numbers (%resolved-parameters layout directive)))
        (and (case (length numbers)
               ((0) (if (%directive-colon? directive)
                        (not (%layout-more? layout))
                        (= (%arguments-left layout) 0)))
               ((1) (eqv? (car numbers) 0))
               ((2) (eqv? (car numbers) (cadr numbers)))
               (else (apply <= (map-in-order
                                (lambda (k)
                                  (%integer-parameter directive numbers k 0))
                                '(0 1 2)))))
             end)))))

(define (%case-step directive steps)
  "The step of ~(...~): lower case, ~:( words, ~@( a sentence, ~:@( upper case."
  (let ((change (if (%directive-colon? directive)
                    (if (%directive-at? directive)
                        (lambda (text) (string-upcase text))
                        (lambda (text) (%words-capitalized text #f)))
                    (if (%directive-at? directive)
                        (lambda (text) (%words-capitalized text #t))
                        (lambda (text) (string-downcase text))))))
    (lambda (layout)
      (let* ((output (%layout-written layout))
             (inner (%layout-output (%output-column output))))
        (vector-set! layout 3 inner)
        (let ((escape (%write-steps steps layout)))
          (vector-set! layout 3 output)
          (%write-piece layout (change (%written-so-far inner)))
          escape)))))

(define (%words-capitalized text first-only?)
  "A text in lower case, with a capital at the start of each word, or the first."
  (let loop ((chars (string->list (string-downcase text)))
             (inside? #f) (result '()))
    (if (null? chars)
        (list->string (reverse result))
        (let* ((char (car chars))
               (word? (or (char-alphabetic? char) (char-numeric? char)))
               (start? (and word? (not inside?))))
          (loop (cdr chars)
                (or word? (and first-only? inside?))
                (cons (if start? (char-upcase char) char) result))))))

(define (%choice-step directive clauses default?)
  "The step of ~[...~;...~]: the clause with the number of the argument.

  ~:[ takes the first clause for #f, else the second; ~@[ has one, which sees
  the argument unless that is #f."
  (let ((clauses (list->vector clauses)))
    (cond ((%directive-at? directive)
           (%check-clauses directive clauses 1)
           (%present-step directive (vector-ref clauses 0)))
          ((%directive-colon? directive)
           (%check-clauses directive clauses 2)
           (lambda (layout)
             (let ((x (%next-argument layout directive)))
               (%write-steps (vector-ref clauses (if x 1 0)) layout))))
          (else
           (lambda (layout)
             (%write-steps (%chosen-clause layout directive clauses default?)
                         layout))))))

(define (%check-clauses directive clauses count)
  (unless (= (vector-length clauses) count)
    (%format-error directive
                   (string "expected " count
                           (if (= count 1) " clause" " clauses") ", got "
                           (vector-length clauses) " for "))))

(define (%present-step directive steps)
  "The step of ~@[...~]."
  (lambda (layout)
    (let ((k (%layout-index layout)))
      (and (%next-argument layout directive)
           (begin
             (%go-to-argument! layout directive k)
             (%write-steps steps layout))))))

(define (%chosen-clause layout directive clauses default?)
  "The steps of the clause whose number is the parameter, or the argument."
  (let* ((parameters (%resolved-parameters layout directive))
         (k (or (%integer-parameter directive parameters 0 #f)
                (%next-argument layout directive)))
         (count (vector-length clauses)))
    (unless (exact-integer? k)
      (%format-wrong-type directive "an integer" k))
    (cond ((< -1 k count) (vector-ref clauses k))
          (default? (vector-ref clauses (- count 1)))
          (else '()))))

(define (%repeated-step directive body closer)
  "The step of ~{...~}: its steps for the elements of a list.

  ~:{ takes a list of lists, each for one iteration, ~@{ the arguments
  themselves, ~:@{ the arguments, which are lists.  ~:} does it at least once.
  An empty body is an argument."
  (let ((least (if (%directive-colon? closer) 1 0))
        (run (if (%directive-colon? directive) %repeat-over-lists %repeat)))
    (lambda (layout)
      (let* ((parameters (%resolved-parameters layout directive))
             (most (%count-parameter directive parameters 0 #f))
             (steps (if (null? body) (%argument-steps layout directive) body)))
        (run steps
             (if (%directive-at? directive)
                 layout
                 (%layout (%argument-list layout directive)
                          (%layout-written layout) #f))
             directive most least)
        #f))))

(define (%repeat steps layout directive most least)
  "Run the steps until no argument is left, or as often as most says."
  (let loop ((count 0))
    (let ((before (%layout-index layout)))
      (when (and (or (< count least) (> (%arguments-left layout) 0))
                 (not (eqv? count most)))
        (unless (%write-steps steps layout)
          (when (and (not most) (> (%arguments-left layout) 0)
                     (<= (%layout-index layout) before))
            (%format-error directive
                           "no directive takes an argument, without end, in "))
          (loop (+ count 1)))))))

(define (%repeat-over-lists steps layout directive most least)
  "Run the steps for each argument, a list, or as often as most says."
  (let loop ((count 0))
    (when (and (or (< count least) (> (%arguments-left layout) 0))
               (not (eqv? count most)))
      (let* ((items (if (> (%arguments-left layout) 0)
                        (%argument-list layout directive)
                        #()))
             (inner (%layout items (%layout-written layout)
                             (> (%arguments-left layout) 0))))
        (unless (eq? (%write-steps steps inner) 'end-all)
          (loop (+ count 1)))))))
