;; text.lisp - how LispE writes values, and its procedures on texts.
;;
;;     (println (list 1 2.0 "a" nil) {"k":1})   ; (1 2 "a" nil) {"k":1}
;;
;; A float without a fraction is written without a point.

(define (%text x)
  "A value as println writes it."
  (if (string? x) x (%written x)))

(define (%written x)
  "A value as it is written inside a container."
  (cond ((string? x) (call-with-output-string (lambda (port) (write x port))))
        ((number? x) (%number-text x))
        ((eq? x #t) "true")
        ((or (not x) (null? x)) "nil")
        ((symbol? x) (symbol->string x))
        ((%list? x) (string "(" (%joined (%elements x)) ")"))
        ((hash-table? x) (%dictionary-text x))
        ((%error? x) (%error-text x))
        ((%object? x) (%object-text x))
        ((tensor? x) (%tensor-text x))
        ((and (procedure? x) (not (record? x))) "function")
        (else (%module-text x))))

(define (%joined items)
  "Values side by side."
  (string-join (map %written items) " "))

(define (%number-text x)
  (cond ((and (inexact? x) (finite? x) (integer? x) (< (abs x) 1e15))
         (number->string (exact x)))
        ((nan? x) "nan")
        ((infinite? x) (if (> x 0) "inf" "-inf"))
        (else (number->string x))))

(define (%dictionary-text table)
  (string "{"
          (string-join (map (lambda (key)
                              (string (%written key) ":"
                                      (%written (hash-ref table key #f))))
                            (%dictionary-keys table))
                       " ")
          "}"))

(define (%tensor-text x)
  "A tensor of one element without dimensions is written as its number."
  (if (zero? (tensor-rank x))
      (%number-text (tensor-item x))
      (call-with-output-string (lambda (port) (display x port)))))

(define (lispe:string x) "The text of a value." (%text x))

;; Output and input.

(define (%line values)
  (string-join (map %text values) " "))

(define (lispe:print . values)
  "Write values, one directly after the other."
  (for-each (lambda (x) (display (%text x))) values)
  #t)

(define (println . values)
  "Write values with spaces between them, and end the line."
  (display (%line values))
  (newline)
  #t)

(define (printerr . values)
  "Write values on the standard error, one directly after the other."
  (for-each (lambda (x) (display (%text x) (current-error-port))) values)
  #t)

(define (printerrln . values)
  "Write values with spaces between them on the standard error, and end the line."
  (display (%line values) (current-error-port))
  (newline (current-error-port))
  #t)

(define (input . prompt)
  "A line from the standard input, nil at its end."
  (for-each (lambda (x) (display (%text x))) prompt)
  (let ((line (read-line)))
    (if (eof-object? line) #f line)))

;; What a session shows of its entries.

(define (%show x)
  "Write a value; the result shows nothing."
  (display (%written x))
  (newline))

(define (%quiet x)
  "A result that shows nothing."
  (if #f #f))

;; Texts.

(define (fill text count)
  "A text that many times."
  (apply string-append (make-list (max 0 count) (%text text))))

(define (lower text) "The text in lower case." (string-downcase text))
(define (upper text) "The text in upper case." (string-upcase text))

(define (trim text . marks)
  "The text without blanks, or without the characters of a text, at both ends."
  (if (null? marks)
      (string-trim text)
      (let ((set (string->list (car marks))))
        (string-trim text (lambda (c) (memv c set))))))

(define (split text . mark)
  "The list of the parts of a text between a mark, or between blanks."
  (%new-list 'strings
             (if (pair? mark)
                 (string-split text (car mark))
                 (string-split text))))

(define (lispe:join items . mark)
  "The texts of a list, with a mark between them."
  (string-join (map %text (%elements items)) (if (pair? mark) (car mark) "")))

(define (replace text old new)
  "The text where each old part is new."
  (string-join (string-split text old) new))

(define (startwith text start)
  "Whether a text begins so."
  (string-prefix? start text))

(define (endwith text end) "Whether a text ends so." (string-suffix? end text))

(define (lispe:format template . values)
  "The template, with the first value for %1, the second for %2 and so on."
  (let loop ((k (length values)) (text template))
    (if (zero? k)
        text
        (loop (- k 1)
              (replace text (string "%" k) (%text (list-ref values (- k 1))))))))

(define (ord text)
  "The code of a character, or the list of those of a longer text."
  (let ((codes (map char->integer (string->list text))))
    (if (= (length codes) 1) (car codes) (%new-list 'integers codes))))

(define (chr code)
  "The text of a code, or of a list of codes."
  (list->string (map integer->char
                     (if (number? code) (list code) (%elements code)))))

(define (chrbyte bytes)
  "The text of a list of UTF-8 bytes."
  (utf8->string (apply bytevector (%elements bytes))))

;; JSON.

(define (json_parse text)
  "The value of a JSON text: dictionaries, lists, strings, numbers."
  (%from-json (string->json text)))

(define (json_read path)
  "The value of a file of JSON."
  (%from-json (read-json path)))

(define (%from-json x)
  (cond ((hash-table? x)
         (for-each (lambda (key) (hash-set! x key (%from-json (hash-ref x key #f))))
                   (hash-keys x))
         x)
        ((or (pair? x) (null? x)) (%new-list 'list (map %from-json x)))
        ((eq? x 'null) #f)
        (else x)))

(define (json x)
  "A value as a JSON text."
  (json->string (%to-json x)))

(define (%to-json x)
  (cond ((hash-table? x)
         (let ((table (make-hash-table)))
           (for-each (lambda (key)
                       (hash-set! table (%text key)
                                  (%to-json (hash-ref x key #f))))
                     (%dictionary-keys x))
           table))
        ((%list? x) (map %to-json (%elements x)))
        ((tensor? x) (%to-json (%list-of-tensor x)))
        ((or (number? x) (string? x) (eq? x #t)) x)
        ((not x) 'null)
        (else (%text x))))
