; Training logs: rows, late columns, resumed runs, wrong use.
(define path (string "/tmp/lambent-log-" (current-jiffy)))
(define csv (string path ".csv"))
(define jsonl (string path ".jsonl"))
(define (show path)
  (for-each print (read-lines path)))

(define log (training-log csv))
(print (training-log? log) (training-log? csv))   ; => #t #f
(log-write! log '(("step" . 1) ("loss" . 0.5)))
(show csv)
; => step,loss
; => 1,0.5
(log-write! log '((loss . 1/4) (step . 2)))
(log-write! log (list (cons "step" 3) (cons "note" "a, b") (cons "loss" [0.125])))
(show csv)
; => step,loss,note
; => 1,0.5,
; => 2,0.25,
; => 3,0.125,"a, b"
(write (read-log csv))
(newline)
; => ((("step" . 1) ("loss" . 0.5)) (("step" . 2) ("loss" . 0.25)) (("step" . 3) ("loss" . 0.125) ("note" . "a, b")))
(print (log-column (read-log csv) "note") (log-column (read-log csv) "no"))  ; => (a, b) ()
(log-close! log)

; A run that resumes at step 2 writes that step again.
(define log
  (training-log csv :keep (lambda (row) (< (cdr (assoc "step" row)) 2))))
(log-write! log '(("step" . 2) ("loss" . -1.5e-9)))
(show csv)
; => step,loss,note
; => 1,0.5,
; => 2,-1.5e-9,
(log-close! log)

; A line that a killed run has not finished is cut off.
(call-with-output-file csv (lambda (port) (display "3,0.1" port)) :append #t)
(print (length (read-log csv)))                   ; => 2
(log-close! (training-log csv))
(show csv)
; => step,loss,note
; => 1,0.5,
; => 2,-1.5e-9,
(log-close! (training-log csv :fresh #t))
(print (read-log csv) (read-lines csv))           ; => () ()
(define log (training-log csv))
(log-write! log '(("a" . #t) ("b" . "true") ("c" . "")))
(show csv)
; => a,b,c
; => true,"true",""
(write (read-log csv))
(newline)                                         ; => ((("a" . #t) ("b" . "true") ("c" . "")))

(define log (training-log jsonl))
(define row (make-hash-table))
(hash-set! row "step" 1)
(hash-set! row 'loss (/ 0. 0.))
(log-write! log row)
(log-write! log '(("note" . "two\nlines") ("up" . +inf.0)))
(show jsonl)
; => {"step":1,"loss":"NaN"}
; => {"note":"two\nlines","up":"Infinity"}
(write (read-log jsonl))
(newline)
; => ((("step" . 1) ("loss" . +nan.0)) (("note" . "two\nlines") ("up" . +inf.0)))

(define-syntax complain
  (syntax-rules ()
    ((_ form ...)
     (begin
       (guard (e (#t (print (error-object-message e) (error-object-irritants e))))
         form)
       ...))))
(complain
 (training-log "run.txt")          ; => training-log: a log ends with .csv or .jsonl, got (run.txt)
 (training-log 5)                  ; => training-log: expected a string, got 5 ()
 (training-log "no/such.csv")      ; => open-output-file: cannot open "no/such.csv": No such file or directory ()
 (read-log "no/such.csv")          ; => open-input-file: cannot open "no/such.csv": No such file or directory ()
 (log-write! "a" '(("a" . 1)))     ; => log-write!: expected a log, got "a" ()
 (log-write! log '())              ; => log-write!: expected an alist or a hash table with a column at least, got () ()
 (log-write! log '(1 2))           ; => log-write!: expected an alist or a hash table with a column at least, got (1 2) ()
 (log-write! log '((1 . 2)))       ; => log-write!: expected a string or a symbol as a column's name, got 1 ()
 (log-write! log '(("a" 1 2)))     ; => log-write!: expected a number, a string, a boolean or a tensor of one element in the column a, got (1 2) ()
 (log-write! log (list (cons "a" [1 2])))  ; => log-write!: expected a number, a string, a boolean or a tensor of one element in the column a, got a tensor int64 (2) ()
 (log-write! log '(("a" . 1) (a . 2))))    ; => log-write!: a column is given twice: (a)
(log-close! log)
(call-with-output-file csv (lambda (port) (display "a,b\n1\n" port)))
(call-with-output-file jsonl (lambda (port) (display "{}\n[1]\n" port)))
(define (without-path text) (string-join (string-split text path) "run"))
(define-syntax complain-of-file
  (syntax-rules ()
    ((_ form) (guard (e (#t (print (without-path (error-object-message e))))) form))))
(complain-of-file (log-write! log '(("a" . 1))))  ; => log-write!: the log is closed: run.jsonl
(complain-of-file (read-log csv))      ; => read-log: run.csv, line 2: expected 2 fields, got 1
(complain-of-file (read-log jsonl))    ; => read-log: run.jsonl, line 2: expected a JSON object
(complain-of-file (training-log csv))  ; => read-log: run.csv, line 2: expected 2 fields, got 1
(delete-file csv)
(delete-file jsonl)
