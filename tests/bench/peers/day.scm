;; The rows of programs/day.lisp in Guile, as a Guile programmer writes them.  It has no sets: those
;; rows use hash tables; its mapping that stays as it was is a vhash.  It takes long, so it runs less.

(use-modules (ice-9 regex) (ice-9 match) (ice-9 format) (ice-9 ftw) (ice-9 rdelim)
             (ice-9 textual-ports) (ice-9 vlist) (srfi srfi-1) (srfi srfi-13) (srfi srfi-26))

(define runs 3)
(define folder (cadr (command-line)))

(define (report name count job)
  (let ((result (job)))
    (let loop ((k 0) (times '()))
      (if (= k runs)
          (let ((median (list-ref (sort times <) (quotient runs 2))))
            (for-each display
                      (list name #\tab (quotient (* median 1000000000)
                                                 (* count internal-time-units-per-second))
                            #\tab result #\newline))
            (force-output))
          (let ((start (get-internal-real-time)))
            (job)
            (loop (+ k 1) (cons (- (get-internal-real-time) start) times)))))))

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
(define entry (make-regexp "([A-Z]+) \\[([^]]+)\\] request ([^ ]+) took ([0-9]+) ms"))

(define (milliseconds line)
  (let ((m (regexp-exec entry line)))
    (if (string=? (match:substring m 1) "ERROR")
        (string->number (match:substring m 4))
        0)))

(row "regexp groups of log lines" 10 (sum (map milliseconds log)))
(define worker (make-regexp "worker-[135]\\]"))
(row "regexp search, lines kept" 10
     (length (filter (lambda (line) (regexp-exec worker line)) log)))
(define whole (make-regexp "^2026-11-1[0-9] .* [1-4][0-9]* ms$"))
(row "regexp match of whole lines" 10
     (length (filter (lambda (line) (regexp-exec whole line)) log)))
;; Each match copies the rest of a text: seconds for some thousands of them.
(set! runs 1)
(row "regexp replace, a string" 1
     (string-length (regexp-substitute/global #f "[0-9]+" log-text 'pre "#" 'post)))
(row "regexp replace, a procedure" 1
     (string-length
      (regexp-substitute/global #f "[a-z]+" log-text 'pre
                                (lambda (m) (string-upcase (match:substring m 0))) 'post)))
(define (parts pattern text)
  (let loop ((matches (list-matches pattern text)) (start 0) (parts '()))
    (if (null? matches)
        (reverse (cons (substring text start) parts))
        (loop (cdr matches) (match:end (car matches))
              (cons (substring text start (match:start (car matches))) parts)))))
(row "regexp split" 1 (length (parts "[][ \n]+" log-text)))
(row "regexp fold, words counted" 1
     (let ((counts (make-hash-table)))
       (fold-matches "[A-Za-z0-9_]+" log-text #f
                     (lambda (m acc)
                       (let ((word (match:substring m 0)))
                         (hash-set! counts word (+ 1 (hash-ref counts word 0))))))
       (hash-ref counts "INFO" 0)))

(set! runs 3)

;; Strings.

(define words (map (lambda (k) (string-append "word" (number->string (modulo (* k 7919) 1009))))
                   (iota 1000)))

(row "strings joined" 50 (string-length (string-join words ", ")))
(row "string port" 20
     (string-length
      (call-with-output-string
       (lambda (port)
         (for-each (lambda (word) (put-string port word) (put-char port #\space)) words)))))
(row "format, three fields" 10
     (string-length
      (string-join
       (map (lambda (k) (format #f "~a: ~,2f of ~d" (log-line k) (/ k 7.0) k)) (iota 300)))))
(row "strings split and changed" 20
     (string-length
      (string-join (map string-upcase (string-split log-text #\space)) "-")))

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

(define numbers (map (lambda (k) (modulo (* k 7919) 10007)) (iota 2000)))
(define (size-of table) (hash-count (const #t) table))

(row "hash table, words counted" 20
     (let ((counts (make-hash-table)))
       (for-each (lambda (word) (hash-set! counts word (+ 1 (hash-ref counts word 0)))) words)
       (size-of counts)))
(define (set-of numbers)
  (let ((set (make-hash-table)))
    (for-each (lambda (n) (hashv-set! set n #t)) numbers)
    set))
(row "set of numbers" 10 (size-of (set-of numbers)))
(define evens (set-of (filter even? numbers)))
(define thirds (set-of (filter (lambda (n) (= 0 (modulo n 3))) numbers)))
(define (copy-of set kept?)
  (let ((new (make-hash-table)))
    (hash-for-each (lambda (n _) (when (kept? n) (hashv-set! new n #t))) set)
    new))
(define (union a b)
  (let ((new (copy-of a (const #t))))
    (hash-for-each (lambda (n _) (hashv-set! new n #t)) b)
    new))
(row "set operations" 10
     (+ (size-of (union evens thirds))
        (size-of (copy-of evens (lambda (n) (hashv-ref thirds n))))
        (size-of (copy-of evens (lambda (n) (not (hashv-ref thirds n)))))))
(row "mapping, filled in order" 2
     (let* ((m (fold (lambda (k m) (vhash-consv k (* 2 k) m)) vlist-null numbers))
            (keys (sort (vhash-fold (lambda (k v keys) (cons k keys)) '() m) <)))
       (fold (lambda (k total) (+ total (cdr (vhash-assv k m)))) 0 keys)))
(row "hashmap, words counted" 5
     (let ((m (fold (lambda (word m)
                      (let ((old (vhash-assoc word m)))
                        (vhash-cons word (+ 1 (if old (cdr old) 0)) (vhash-delete word m))))
                    vlist-null words)))
       (vlist-length m)))

;; Sorting.

(define vec (list->vector numbers))
(row "sorted numbers" 20 (list-ref (stable-sort numbers <) 100))
(row "sorted by a procedure" 5
     (list-ref (stable-sort numbers (lambda (a b) (> (modulo a 100) (modulo b 100)))) 0))
(row "sorted words" 10 (string-length (list-ref (stable-sort words string<?) 5)))
(row "sorted vector" 20 (vector-ref (stable-sort vec <) 100))

;; Files.

(define path (string-append folder "/log.txt"))
(row "file, lines written" 5
     (begin
       (call-with-output-file path
         (lambda (port)
           (for-each (lambda (line) (put-string port line) (newline port)) log)))
       (stat:size (stat path))))
(define (lines-of path)
  (call-with-input-file path
    (lambda (port)
      (let loop ((lines '()))
        (let ((line (read-line port)))
          (if (eof-object? line) (reverse lines) (loop (cons line lines))))))))
(row "file, lines read" 10 (sum (map string-length (lines-of path))))
(row "file, one line after another" 5
     (call-with-input-file path
       (lambda (port)
         (let loop ((line (read-line port)) (total 0))
           (if (eof-object? line)
               total
               (loop (read-line port) (+ total (string-length line))))))))
(define tree (string-append folder "/tree"))
(row "folder walked" 5
     (let ((files 0))
       (ftw tree (lambda (name info flag) (when (eq? flag 'regular) (set! files (+ files 1))) #t))
       files))
