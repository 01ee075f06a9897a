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
      (%csv-rows path port separator '() #f 1 #f %csv-value))
    :encoding encoding
    :invalid invalid))

;; Writing: what read-csv reads back as the same rows.

(define (write-csv path rows :separator "," :encoding #f)
  "Write a table: rows are lists of numbers, strings, symbols and booleans, of
  one length.  The file appears when it is complete.

  Fields with separators, quotes or line ends are quoted.  Booleans are true and
  false.  read-csv reads such a table back, but symbols, booleans and fractions as
  strings, and texts that look like numbers as numbers.  :encoding is that of open-output-file; spreadsheets
  know 'utf-8-sig."
  (unless (and (string? separator) (= (string-length separator) 1))
    (error "write-csv: expected a string of one character for :separator, got" separator))
  (call-with-atomic-output-file path
    (lambda (port)
      (let loop ((rows rows) (width #f) (number 1))
        (unless (null? rows)
          (let ((n (length (car rows))))
            (when (and width (not (= n width)))
              (error (string "write-csv: row " number ": expected " width
                             (if (= width 1) " field" " fields") ", got " n)))
            (write-string
             (string-join (map (lambda (field) (%field-of-csv field separator (= n 1) number))
                               (car rows))
                          separator)
             port)
            (newline port)
            (loop (cdr rows) n (+ number 1))))))
    :encoding encoding))

(define (%field-of-csv field separator alone? number)
  "The text of a field of a row with a number; alone?: it is the only one, and an
  empty line would be no row."
  (let ((text (cond ((string? field) field)
                    ((number? field) (number->string field))
                    ((symbol? field) (symbol->string field))
                    ((boolean? field) (if field "true" "false"))
                    (else
                     (error (string "write-csv: row " number ": expected a number, a string, a "
                                    "symbol or a boolean, got")
                            field)))))
    (if (or (string-contains text separator) (string-contains text "\"")
            (string-contains text "\n") (string-contains text "\r")
            (and alone? (string=? text "")))
        (%in-csv-quotes text)
        text)))

(define (%in-csv-quotes text)
  (string "\"" (string-replace text "\"" "\"\"") "\""))

(define (%csv-rows path port separator rows width number opened value)
  "The rows of a table, of which some have been read, the last one first: of a
  width, up to a line with a number.  opened: the number of the line with a
  quote that is never closed, if that is known; value makes the value of a
  field.  The interpreter has this procedure in C, too, which leaves here what
  is wrong."
  (when opened
    (%never-closed path opened))
  (let loop ((rows rows) (width width) (number number))
    (let ((line (%read-record port)))
      (cond ((eof-object? line) (reverse rows))
            ((string=? line "") (loop rows width (+ number 1)))
            (else
             (let* ((record (%whole-record path port line number))
                    (row (map value (%csv-texts (car record) separator)))
                    (n (length row)))
               (when (and width (not (= n width)))
                 (%ragged path number width n))
               (loop (cons row rows) n (+ number (cdr record)))))))))

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
            (%never-closed path (%opened-line (reverse lines) number)))
          (loop (cons next lines) (+ count 1)
                (not (eq? open? (%odd-quotes? next)))))
        (cons (string-join (reverse lines) "\n") count))))

(define (%never-closed path line)
  "Raise the error for a quote on a line that is never closed."
  (error (string "read-csv: " path ", line " line ": a quote is never closed")))

(define (%opened-line lines number)
  "The number of the line where the quote begins that is open after lines, the
  first of which has a number."
  (let loop ((lines lines) (number number) (opened #f))
    (if (null? lines)
        opened
        (loop (cdr lines) (+ number 1)
              (%opened-after (string->list (car lines)) number opened)))))

(define (%opened-after chars number opened)
  "The number of the line where the quote begins that is open after a line's
  characters, or #f; opened is the same before them."
  (cond ((null? chars) opened)
        ((not (char=? (car chars) #\"))
         (%opened-after (cdr chars) number opened))
        ((and opened (pair? (cdr chars)) (char=? (cadr chars) #\"))
         (%opened-after (cddr chars) number opened))
        (else (%opened-after (cdr chars) number (if opened #f number)))))

(define (%odd-quotes? text)
  "Whether the text has an odd number of double quotes: the last is open."
  (and (string-contains text "\"")
       (even? (length (string-split text "\"")))))

(define (%ragged path number width n)
  "Raise the error for a row that has not as many fields as those before it."
  (error (string "read-csv: " path ", line " number ": expected " width
                 (if (= width 1) " field" " fields") ", got " n)))

(define (%csv-texts text separator)
  "The texts of the fields of one record."
  (if (string-contains text "\"")
      (%quoted-fields (string->list text) (string-ref separator 0))
      (string-split text separator)))

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
