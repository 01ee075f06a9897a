; R7RS 6.3: booleans.
(write (list #t #f #true #false))
(newline)                                         ; => (#t #f #t #f)
(write '#false)
(newline)                                         ; => #f
(print (not 3) (not (list 3)) (not #f) (not '()) (not (list)) (not 'nil)) ; => #f #f #t #f #f #f
(print (boolean? #f) (boolean? 0) (boolean? '())) ; => #t #f #f
(print (boolean=? #t #t) (boolean=? #f #f #f) (boolean=? #t #t #f)) ; => #t #t #f
(print (apply boolean=? (list #f #f)) (boolean=? #f #t)) ; => #t #f
(print (if '() "true" "false") (if 0 "true" "false") (if "" "true" "false")) ; => true true true
