;; pretty.lisp - pretty-print: data laid out over several lines.
;;
;;     (pretty-print '(define (f x) (let ((y (* x x))) (list y y y))))
;;
;; writes short data on one line.  A longer list has its elements below each
;; other; a form with a body, such as define, has its body indented by two.

(define %pretty-width 80)

;; How many elements of a form are on its first line, before the body.
(define %pretty-heads
  '((define . 1) (lambda . 1) (let . 1) (let* . 1) (letrec . 1) (letrec* . 1)
    (if . 1) (set! . 1) (when . 1) (unless . 1) (guard . 1)
    (parameterize . 1) (do . 2) (case . 1)
    (define-syntax . 1) (define-record-type . 1) (let-values . 1)
    (let*-values . 1) (dotimes . 1) (defmacro . 2) (syntax-rules . 1)
    (with-exception-handler . 1)))

(define (pretty-print x . port)
  "Write a value, over several lines if it is long, and end the line.

  Lists, vectors and hash tables are laid out; all other values, and values
  that contain themselves, are printed as by write."
  (let ((port (%optional "pretty-print" 1 port #f)))
    (let ((parts (%pretty x 0 0 '() '())))
      (let ((text (string-append (string-join (reverse parts) "") "\n")))
        (if port (display text port) (display text))))))

(define (%written-text x)
  "The text that write prints for a value, or print for a tensor."
  (let ((port (open-output-string)))
    (if (tensor? x) (display x port) (write x port))
    (get-output-string port)))

(define (%pretty x column after around parts)
  "The pieces of text so far, in reverse order, and those of x.

  x begins in a column, and as many characters follow it; around are the
  values that contain it, so that a cycle ends."
  (let ((text (%written-text x)))
    (cond ((or (<= (+ column after (string-length text)) %pretty-width)
               (memq x around))
           (cons text parts))
          ((and (pair? x) (list? x))
           (%pretty-list x column after (cons x around) parts))
          ((and (vector? x) (> (vector-length x) 0))
           (cons ")" (%pretty-items (vector->list x) (+ column 2) (+ after 1)
                                    (cons x around) (cons "#(" parts))))
          ((hash-table? x)
           (%pretty-table x column after (cons x around) parts))
          (else (cons text parts)))))

(define (%pretty-list x column after around parts)
  "The pieces of a list that takes more than a line."
  (let ((head (and (symbol? (car x)) (assq (car x) %pretty-heads))))
    (if (and head (> (length x) (+ 1 (cdr head))))
        (let* ((count (+ 1 (cdr head) (if (%named-let? x) 1 0)))
               (first (%pretty-row (take x count) (+ column 1) around
                                   (cons "(" parts))))
          (cons ")" (%pretty-items (drop x count) (+ column 2) (+ after 1)
                                   around
                                   (cons (%line-break (+ column 2)) first))))
        (cons ")" (%pretty-items x (+ column 1) (+ after 1) around
                                 (cons "(" parts))))))

(define (%named-let? x)
  "Whether a form is (let name ...)."
  (and (eq? (car x) 'let) (symbol? (cadr x)) (> (length x) 3)))

(define (%pretty-row items column around parts)
  "The pieces of values beside each other."
  (let loop ((rest items) (column column) (parts parts))
    (let* ((parts (%pretty (car rest) column 0 around parts))
           (next (+ column 1 (string-length (%written-text (car rest))))))
      (if (null? (cdr rest))
          parts
          (loop (cdr rest) next (cons " " parts))))))

(define (%pretty-items items column after around parts)
  "The pieces of values below each other; the first one begins in the column."
  (if (any %has-parts? items)
      (let loop ((rest items) (parts parts))
        (if (null? (cdr rest))
            (%pretty (car rest) column after around parts)
            (loop (cdr rest)
                  (cons (%line-break column)
                        (%pretty (car rest) column 0 around parts)))))
      (%pretty-fill items column after parts)))

(define (%has-parts? x)
  "Whether a value is one that is laid out."
  (or (pair? x) (vector? x) (hash-table? x)))

(define (%pretty-fill items column after parts)
  "The pieces of values without elements, as many to a line as fit."
  (let loop ((rest items) (at column) (parts parts))
    (let* ((text (%written-text (car rest)))
           (end (+ at (string-length text)))
           (most (if (null? (cdr rest)) (- %pretty-width after) %pretty-width))
           (breaks? (and (> end most) (> at column)))
           (next (if breaks? (+ column (string-length text)) end))
           (parts (cons text
                        (cond (breaks? (cons (%line-break column)
                                             (if (equal? (car parts) " ")
                                                 (cdr parts)
                                                 parts)))
                              (else parts)))))
      (if (null? (cdr rest))
          parts
          (loop (cdr rest) (+ next 1) (cons " " parts))))))

(define (%pretty-table x column after around parts)
  "The pieces of a hash table, with its entries below each other."
  (let loop ((rest (hash->list x)) (parts (cons "#<hash-table" parts)))
    (if (null? rest)
        (cons ">" parts)
        (let* ((key (%written-text (caar rest)))
               (start (+ column 2))
               (parts (cons* ": " key (%line-break start) parts)))
          (loop (cdr rest)
                (%pretty (cdar rest) (+ start (string-length key) 2) after
                         around parts))))))

(define (%line-break column)
  "The end of a line, and the blanks before a column."
  (string-append "\n" (make-string column #\space)))
