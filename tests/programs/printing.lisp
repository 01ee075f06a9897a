; display, write and print of every kind of object.
(display "a\"b") (display #\a) (display 'sym) (display 1.5) (newline) ; => a"basym1.5
(write "a\"b") (write #\a) (write 'sym) (write 1.5) (newline) ; => "a\"b"#\asym1.5
(display '(1 "two" #\3 four)) (newline)           ; => (1 two 3 four)
(write '(1 "two" #\3 four)) (newline)             ; => (1 "two" #\3 four)
(write '|hello world|) (write '||) (newline)      ; => |hello world|||
(write (list #t #f '() :key)) (newline)           ; => (#t #f () :key)
(print)                                           ; =>
(print "one" 'two 3)                              ; => one two 3
(define (named x) x)
(print car named (lambda (x) x))                  ; => #<procedure car> #<procedure named> #<procedure>
(write (list named (eof-object))) (newline)       ; => (#<procedure named> #<eof>)
(write (list #\space #\newline #\tab #\nul #\é)) (newline) ; => (#\space #\newline #\tab #\null #\é)
(write '(quote a)) (write ''a) (newline)          ; => 'a'a
(write (vector 1 "s" 'a)) (newline)               ; => #(1 "s" a)
(display (list 1.0 -0.0 1/2 100000000000000000000)) (newline) ; => (1.0 -0.0 1/2 100000000000000000000)
(display "") (display "two\nlines") (newline)     ; => two
                                                  ; => lines

(write "a\"b\\c\nd\te\x7;\x7f;λ→") (newline) ; => "a\"b\\c\nd\te\a\x7f;λ→"
(write '(|a b| a-b |1| |;| abcXYZ |a"b| + ... |.| |1+| |-1| -x || |a\|b|)) (newline) ; => (|a b| a-b |1| |;| abcXYZ |a"b| + ... |.| 1+ |-1| -x || |a\|b|)
(print -4611686018427387904 4611686018427387903 0 -1 10) ; => -4611686018427387904 4611686018427387903 0 -1 10
(print (symbol->string 'λx) (string-length (symbol->string (string->symbol ""))) (eq? (string->symbol "abc") 'abc) (eq? (symbol->string 'abc) (symbol->string 'abc))) ; => λx 0 #t #t
