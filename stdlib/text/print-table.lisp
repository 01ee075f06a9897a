;; print-table.lisp - rows as a table with aligned columns.
;;
;;     (print-table '((ada 36) (bob 4)) :header '(name age))
;;     =>  name  age
;;         ----  ---
;;         ada    36
;;         bob     4

(define (print-table rows :header #f :align 'auto :decimals #f
                     :separator "  " :port #f)
  "Print rows, lists or vectors of any values, as a table.

  header: the names of the columns, over a line.  align: 'left, 'right or
  'center, or a list of them, one for each column; 'auto aligns columns of
  numbers right and others left.  decimals: how many inexact numbers have.
  separator: the text between columns.  port: where to print.  Cells show what
  display prints, new lines in them as \\n; rows may have different lengths."
  (let ((text (%table-text "print-table" rows header align decimals separator)))
    (if port (display text port) (display text))))

(define (table->string rows :header #f :align 'auto :decimals #f
                       :separator "  ")
  "The text that print-table prints."
  (%table-text "table->string" rows header align decimals separator))

(define (%table-text who rows header align decimals separator)
  "The lines of a table."
  (let* ((body (map (lambda (row) (%table-row who row)) (%table-list who rows)))
         (head (and header (%table-row who header)))
         (texts (map (lambda (row)
                       (vector-map (lambda (x) (%table-cell-text x decimals)) row))
                     (if head (cons head body) body)))
         (count (fold (lambda (row n) (max n (vector-length row))) 0 texts))
         (widths (%column-widths texts count))
         (sides (%column-sides who align body count))
         (lines (map (lambda (row) (%table-line row widths sides separator))
                     texts)))
    (string-join (if head
                     (cons* (car lines) (%table-rule widths separator)
                            (cdr lines))
                     lines)
                 "")))

(define (%table-list who rows)
  "Rows as a list."
  (cond ((list? rows) rows)
        ((vector? rows) (vector->list rows))
        (else (wrong-type who "a list of rows" rows))))

(define (%table-row who row)
  "A row as a vector."
  (cond ((vector? row) row)
        ((list? row) (list->vector row))
        (else (wrong-type who "a list or vector for each row" row))))

(define (%table-cell-text x decimals)
  "What a cell shows."
  (let ((text (if (and decimals (number? x) (inexact? x))
                  (%fixed x decimals)
                  (string x))))
    (if (string-index text #\newline)
        (string-replace text "\n" "\\n")
        text)))

(define (%column-widths rows count)
  "The width of each column."
  (let ((widths (make-vector count 0)))
    (for-each
     (lambda (row)
       (vector-for-each
        (lambda (k text)
          (when (> (string-length text) (vector-ref widths k))
            (vector-set! widths k (string-length text))))
        (list->vector (iota (vector-length row))) row))
     rows)
    widths))

(define (%column-sides who align rows count)
  "'left, 'right or 'center for each column."
  (cond ((eq? align 'auto)
         (let ((sides (make-vector count 'right)))
           (for-each (lambda (row) (%note-texts! row sides)) rows)
           sides))
        ((symbol? align) (make-vector count (%check-side who align)))
        ((list? align)
         (let ((sides (make-vector count 'left)))
           (for-each (lambda (k side)
                       (when (< k count)
                         (vector-set! sides k (%check-side who side))))
                     (iota (length align)) align)
           sides))
        (else (%check-side who align))))

(define (%note-texts! row sides)
  "Align the columns left in which a row has another value than a number."
  (let loop ((k 0))
    (when (< k (vector-length row))
      (unless (number? (vector-ref row k))
        (vector-set! sides k 'left))
      (loop (+ k 1)))))

(define (%check-side who side)
  (unless (memq side '(left right center))
    (wrong-type who "left, right, center or auto for :align" side))
  side)

(define (%table-line row widths sides separator)
  "A row's cells in the widths of their columns; no spaces are at its end."
  (let loop ((k 0) (parts '()))
    (if (< k (vector-length row))
        (let ((cell (%aligned-cell (vector-ref row k) (vector-ref widths k)
                                   (vector-ref sides k))))
          (loop (+ k 1)
                (cons cell (if (= k 0) parts (cons separator parts)))))
        (string-append (string-trim-right (string-join (reverse parts) ""))
                       "\n"))))

(define (%aligned-cell text width side)
  "A text with spaces around it, up to a width."
  (let* ((lacks (- width (string-length text)))
         (before (case side
                   ((left) 0)
                   ((right) lacks)
                   (else (quotient lacks 2)))))
    (string-append (make-string before #\space) text
                   (make-string (- lacks before) #\space))))

(define (%table-rule widths separator)
  "The line below the header."
  (string-append
   (string-join (map (lambda (width) (make-string width #\-))
                     (vector->list widths))
                separator)
   "\n"))
