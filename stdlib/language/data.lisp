;; data.lisp - text files and tables of data.

(define (read-lines path :encoding #f :invalid #f)
  "The lines of a text file, as a list of strings.  The encoding is 'utf-8,
  'latin-1 or 'windows-1252; what is not text in it is an error, or replaced
  with :invalid 'replace."
  (call-with-input-file path port->lines :encoding encoding :invalid invalid))

;; Tables of comma-separated values, after RFC 4180: a field in double quotes
;; may hold separators, line ends and, doubled, quotes.

(define (read-csv path :separator "," :encoding #f :invalid #f)
  "The rows of a table: lists of numbers, and of strings for fields that are
  not numbers.

  Empty lines are skipped.  Rows of different lengths are an error.  :encoding
  and :invalid are those of read-lines."
  (call-with-input-file path
    (lambda (port)
      (let loop ((rows '()) (width #f) (number 1))
        (let ((line (%read-record port)))
          (cond ((eof-object? line) (reverse rows))
                ((string=? line "") (loop rows width (+ number 1)))
                (else
                 (let* ((record (%whole-record path port line number))
                        (row (%csv-row (car record) separator))
                        (n (length row)))
                   (when (and width (not (= n width)))
                     (%ragged path number width n))
                   (loop (cons row rows) n (+ number (cdr record)))))))))
    :encoding encoding
    :invalid invalid))

(define (%read-record port)
  "The next line, without the carriage return of Windows."
  (let ((line (read-line port)))
    (if (eof-object? line)
        line
        (let ((last (- (string-length line) 1)))
          (if (and (>= last 0) (char=? (string-ref line last) #\return))
              (substring line 0 last)
              line)))))

(define (%whole-record path port line number)
  "(text . lines): the record that begins on a line, to its closing quote."
  (let loop ((lines (list line)) (count 1) (open? (%odd-quotes? line)))
    (if open?
        (let ((next (%read-record port)))
          (when (eof-object? next)
            (%never-closed path number (string-join (reverse lines) "\n")))
          (loop (cons next lines) (+ count 1)
                (not (eq? open? (%odd-quotes? next)))))
        (cons (string-join (reverse lines) "\n") count))))

(define (%never-closed path number text)
  "Raise the error for a record whose last quote is never closed."
  (let loop ((chars (string->list text)) (line number) (opened #f))
    (cond ((null? chars)
           (error (string "read-csv: " path ", line " opened
                          ": a quote is never closed")))
          ((char=? (car chars) #\newline) (loop (cdr chars) (+ line 1) opened))
          ((not (char=? (car chars) #\")) (loop (cdr chars) line opened))
          ((and opened (pair? (cdr chars)) (char=? (cadr chars) #\"))
           (loop (cddr chars) line opened))
          (else (loop (cdr chars) line (if opened #f line))))))

(define (%odd-quotes? text)
  "Whether the text has an odd number of double quotes: the last is open."
  (and (string-contains text "\"")
       (even? (length (string-split text "\"")))))

(define (%ragged path number width n)
  "Raise the error for a row that has not as many fields as those before it."
  (error (string "read-csv: " path ", line " number ": expected " width
                 (if (= width 1) " field" " fields") ", got " n)))

(define (%csv-row text separator)
  "The values of one record."
  (map %csv-value
       (if (string-contains text "\"")
           (%quoted-fields (string->list text) (string-ref separator 0))
           (string-split text separator))))

(define (%csv-value field)
  "The number in a field, or the field itself.  1/2 may be a date."
  (let ((n (or (string->number field) (string->number (string-trim field)))))
    (if (or (exact-integer? n) (and (number? n) (inexact? n)))
        n
        field)))

(define (%quoted-fields record separator)
  "The texts of the fields of a record, a list of characters, without quotes."
  (let loop ((chars record) (field '()) (quoted? #f) (fields '()))
    (cond ((null? chars)
           (reverse (cons (%field-text field) fields)))
          ((not (char=? (car chars) #\"))
           (if (and (char=? (car chars) separator) (not quoted?))
               (loop (cdr chars) '() #f (cons (%field-text field) fields))
               (loop (cdr chars) (cons (car chars) field) quoted? fields)))
          ((and quoted? (pair? (cdr chars)) (char=? (cadr chars) #\"))
           (loop (cddr chars) (cons #\" field) #t fields))
          (else (loop (cdr chars) field (not quoted?) fields)))))

(define (%field-text reversed)
  "The string of characters collected in reverse order."
  (list->string (reverse reversed)))
