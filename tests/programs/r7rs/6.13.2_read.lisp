; R7RS 6.13.2: read.
(define in (open-input-string "(a \"b\" #\\c 1.5 . d) #(1 2) #u8(3) ;x\n#|y|# 'z #;w :key last"))
(write (list (read in) (read in) (read in) (read in))) ; => ((a "b" #\c 1.5 . d) #(1 2) #u8(3) 'z)
(newline)
(write (list (read in) (read in) (read in) (eof-object? (read in)))) ; => (:key last #<eof> #t)
(newline)
(print (with-input-from-string "(1 2) 3" (lambda () (list (read) (read-char) (read-char) (read-char)))))
; => ((1 2)   3 #<eof>)

(define (read-from text) (read (open-input-string text)))
(write (map read-from '("|a b|" "\"\\x41;\\\n  b\"" "#\\space" "-1/2" "#xff" "1e3" "+inf.0" "#true" "()")))
(newline) ; => (|a b| "Ab" #\space -1/2 255 1000.0 +inf.0 #t ())
(write (map read-from '("`(a ,b ,@c)" "(a . (b . (c)))" "#!fold-case (ABC |ABC| #\\SPACE)" "#;a #|b|# c")))
(newline) ; => (`(a ,b ,@c) (a b c) (abc ABC #\space) c)

; Labels.
(define shared (read-from "(#0=(x) #0#)"))
(print shared (eq? (car shared) (cadr shared)))         ; => ((x) (x)) #t
(define circle (read-from "#0=(a #(#0#) . #0#)"))
(print circle (eq? circle (cddr circle)))               ; => #0=(a #(#0#) . #0#) #t
(set-car! (cdr circle) 0)
(set-cdr! (cdr circle) '())

; What is written is read.
(define data (list 'sym '|odd symbol| "s\t\"\x7f;" #\x0 #\λ 1/3 -0.0 1e21 :k #t '() (vector 1 "2") #u8(1)))
(print (equal? data (read-from (call-with-output-string (lambda (port) (write data port)))))) ; => #t

; Deep data take no stack.
(define deep (read-from (string-append (make-string 200000 #\() (make-string 200000 #\)))))
(print (let loop ((x deep) (n 0)) (if (null? x) n (loop (car x) (+ n 1))))) ; => 199999

; Mistakes.
(for-each
 (lambda (text)
   (print (guard (e ((read-error? e) (error-object-message e))) (read-from text))))
 '(")" "(a\n ]" "(a (b" "#(1 . 2)" "(a . b c)" "(a . )" "\"abc" "\"a\\q\"" "|a" "#\\nope" "#foo" "#xg"
   "1/0" "#u8(256)" "(a ')" "#;" "#| a" "#0#" "(#0=a #0=b)" "#0=#0#"))
; => read: unexpected ) at line 1, column 1
; => read: ( opened at 1:1 is closed by ] at line 2, column 2
; => read: unclosed ( at line 1, column 4
; => read: unexpected . at line 1, column 5
; => read: unexpected . at line 1, column 4
; => read: unexpected . at line 1, column 4
; => read: unclosed " at line 1, column 1
; => read: unknown escape: \q at line 1, column 3
; => read: unclosed | at line 1, column 1
; => read: unknown character name: #\nope at line 1, column 1
; => read: unknown syntax: #foo at line 1, column 1
; => read: bad number: #xg at line 1, column 1
; => read: division by zero: 1/0 at line 1, column 1
; => read: not a byte: 256 at line 1, column 5
; => read: nothing follows ' at line 1, column 4
; => read: nothing follows #; at line 1, column 1
; => read: unclosed #| at line 1, column 1
; => read: unknown datum label: #0# at line 1, column 1
; => read: datum label #0= is given twice at line 1, column 7
; => read: datum label #0= labels itself at line 1, column 1
(write (map read-from '("#T" "#FALSE" "#U8(1)" "\"a\r\nb\rc\\\r\n d\"")))
(newline)  ; => (#t #f #u8(1) "a\nb\ncd")
