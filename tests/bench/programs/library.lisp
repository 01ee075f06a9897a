;; Times procedures of the library: `name nanoseconds` for each row of the
;; table, the median of several runs.  peers/library.py does the same.

(define runs 7)

(define (median times)
  (list-ref (sort times <) (quotient (length times) 2)))

(define (report name count job)
  (job)
  (let loop ((k 0) (times '()))
    (if (= k runs)
        (begin
          (display name)
          (display " ")
          (display (quotient (median times) count))
          (newline))
        (let ((start (current-jiffy)))
          (job)
          (loop (+ k 1) (cons (- (current-jiffy) start) times))))))

(define-syntax row
  (syntax-rules ()
    ((_ name count body)
     (report name count
             (lambda () (do ((k 0 (+ k 1))) ((= k count)) body))))))

(define items (iota 1000))
(define few (list 3 1 4 1 5))
(define vec (list->vector items))
(define shuffled (map (lambda (k) (modulo (* k 7919) 1009)) items))
(define words (map (lambda (k) (string-append "word" (number->string k)))
                   (iota 100)))
(define names '(ant bee cat dog eel fox gnu hen ibis jay))
(define by-symbol (map (lambda (name) (cons name 1)) names))
(define by-number (map (lambda (k) (cons k k)) (iota 10)))
(define by-text (map (lambda (k) (cons (string-append "k" (number->string k)) k))
                     (iota 10)))
(define text "the quick brown fox jumps over the lazy dog")
(define numbers-text (string-join (map number->string (iota 100)) ","))

(define (inc x) (+ x 1))
(define (small? x) (< x 500))
(define (add x sum) (+ x sum))
(define (before? a b) (< a b))
(define total 0)
(define (count! x) (set! total (+ total x)))
(define (count-char! c) (set! total (+ total 1)))
(define (three a b c) (+ a b c))

;; Lists.
(row "map" 20 (map inc items))
(row "map, a lambda" 20 (map (lambda (x) (* x x)) items))
(row "map, two lists" 20 (map (lambda (a b) (+ a b)) items items))
(row "map, five elements" 1000 (map inc few))
(row "for-each" 20 (for-each count! items))
(row "filter" 20 (filter small? items))
(row "fold" 20 (fold add 0 items))
(row "fold +" 20 (fold + 0 items))
(row "fold-right cons" 20 (fold-right cons '() items))
(row "any" 20 (any (lambda (x) (> x 998)) items))
(row "append, 1000 and 1000" 20 (append items items))
(row "append, 5 and 5" 1000 (append few few))
(row "assoc" 1000 (assoc "k5" by-text))
(row "assq" 1000 (assq 'fox by-symbol))
(row "assv" 1000 (assv 5 by-number))
(row "member" 1000 (member 5 few))
(row "list-ref" 1000 (list-ref few 4))
(row "list-tail" 1000 (list-tail few 2))
(row "length" 1000 (length few))
(row "reverse" 20 (reverse items))
(row "list->vector" 20 (list->vector items))
(row "vector->list" 20 (vector->list vec))
(row "list" 1000 (list 1 2 3 4 5))
(row "sort, <" 20 (sort shuffled <))
(row "sort, a procedure" 5 (sort shuffled before?))
(row "vector-map" 20 (vector-map inc vec))
(row "vector-for-each" 20 (vector-for-each count! vec))
(row "apply" 1000 (apply three '(1 2 3)))

;; Strings.
(row "string-append" 1000 (string-append "the " "quick " "fox"))
(row "substring" 1000 (substring text 4 9))
(row "string-split" 1000 (string-split text " "))
(row "string-join" 200 (string-join words ","))
(row "string->number" 1000 (string->number "12345"))
(row "number->string" 1000 (number->string 12345))
(row "string-for-each" 100 (string-for-each count-char! text))
(row "string->list" 100 (string->list text))
(row "characters"
     100
     (let loop ((k 0) (spaces 0))
       (cond ((= k (string-length text)) spaces)
             ((char=? (string-ref text k) #\space)
              (loop (+ k 1) (+ spaces 1)))
             (else (loop (+ k 1) spaces)))))
(row "format" 1000 (format "~a has ~d, ~,2f each~%" "Ada" 3 0.5))

;; Ports.
(row "string port, write-string"
     100
     (let ((out (open-output-string)))
       (for-each (lambda (word) (write-string word out)) words)
       (get-output-string out)))
(row "string port, write-char"
     100
     (let ((out (open-output-string)))
       (let loop ((k 0))
         (when (< k 100)
           (write-char #\x out)
           (loop (+ k 1))))
       (get-output-string out)))
(row "string port, read-char"
     100
     (let ((in (open-input-string numbers-text)))
       (let loop ((n 0))
         (if (eof-object? (read-char in)) n (loop (+ n 1))))))
(row "string port, read-line"
     100
     (let ((in (open-input-string "one\ntwo\nthree\nfour\nfive\n")))
       (let loop ((n 0))
         (if (eof-object? (read-line in)) n (loop (+ n 1))))))

;; Data.
(define document
  (json->string
   (map (lambda (k)
          (let ((table (make-hash-table)))
            (hash-set! table "name" (string-append "item " (number->string k)))
            (hash-set! table "price" (* k 0.25))
            (hash-set! table "tags" '("a" "b" "c"))
            (hash-set! table "sold" (even? k))
            table))
        (iota 20))))
(define data (string->json document))
(row "read-json" 5 (read-json (open-input-string document)))
(row "string->json" 5 (string->json document))
(row "json->string" 5 (json->string data))

;; Hash tables.
(define table (make-hash-table))
(for-each (lambda (name) (hash-table-set! table name 1)) names)
(for-each (lambda (k) (hash-table-set! table k 1)) items)
(for-each (lambda (word) (hash-table-set! table word 1)) words)
(row "hash-ref, a symbol" 1000 (hash-ref table 'fox 0))
(row "hash-ref, a string" 1000 (hash-ref table "word50" 0))
(row "hash-ref, a number" 1000 (hash-ref table 50 0))
(row "hash-set!" 1000 (hash-set! table 'fox 2))
(row "hash-table-ref/default" 1000 (hash-table-ref/default table 'fox 0))
(row "hash-table-set!" 1000 (hash-table-set! table 'fox 2))
(row "hash-table-update!" 1000 (hash-table-update! table 'fox inc))
(row "hash-table-update!/default"
     1000
     (hash-table-update!/default table 'fox inc 0))
(row "counting words"
     20
     (let ((counts (make-hash-table)))
       (for-each (lambda (word) (hash-update! counts word inc 0)) words)
       counts))
(row "hash-for-each" 100 (hash-for-each table (lambda (key value) (count! 1))))

;; Control.
(define (fails) (raise 'oops))
(define (errs) (error "oops" 1 2))
(define place (make-parameter 1))
(define (nothing) 1)
(row "guard that catches" 500 (guard (e ((symbol? e) e)) (fails)))
(row "guard that catches an error" 500 (guard (e (#t 1)) (errs)))
(row "guard that catches a car" 500 (guard (e (#t 1)) (car 5)))
(row "guard without an error" 500 (guard (e (#t 1)) (nothing)))
(row "call/cc, an escape" 500 (call/cc (lambda (return) (return 1))))
(row "call/cc from a loop"
     50
     (call/cc (lambda (return)
                (for-each (lambda (x) (when (> x 50) (return x))) items)
                0)))
(row "dynamic-wind" 500 (dynamic-wind nothing nothing nothing))
(row "parameterize" 500 (parameterize ((place 2)) (place)))
(row "values" 1000 (call-with-values (lambda () (values 1 2)) +))
(row "a loop of let" 20 (let loop ((k 0) (sum 0))
                          (if (= k 1000) sum (loop (+ k 1) (+ sum k)))))
(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
(row "fib 15" 20 (fib 15))
