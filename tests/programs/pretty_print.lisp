; What fits a line stays on it; longer data are laid out, cycles end.
(pretty-print '(1 "two" #\3))                          ; => (1 "two" #\3)
(pretty-print (iota 30))
; => (0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28
; =>  29)
(pretty-print '(define (area shape) (let ((width (car shape)) (height (cdr shape))) (if (< width 0) (error "negative" width) (* width height)))))
; => (define (area shape)
; =>   (let ((width (car shape)) (height (cdr shape)))
; =>     (if (< width 0) (error "negative" width) (* width height))))
(pretty-print (vector "a long text of forty characters or so...." "another one of about as many as before."))
; => #("a long text of forty characters or so...."
; =>   "another one of about as many as before.")
(pretty-print (hash-table 'name "a long text of forty characters or so" 'numbers (iota 12) "k" '()))
; => #<hash-table
; =>   name: "a long text of forty characters or so"
; =>   numbers: (0 1 2 3 4 5 6 7 8 9 10 11)
; =>   "k": ()>
(define cycle (list "a long text of forty characters or so" "another long text of forty characters or so"))
(set-cdr! (cdr cycle) cycle)
(pretty-print (list cycle 'end))
; => (#0=("a long text of forty characters or so" "another long text of forty characters or so" . #0#)
; =>  end)
(set-cdr! (cdr cycle) '())
(define inner (list "a long text of forty characters or so" "another long text of forty characters or so"))
(set-car! (cdr inner) inner)
(pretty-print inner)                                   ; => #0=("a long text of forty characters or so" #0#)
(set-car! (cdr inner) '())
(define deep (list (iota 25) "a long text of forty characters or so"))
(set-cdr! (cdr deep) (list deep))
(pretty-print deep)
; => ((0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24)
; =>  "a long text of forty characters or so"
; =>  #0=((0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24) "a long text of forty characters or so" #0#))
(set-cdr! (cdr deep) '())
(pretty-print '(let loop ((i 0) (sum 0)) (if (< i 1000000) (loop (+ i 1) (+ sum (* i i))) (begin (print sum) sum))))
; => (let loop ((i 0) (sum 0))
; =>   (if (< i 1000000) (loop (+ i 1) (+ sum (* i i))) (begin (print sum) sum)))
(pretty-print '(1 . 2))                                ; => (1 . 2)
(pretty-print "text" (current-output-port))            ; => "text"
(pretty-print '(let loop ((i 0)) (if (< i 10000000) (loop (+ i 1)) (begin (display "done with it all") 'finished))))
; => (let loop ((i 0))
; =>   (if (< i 10000000)
; =>     (loop (+ i 1))
; =>     (begin (display "done with it all") 'finished)))
