;; The folder of the program is there, and its name does not end with a slash.

(define folder (program-folder))
(print (string? folder) (file-exists? folder))  ; => #t #t
(print (string-suffix? "/" folder))  ; => #f
(print (char=? (string-ref folder 0) #\/))  ; => #t
