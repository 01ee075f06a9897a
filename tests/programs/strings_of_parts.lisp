;; Strings made of characters and strings, code points and cases at their
;; limits, and lists that are turned round in place as far as they are owned.

(print (string) (string #\a) (string #\a "bc" #\d))  ; =>  a abcd
(print (string #\a "é" #\x1F600) (string-length (string #\a "é" #\x1F600)))  ; => aé😀 3
(print (string "x" 1 #\y 'z '(1 "s" #\c)))  ; => x1yz(1 s c)
(print (string-append) (string-append "a" "é" "") (string-append "ab" "cd"))  ; =>  aé abcd
(write (string "a" (string #\x0) "b"))  ; => "a\x0;b"
(newline)

(define (characters codes) (list->string (map integer->char codes)))
(print (map char->integer (string->list (characters '(0 127 128 55295 57344 1114111)))))  ; => (0 127 128 55295 57344 1114111)
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(print (message (lambda () (characters '(97 55296)))))  ; => integer->char: expected a code point, got 55296
(print (message (lambda () (characters '(97 1114112)))))  ; => integer->char: expected a code point, got 1114112
(print (message (lambda () (characters '(97 -1)))))  ; => integer->char: expected a non-negative exact integer, got -1
(print (message (lambda () (characters '(1.0)))))  ; => integer->char: expected a non-negative exact integer, got 1.0
(define (cases change) (list->string (map change (string->list "azAZ@[`{éÉß"))))
(print (cases char-upcase) (cases char-downcase))  ; => AZAZ@[`{ÉÉß azaz@[`{ééß
(print (message (lambda () (map char-upcase '("a")))))  ; => char-upcase: expected a character, got "a"

(define (last-part text k) (substring text k (string-length text)))
(print (last-part "hello" 3) (last-part "hello" 5))  ; => lo 
(print (message (lambda () (last-part "hello" 6))))  ; => substring: index 6 is out of range for length 5
(print (message (lambda () (substring "hello" 3 2))))  ; => substring: start 3 is after end 2

(define (numbers n tail) (if (= n 0) tail (cons n (numbers (- n 1) tail))))
(print (reverse (numbers 3 '())) (reverse (numbers 2 (list 8 9))))  ; => (1 2 3) (9 8 1 2)
(define shared (list 'a 'b))
(print (reverse (numbers 2 shared)) shared)  ; => (b a 1 2) (a b)
(print (message (lambda () (reverse (numbers 2 'end)))))  ; => reverse: expected a list, got (2 1 . end)
(print (message (lambda () (reverse (numbers 2 (cons 'c (cons 'd 'end)))))))  ; => reverse: expected a list, got (2 1 c d . end)
(define pairs (list 'x 'y))
(define improper (cons 1 (cons 2 'three)))
(print (message (lambda () (reverse (cons 0 improper)))) improper)  ; => reverse: expected a list, got (0 1 2 . three) (1 2 . three)
