;; word-count.lisp - the most frequent words of a text.
;;
;;     lambent examples/word-count.lisp [FILE [HOW-MANY]]
;;
;; Without a file it counts its own text.

(define (word-char? c)
  (or (char-alphabetic? c) (char=? c #\')))

(define (count-words! table line)
  "Add the words of a line to a table of word to count."
  (let ((size (string-length line)))
    (let loop ((i 0))
      (unless (= i size)
        (if (word-char? (string-ref line i))
            (let ((end (word-end line i size)))
              (hash-update! table
                            (string-downcase (substring line i end))
                            (lambda (n) (+ n 1))
                            0)
              (loop end))
            (loop (+ i 1)))))))

(define (word-end line start size)
  "Where the word that begins at start ends."
  (let loop ((i start))
    (if (and (< i size) (word-char? (string-ref line i)))
        (loop (+ i 1))
        i)))

(define (count-file path)
  "Two values: the table of words, and how many lines there are."
  (call-with-input-file path
    (lambda (port)
      (let ((table (make-hash-table)))
        (let loop ((lines 0))
          (let ((line (read-line port)))
            (if (eof-object? line)
                (values table lines)
                (begin
                  (count-words! table line)
                  (loop (+ lines 1))))))))))

(define (more-frequent? a b)
  "By count, then by the alphabet."
  (if (= (cdr a) (cdr b))
      (string<? (car a) (car b))
      (> (cdr a) (cdr b))))

(define (report path how-many)
  (let-values (((table lines) (count-file path)))
    (let* ((entries (sort (hash->list table) more-frequent?))
           (total (fold + 0 (map cdr entries))))
      (print lines "lines," total "words," (length entries) "different ones")
      (for-each
        (lambda (entry)
          (print (format "~8d  ~a" (cdr entry) (car entry))))
        (take entries (min how-many (length entries)))))))

(define arguments (cdr (command-line)))

(report (if (pair? arguments) (car arguments) "examples/word-count.lisp")
        (if (and (pair? arguments) (pair? (cdr arguments)))
            (string->number (cadr arguments))
            10))
