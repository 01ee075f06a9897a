; Files and folders: list, walk, create, copy, delete, lock.
(define (message thunk)
  (guard (e (#t (let ((text (error-object-message e)))
                  (string-append (car (string-split text "\"")) (last (string-split text "\""))))))
    (thunk)))
(define (write-text path text) (call-with-output-file path (lambda (port) (display text port))))

(call-with-temporary-folder
 (lambda (folder)
   (define (in name) (path-join folder name))
   (define (seen paths) (map (lambda (path) (path-relative path folder)) paths))
   (make-folder (in "x/y/z"))
   (make-folder (in "x/y"))
   (write-text (in "x/a.txt") "hello")
   (write-text (in "x/.hidden.txt") "")
   (print (folder? (in "x")) (file? (in "x")) (folder? (in "x/a.txt")) (file? (in "x/a.txt")) (file? (in "no"))) ; => #t #f #f #t #f
   (copy-file (in "x/a.txt") (in "x/y/b.txt"))
   (set-file-mode (in "x/a.txt") #o640)
   (copy-file (in "x/a.txt") (in "c.md"))
   (print (file-size (in "c.md")) (number->string (file-mode (in "c.md")) 8) (< (abs (- (file-modified (in "c.md")) (current-second))) 1000)) ; => 5 640 #t
   (print (list-folder folder) (seen (walk-folder folder))) ; => (c.md x) (c.md x x/.hidden.txt x/a.txt x/y x/y/b.txt x/y/z)
   (print (seen (glob (in "**/*.txt"))) (seen (glob (in "x/.*"))) (seen (glob (in "*/y"))) (seen (glob (in "[a-c].m?")))) ; => (x/a.txt x/y/b.txt) (x/.hidden.txt) (x/y) (c.md)
   (with-current-folder folder
     (lambda () (print (glob "x/*.txt") (glob "no/*") (glob "**") (file? "c.md")))) ; => (x/a.txt) () (c.md x x/a.txt x/y x/y/b.txt x/y/z) #t
   (copy-folder (in "x") (in "w"))
   (print (seen (walk-folder (in "w"))) (read-text (in "w/y/b.txt"))) ; => (w/.hidden.txt w/a.txt w/y w/y/b.txt w/y/z) hello
   (create-symlink "a.txt" (in "x/link"))
   (print (symlink? (in "x/link")) (file? (in "x/link")) (read-text (in "x/link")) (symlink? (in "x/a.txt"))) ; => #t #t hello #f
   (delete-folder (in "w") :recursive #t)
   (create-symlink (in "x") (in "to-x"))
   (make-folder (in "v"))
   (create-symlink (in "x") (in "v/to-x"))
   (delete-folder (in "v") :recursive #t)
   (print (folder? (in "w")) (folder? (in "x/y"))) ; => #f #t
   (move-file (in "c.md") (in "x/y"))
   (move-file (in "x/y/c.md") (in "d.md"))
   (print (list-folder (in "x/y")) (list-folder folder)) ; => (b.txt z) (d.md to-x x)
   (touch-file (in "new"))
   (touch-file (in "d.md"))
   (truncate-file (in "d.md") 2)
   (print (file-size (in "new")) (read-text (in "d.md"))) ; => 0 he

   ; A file appears whole, or not at all.
   (call-with-atomic-output-file (in "whole") (lambda (port) (display "first" port)))
   (print (message (lambda () (call-with-atomic-output-file (in "whole") (lambda (port) (display "second" port) (error "stop")))))) ; => stopstop
   (print (read-text (in "whole")) (seen (glob (in "whole*")))) ; => first (whole)
   (print (call-with-atomic-output-file (in "whole") (lambda (port) (write-u8 65 port) 'done) :binary #t) (read-text (in "whole"))) ; => done A
   (print (call-with-file-lock (in "lock") (lambda () (call-with-file-lock (in "other") (lambda () 5))))) ; => 5

   ; Errors.
   (print (message (lambda () (list-folder (in "no"))))) ; => list-folder: cannot open : No such file or directory
   (print (message (lambda () (copy-file (in "no") (in "c"))))) ; => copy-file: cannot look at : No such file or directory
   (print (message (lambda () (copy-file (in "d.md") (in "new") :replace #f)))) ; => copy-file: there is a file already:copy-file: there is a file already:
   (print (message (lambda () (copy-file (in "d.md") (in "x/../d.md"))))) ; => copy-file: a file cannot be copied to itself:copy-file: a file cannot be copied to itself:
   (print (message (lambda () (delete-folder (in "x"))))) ; => delete-folder: cannot delete the folder : Directory not empty
   (print (message (lambda () (make-folder (in "d.md/x"))))) ; => make-folder: cannot create the folder : File exists
   (print (message (lambda () (file-size (in "a\x0;b"))))) ; => file-size: cannot look at : Invalid argument
   (print (message (lambda () (set-file-mode (in "d.md") -1)))) ; => set-file-mode: expected permissions, an integer from 0 to #o7777, got -1set-file-mode: expected permissions, an integer from 0 to #o7777, got -1
   (print (message (lambda () (list-folder 5)))) ; => list-folder: expected a string, got 5list-folder: expected a string, got 5
   (print (guard (e (#t (list (file-error? e) (posix-error? e) (posix-error-name e) (posix-error-message e)))) (open-input-file (in "no")))) ; => (#t #t ENOENT No such file or directory)
   (print (map (lambda (f) (f folder)) (list folder? file? symlink?))))) ; => (#t #f #f)

; Temporary files go when their block ends.
(define kept #f)
(print (call-with-temporary-file (lambda (path) (set! kept path) (file-size path))) (file-exists? kept)) ; => 0 #f
(print (message (lambda () (call-with-temporary-folder (lambda (path) (set! kept path) (make-folder (path-join path "a/b")) (error "stop"))))) (folder? kept)) ; => stopstop #f
