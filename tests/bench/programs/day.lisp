;; A day's work: each line of the output is a row's name, the median of its runs in
;; nanoseconds, and a result, with tabs between them.  peers/day.py and peers/day.scm do the
;; same work.

(import (srfi 113) (srfi 125) (srfi 128) (srfi 132) (srfi 146) (srfi 146 hash))

(define runs 5)
(define folder (list-ref (command-line) 1))

(define (report name count job)
  (let ((result (job)))
    (let loop ((k 0) (times '()))
      (if (= k runs)
          (let ((median (list-ref (list-sort < times) (quotient runs 2))))
            (for-each display
                      (list name #\tab (quotient median count) #\tab result #\newline)))
          (let ((start (current-jiffy)))
            (job)
            (loop (+ k 1) (cons (- (current-jiffy) start) times)))))))

(define-syntax row
  (syntax-rules ()
    ((_ name count body)
     (report name count
             (lambda ()
               (let loop ((k 1))
                 (if (= k count) body (begin body (loop (+ k 1))))))))))

(define (sum numbers) (fold + 0 numbers))

;; Regular expressions.

(define levels #("INFO" "WARN" "ERROR" "DEBUG"))
(define (log-line k)
  (string-append "2026-11-" (number->string (+ 10 (modulo k 20))) " 08:19:01 "
                 (vector-ref levels (modulo k 4)) " [worker-" (number->string (modulo k 7))
                 "] request /page/" (number->string k) " took "
                 (number->string (modulo (* k 7919) 997)) " ms"))
(define log (map log-line (iota 500)))
(define log-text (string-join log "\n"))
(define entry
  (rx (-> level (+ upper)) " [" ($ (+ (~ "]"))) "] request " ($ (+ (~ space)))
      " took " (-> ms (+ num)) " ms"))

(define (milliseconds line)
  (let ((m (regexp-search entry line)))
    (if (string=? (regexp-match-submatch m 'level) "ERROR")
        (string->number (regexp-match-submatch m 'ms))
        0)))

(row "regexp groups of log lines" 10 (sum (map milliseconds log)))
(row "regexp search, lines kept" 10
     (length (filter (lambda (line) (regexp-search (rx "worker-" ("135") "]") line)) log)))
(row "regexp match of whole lines" 10
     (length (filter (lambda (line) (regexp-matches? (pregexp "2026-11-1\\d .* [1-4]\\d* ms") line))
                     log)))
(row "regexp replace, a string" 10
     (string-length (regexp-replace-all (pregexp "\\d+") log-text "#")))
(row "regexp replace, a procedure" 5
     (string-length
      (regexp-replace-all (pregexp "[a-z]+") log-text
                          (lambda (m) (string-upcase (regexp-match-submatch m 0))))))
(row "regexp split" 10 (length (regexp-split (pregexp "[\\s\\[\\]]+") log-text)))
(row "regexp fold, words counted" 5
     (let ((counts (make-hash-table (make-default-comparator))))
       (regexp-fold (pregexp "\\w+")
                    (lambda (i m text acc)
                      (hash-table-update!/default counts (regexp-match-submatch m 0)
                                                  (lambda (n) (+ n 1)) 0))
                    #f log-text)
       (hash-table-ref/default counts "INFO" 0)))

;; Strings.

(define words (map (lambda (k) (string-append "word" (number->string (modulo (* k 7919) 1009))))
                   (iota 1000)))

(row "strings joined" 50 (string-length (string-join words ", ")))
(row "string port" 20
     (string-length
      (call-with-output-string
       (lambda (port)
         (for-each (lambda (word) (write-string word port) (write-char #\space port))
                   words)))))
(row "format, three fields" 10
     (string-length
      (string-join
       (map (lambda (k) (format #f "~a: ~,2f of ~d" (log-line k) (/ k 7.0) k)) (iota 300)))))
(row "strings split and changed" 20
     (string-length
      (string-join (map string-upcase (string-split log-text " ")) "-")))

;; match.

(define (plus a b) (match (list a b) ((0 b) b) ((a 0) a) ((a b) (list '+ a b))))
(define (times a b)
  (match (list a b) ((0 _) 0) ((_ 0) 0) ((1 b) b) ((a 1) a) ((a b) (list '* a b))))
(define (derivative e)
  (match e
    ((? number?) 0)
    ('x 1)
    ((? symbol?) 0)
    (('+ a b) (plus (derivative a) (derivative b)))
    (('* a b) (plus (times (derivative a) b) (times a (derivative b))))
    (('expt a (? number? n)) (times (times n (list 'expt a (- n 1))) (derivative a)))))
(define (size e) (match e ((_ . parts) (fold + 1 (map size parts))) (_ 1)))
(define polynomial
  (fold (lambda (k e) (list '+ (list '* k (list 'expt 'x k)) (list '* e 'x))) 'x (iota 12 2)))

(row "match, derivatives" 20 (size (derivative (derivative polynomial))))

(define (value e env)
  (match e
    ((? number? n) n)
    ((? symbol? s) (cdr (assq s env)))
    (('let ((name init)) body) (value body (cons (cons name (value init env)) env)))
    (('if test then else) (if (= 0 (value test env)) (value else env) (value then env)))
    (('+ a b) (+ (value a env) (value b env)))
    (('- a b) (- (value a env) (value b env)))
    (('* a b) (* (value a env) (value b env)))))
(define program
  '(let ((a (+ x 3))) (let ((b (* a (- x 1)))) (if (- b 4) (+ (* a b) (- b x)) (* a 7)))))

(row "match, an interpreter" 5
     (sum (map (lambda (k) (value program (list (cons 'x k)))) (iota 1000))))

;; Sets and mappings.

(define comparator (make-default-comparator))
(define numbers (map (lambda (k) (modulo (* k 7919) 10007)) (iota 2000)))

(row "hash table, words counted" 20
     (let ((counts (make-hash-table comparator)))
       (for-each (lambda (word)
                   (hash-table-update!/default counts word (lambda (n) (+ n 1)) 0))
                 words)
       (hash-table-size counts)))
(row "set of numbers" 10 (set-size (list->set comparator numbers)))
(define evens (list->set comparator (filter even? numbers)))
(define thirds (list->set comparator (filter (lambda (n) (= 0 (modulo n 3))) numbers)))
(row "set operations" 10
     (+ (set-size (set-union evens thirds)) (set-size (set-intersection evens thirds))
        (set-size (set-difference evens thirds))))
(row "mapping, filled in order" 2
     (let ((m (fold (lambda (k m) (mapping-set m k (* 2 k))) (mapping comparator) numbers)))
       (mapping-fold (lambda (k v total) (+ v total)) 0 m)))
(row "hashmap, words counted" 5
     (hashmap-size
      (fold (lambda (word m) (hashmap-update/default m word (lambda (n) (+ n 1)) 0))
            (hashmap comparator) words)))

;; Sorting.

(define vec (list->vector numbers))
(row "sorted numbers" 20 (list-ref (list-sort < numbers) 100))
(row "sorted by a procedure" 5
     (list-ref (list-sort (lambda (a b) (> (modulo a 100) (modulo b 100))) numbers) 0))
(row "sorted words" 10 (string-length (list-ref (list-sort string<? words) 5)))
(row "sorted vector" 20 (vector-ref (vector-sort < vec) 100))

;; Files.

(define path (path-join folder "log.txt"))
(row "file, lines written" 5
     (begin
       (call-with-output-file path
         (lambda (port)
           (for-each (lambda (line) (write-string line port) (newline port)) log)))
       (file-size path)))
(row "file, lines read" 10 (sum (map string-length (read-lines path))))
(row "file, one line after another" 5
     (call-with-input-file path
       (lambda (port)
         (let loop ((line (read-line port)) (total 0))
           (if (eof-object? line) total (loop (read-line port) (+ total (string-length line))))))))

(define tree (path-join folder "tree"))
(unless (file-exists? tree)
  (create-directory tree)
  (for-each
   (lambda (k)
     (let ((inside (path-join tree (number->string k))))
       (create-directory inside)
       (for-each (lambda (n)
                   (call-with-output-file (path-join inside (number->string n))
                     (lambda (port) (write n port))))
                 (iota 20))))
   (iota 10)))
(row "folder walked" 5 (length (filter file? (walk-folder tree))))
