;; format.lisp - text with directives.
;;
;;     (format "~a has ~:d, ~,2f each~%" "Ada" 3000 1/3)
;;     =>  "Ada has 3,000, 0.33 each\n"
;;
;; The directives are Common Lisp's and Guile's.  A text is read once: it
;; becomes a list of steps, strings and procedures of a layout, which is kept
;; (format-read.lisp).  A layout holds the arguments, and what has been written.

(define (format destination . arguments)
  "Text with the arguments in place of its directives.

  ~a is what display prints, ~s what write prints, ~d a number, ~x ~o ~b an
  exact number in base 16, 8, 2, ~f a number or a tensor of one element, with
  decimals (~,2f), ~e with an exponent, ~g either of them, ~$ with 2 decimals,
  ~r an integer in words, ~@r in Roman digits, ~c a character, ~y what
  pretty-print prints, ~p an s unless the number is 1.  ~% is a new line, ~&
  one unless a line begins there, ~t fills up to a column, ~~ is itself.

  ~{...~} is once for each element of a list, ~^ ends it after the last one;
  ~[...~;...~] is one of several texts, ~(...~) in lower case; ~* skips an
  argument, ~:* goes back, ~? is another text and the list of its arguments.
  ~10a pads to a width, v in place of a number is an argument, # how many are
  left; ~:d groups digits by thousands, ~@d has a sign.  Exact numbers are
  printed exactly.  Numbers before a letter are at most 999.

  With #t or a port before the text it is displayed there, with #f it is
  returned."
  (cond ((string? destination) (%formatted destination arguments))
        ((not (or (boolean? destination) (port? destination)))
         (wrong-type "format" "a string, a boolean or a port" destination))
        ((null? arguments)
         (error "format: expected at least 2 arguments, got 1"))
        ((not (string? (car arguments)))
         (wrong-type "format" "a string" (car arguments)))
        (else
         (let ((text (%formatted (car arguments) (cdr arguments))))
           (cond ((not destination) text)
                 ((port? destination) (display text destination))
                 (else (display text)))))))

(define (%formatted text arguments)
  "The text with its directives replaced."
  (let* ((layout (%layout (list->vector arguments) (%layout-output 0) #f))
         (escape (%write-steps (%format-steps text) layout)))
    (unless escape
      (%check-surplus layout))
    (%written-so-far (%layout-written layout))))

(define (%check-surplus layout)
  "Raise an error if no directive of the text has come to the last arguments."
  (let* ((n (vector-length (%layout-arguments layout)))
         (used (max (%layout-index layout) (%layout-furthest layout))))
    (when (< used n)
      (error (string "format: the text uses " used " of " n
                     (if (= n 1) " argument" " arguments"))))))

;; A layout: the arguments, the index of the next one, the largest index before
;; a directive went back, what has been written, and whether more lists of
;; arguments follow this one, as in ~:{...~}.

(define (%layout arguments output more?)
  "A layout of a vector of arguments."
  (vector arguments 0 0 output more?))

(define (%layout-arguments layout) (vector-ref layout 0))
(define (%layout-index layout) (vector-ref layout 1))
(define (%layout-furthest layout) (vector-ref layout 2))
(define (%layout-written layout) (vector-ref layout 3))
(define (%layout-more? layout) (vector-ref layout 4))

(define (%arguments-left layout)
  "How many arguments no directive has taken."
  (- (vector-length (%layout-arguments layout)) (%layout-index layout)))

(define (%next-argument layout directive)
  "The next argument, which is taken."
  (let ((k (%layout-index layout)) (arguments (%layout-arguments layout)))
    (when (>= k (vector-length arguments))
      (%format-error directive "no argument is left for "))
    (vector-set! layout 1 (+ k 1))
    (vector-ref arguments k)))

(define (%go-to-argument! layout directive k)
  "Let the argument with an index be the next one."
  (unless (<= 0 k (vector-length (%layout-arguments layout)))
    (%format-error directive
                   (string "there is no argument " (+ k 1) " for ")))
  (vector-set! layout 2
               (max (%layout-furthest layout) (%layout-index layout)))
  (vector-set! layout 1 k))

;; What is written: the pieces, the last one first, and the column after some
;; of them, so that no piece is looked through twice for the end of its line.

(define (%layout-output column)
  "An output that begins in a column."
  (vector '() '() column))

(define (%write-piece layout text)
  "Write a text."
  (let ((output (%layout-written layout)))
    (vector-set! output 0 (cons text (vector-ref output 0)))))

(define (%written-so-far output)
  "All that has been written."
  (let ((pieces (vector-ref output 0)))
    (if (and (pair? pieces) (null? (cdr pieces)))
        (car pieces)
        (string-join (reverse pieces) ""))))

(define (%output-column output)
  "The column in which the next character is written."
  (let loop ((pieces (vector-ref output 0)) (width 0))
    (if (eq? pieces (vector-ref output 1))
        (%remember-column! output (+ width (vector-ref output 2)))
        (let* ((piece (car pieces)) (newline (%last-newline piece)))
          (if newline
              (%remember-column!
               output (+ width (- (string-length piece) newline 1)))
              (loop (cdr pieces) (+ width (string-length piece))))))))

(define (%last-newline text)
  "The index of the last new line of a text, or #f."
  (let loop ((k (- (string-length text) 1)))
    (cond ((< k 0) #f)
          ((char=? (string-ref text k) #\newline) k)
          (else (loop (- k 1))))))

(define (%remember-column! output column)
  "Note the column after all pieces so far; it is returned."
  (vector-set! output 1 (vector-ref output 0))
  (vector-set! output 2 column)
  column)

;; Steps.

(define (%write-steps steps layout)
  "Write the steps: #f, or 'end or 'end-all if ~^ or ~:^ has ended them."
  (let loop ((left steps))
    (cond ((null? left) #f)
          ((string? (car left))
           (%write-piece layout (car left))
           (loop (cdr left)))
          (else
           (or ((car left) layout) (loop (cdr left)))))))
