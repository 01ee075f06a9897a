; rename-file gives a file another name in one step, and replaces a file there.
(define (put path text)
  (call-with-output-file path (lambda (port) (display text port))))
(define from (string "/tmp/lambent-renamed-" (current-jiffy)))
(define to (string from "-to"))
(put from "new")
(put to "old")
(rename-file from to)
(print (file-exists? from) (read-lines to))              ; => #f (new)
(delete-file to)
(define (complain thunk)
  (guard (e (#t (print (file-error? e) (error-object-message e)))) (thunk)))
(complain (lambda () (rename-file "no/such" "x")))  ; => #t rename-file: cannot rename "no/such": No such file or directory
(complain (lambda () (rename-file 1 "x")))      ; => #f rename-file: expected a string, got 1
(complain (lambda () (rename-file "x" 'a)))     ; => #f rename-file: expected a string, got a
(complain (lambda () (rename-file "no/such" "a\x0;b")))  ; => #t rename-file: cannot rename "no/such": Invalid argument
