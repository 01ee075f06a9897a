; SRFI 170 and 174: POSIX.
(import (srfi 170) (srfi 174))
(define (name thunk) (guard (e (#t (and (posix-error? e) (posix-error-name e)))) (thunk)))

; Errors.
(print (name (lambda () (read-symlink "/no/such"))) (posix-error? 5) (posix-error? (guard (e (#t e)) (error "no")))) ; => ENOENT #f #f
(print (guard (e (#t (posix-error-message e))) (open-directory "/no/such")) (name (lambda () (create-directory "/proc/x")))) ; => No such file or directory ENOENT

; Files.
(define folder (call-with-temporary-filename (lambda (path) (create-directory path #o700) path)))
(define (in name) (string-append folder "/" name))
(call-with-output-file (in "a") (lambda (port) (display "hello" port)))
(create-hard-link (in "a") (in "b"))
(create-symlink "a" (in "c"))
(create-fifo (in "d") #o600)
(create-directory (in "e"))
(create-fifo (in ".f"))
(rename-file (in "b") (in "g"))
(print (directory-files folder) (directory-files folder #t)) ; => (a c d e g) (.f a c d e g)
(define generate (make-directory-files-generator folder))
(print (generate) (generate)) ; => a c
(define open (open-directory folder))
(print (read-directory open) (begin (close-directory open) (eof-object? (read-directory open)))) ; => a #t
(print (read-symlink (in "c")) (equal? (real-path (in "c")) (real-path (in "a"))) (> (file-space folder) 0)) ; => a #t #t
(define info (file-info (in "a")))
(print (file-info? info) (file-info:size info) (file-info:nlinks info) (= (file-info:uid info) (user-effective-uid)) (= (file-info:inode info) (file-info:inode (file-info (in "g") #t)))) ; => #t 5 2 #t #t
(print (map exact-integer? (map (lambda (part) (part info)) (list file-info:device file-info:gid file-info:rdev file-info:blksize file-info:blocks)))) ; => (#t #t #t #t #t)
(define (kinds info) (map (lambda (is?) (is? info)) (list file-info-regular? file-info-directory? file-info-symlink? file-info-fifo? file-info-socket? file-info-device?)))
(print (kinds info) (kinds (file-info folder)) (kinds (file-info (in "c") #f))) ; => (#t #f #f #f #f #f) (#f #t #f #f #f #f) (#f #f #t #f #f #f)
(print (kinds (file-info (in "c"))) (kinds (file-info (in "d"))) (kinds (file-info "/dev/null"))) ; => (#t #f #f #f #f #f) (#f #f #f #t #f #f) (#f #f #f #f #f #t)
(print (call-with-input-file (in "a") (lambda (port) (= (file-info:inode (file-info port)) (file-info:inode info))))) ; => #t
(print (call-with-output-file (in "p") (lambda (port) (display "12345" port) (let ((size (file-info:size (file-info port #f)))) (truncate-file port 2) (list size (file-info:size (file-info port))))))) ; => (5 2)
(delete-file (in "p"))
(print (guard (e (#t (error-object-message e))) (file-info (open-input-string "x")))) ; => file-info: expected a path, or an open port of a file, got #<port>
(print (name (lambda () (call-with-input-file (in "a") (lambda (port) (truncate-file port 1)))))) ; => EINVAL
(print (call-with-input-file (in "a") (lambda (port) (> (file-space port) 0)))) ; => #t
(define tried '())
(call-with-values
  (lambda ()
    (call-with-temporary-filename
     (lambda (path)
       (set! tried (cons path tried))
       (if (< (length tried) 3) (create-directory folder))
       (values #t (length tried)))))
  (lambda results (print results (equal? (car tried) (cadr tried))))) ; => (#t 3) #f
(print (string? (temp-file-prefix)) (string-prefix? (temp-file-prefix) (create-temp-file))) ; => #t #t
(set-file-mode (in "a") #o600)
(set-file-owner (in "a") owner/unchanged group/unchanged)
(truncate-file (in "a") 3)
(set-file-times (in "a") (timespec 1000000000 500) (timespec -5 7))
(define changed (file-info (in "a")))
(print (number->string (file-info:mode changed) 8) (file-info:size changed) (timespec-seconds (file-info:atime changed)) (timespec-nanoseconds (file-info:atime changed)) (timespec=? (file-info:mtime changed) (timespec -5 7)) (timespec<? (file-info:mtime changed) (file-info:ctime changed))) ; => 600 3 1000000000 500 #t #t
(set-file-times (in "a") time/unchanged time/now)
(print (timespec-seconds (file-info:atime (file-info (in "a")))) (timespec<? (timespec 1000000000 0) (file-info:mtime (file-info (in "a"))))) ; => 1000000000 #t
(set-file-times (in "a"))
(print (name (lambda () (create-directory (in "e")))) (name (lambda () (delete-directory folder))) (name (lambda () (create-hard-link (in "x") (in "y"))))) ; => EEXIST ENOTEMPTY ENOENT
(delete-directory (in "e"))
(define file (parameterize ((temp-file-prefix (in "t"))) (create-temp-file)))
(print (file-info:size (file-info file)) (number->string (file-info:mode (file-info file)) 8) (string-prefix? (in "t") file) (file-exists? (create-temp-file (in "u")))) ; => 0 600 #t #t

; The process.
(define before (current-directory))
(set-current-directory! folder)
(print (equal? (current-directory) (real-path folder)) (file-exists? "a") (begin (set-current-directory! before) (equal? (current-directory) before))) ; => #t #t #t
(define mask (umask))
(set-umask! #o077)
(create-directory (in "h") #o777)
(print (umask) (number->string (file-info:mode (file-info (in "h"))) 8) (begin (set-umask! mask) (= (umask) mask))) ; => 63 700 #t
(print (> (pid) 1) (= (user-uid) (user-effective-uid)) (= (user-gid) (user-effective-gid)) (list? (user-supplementary-gids)) (exact-integer? (nice 0)) (<= (nice 0) (nice))) ; => #t #t #t #t #t #t
(define root (user-info 0))
(print (user-info? root) (user-info:name root) (user-info:uid root) (user-info:gid root) (string? (user-info:home-dir root)) (string? (user-info:shell root)) (string? (user-info:full-name root)) (list? (user-info:parsed-full-name root))) ; => #t root 0 0 #t #t #t #t
(print (user-info:uid (user-info "root")) (user-info "no-such-user") (group-info? (group-info 0)) (group-info:gid (group-info (group-info:name (group-info 0))))) ; => 0 #f #t 0
(set-environment-variable! "LAMBENT_170" "x")
(print (get-environment-variable "LAMBENT_170") (begin (delete-environment-variable! "LAMBENT_170") (get-environment-variable "LAMBENT_170"))) ; => x #f
(print (timespec? (posix-time)) (let ((start (monotonic-time))) (not (timespec<? (monotonic-time) start))) (terminal? (open-input-string ""))) ; => #t #t #f

; SRFI 174.
(print (timespec 1 2) (timespec? (timespec 1 2)) (timespec? '(1 . 2)) (timespec->inexact (timespec 1 500000000)) (timespec->inexact (timespec -1 500000000))) ; => #<timespec seconds: 1 nanoseconds: 2> #t #f 1.5 -0.5
(print (timespec=? (inexact->timespec -0.5) (timespec -1 500000000)) (timespec=? (timespec 1 2) (timespec 1 3)) (timespec<? (timespec 1 2) (timespec 1 3)) (timespec<? (timespec 2 0) (timespec 1 9))) ; => #t #f #t #f
(print (= (timespec-hash (timespec 1 2)) (timespec-hash (timespec 1 2))) (exact-integer? (timespec-hash (timespec -1 2))) (guard (e (#t (error-object-message e))) (timespec 1 1000000000))) ; => #t #t timespec: expected an integer from 0 to 999999999, got 1000000000
(delete-folder folder :recursive #t)
(print (file-exists? folder)) ; => #f
