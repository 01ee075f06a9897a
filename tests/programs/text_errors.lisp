; What procedures of characters, strings, symbols and bytes say of wrong arguments.
(define (try thunk)
  (guard (e ((error-object? e) (print (error-object-message e))))
    (thunk)
    (print "no error")))
(try (lambda () (char<? #\a 1)))  ; => char<?: expected a character, got 1
(try (lambda () (char=? 'a)))  ; => char=?: expected a character, got a
(try (lambda () (apply char>? (list #\b #\a "c"))))  ; => char>?: expected a character, got "c"
(try (lambda () (char-ci=? #\a "a")))  ; => char-ci=?: expected a character, got "a"
(try (lambda () (char-upcase "a")))  ; => char-upcase: expected a character, got "a"
(try (lambda () (char-alphabetic? 97)))  ; => char-alphabetic?: expected a character, got 97
(try (lambda () (char-numeric? "1")))  ; => char-numeric?: expected a character, got "1"
(try (lambda () (digit-value 1)))  ; => digit-value: expected a character, got 1
(try (lambda () (char->integer "a")))  ; => char->integer: expected a character, got "a"
(try (lambda () (integer->char -1)))  ; => integer->char: expected a non-negative exact integer, got -1
(try (lambda () (integer->char #x110000)))  ; => integer->char: expected a code point, got 1114112
(try (lambda () (integer->char 1.5)))  ; => integer->char: expected a non-negative exact integer, got 1.5
(try (lambda () (char-foldcase)))  ; => char-foldcase: expected 1 argument, got 0
(try (lambda () (string-length 'a)))  ; => string-length: expected a string, got a
(try (lambda () (string-ref "abc" 3)))  ; => string-ref: index 3 is out of range for length 3
(try (lambda () (string-ref "abc" -1)))  ; => string-ref: expected a non-negative exact integer, got -1
(try (lambda () (string-ref "abc" 1.0)))  ; => string-ref: expected a non-negative exact integer, got 1.0
(try (lambda () (string-ref 'abc 0)))  ; => string-ref: expected a string, got abc
(try (lambda () (make-string 2 "a")))  ; => make-string: expected a character, got "a"
(try (lambda () (make-string -1)))  ; => make-string: expected a non-negative exact integer, got -1
(try (lambda () (substring "abc" 4)))  ; => substring: index 4 is out of range for length 3
(try (lambda () (substring "abc" 0 4)))  ; => substring: index 4 is out of range for length 3
(try (lambda () (substring 5 0)))  ; => substring: expected a string, got 5
(try (lambda () (string-append "a" 'b)))  ; => string-append: expected a string, got b
(try (lambda () (string=? "a" 'b)))  ; => string=?: expected a string, got b
(try (lambda () (string<? 'a)))  ; => string<?: expected a string, got a
(try (lambda () (string-ci<? "a" 1)))  ; => string-ci<?: expected a string, got 1
(try (lambda () (sort (list "b" 'a) string<?)))  ; => string<?: expected a string, got a
(try (lambda () (string->list "abc" 2 1)))  ; => string->list: start 2 is after end 1
(try (lambda () (list->string '(#\a 1))))  ; => list->string: expected a character, got 1
(try (lambda () (list->string '(#\a . #\b))))  ; => list->string: expected a list, got (#\a . #\b)
(try (lambda () (vector->string #(#\a b))))  ; => vector->string: expected a character, got b
(try (lambda () (vector->string "a")))  ; => vector->string: expected a vector, got "a"
(try (lambda () (string->vector "abc" 4)))  ; => string->vector: index 4 is out of range for length 3
(try (lambda () (string-copy 'a)))  ; => string-copy: expected a string, got a
(try (lambda () (string-upcase #\a)))  ; => string-upcase: expected a string, got #\a
(try (lambda () (string-map char-upcase 'a)))  ; => string-map: expected a string, got a
(try (lambda () (string-map (lambda (c) 1) "ab")))  ; => string-map: expected a character, got 1
(try (lambda () (string-for-each display "a" 5)))  ; => string-for-each: expected a string, got 5
(try (lambda () (string-set! "a" 0 #\b)))  ; => string-set!: strings are immutable
(try (lambda () (string-fill! "a" #\b)))  ; => string-fill!: strings are immutable
(try (lambda () (string-copy! "a" 0 "b")))  ; => string-copy!: strings are immutable
(try (lambda () (string-contains "abc" #\a)))  ; => string-contains: expected a string, got #\a
(try (lambda () (string-contains "abc" "a" 4)))  ; => string-contains: index 4 is out of range for length 3
(try (lambda () (string-index "abc" "a")))  ; => string-index: expected a character or a procedure, got "a"
(try (lambda () (string-index 5 #\a)))  ; => string-index: expected a string, got 5
(try (lambda () (string-index "abc" #\a 2 1)))  ; => string-index: start 2 is after end 1
(try (lambda () (string-index "abc" #\a 0 1 2)))  ; => string-index: expected 2 to 4 arguments, got 5
(try (lambda () (string-trim " a " 5)))  ; => string-trim: expected a character or a procedure, got 5
(try (lambda () (string-trim " a " #\a #\b)))  ; => string-trim: expected 1 to 2 arguments, got 3
(try (lambda () (string-take "abc" 4)))  ; => string-take: index 4 is out of range for length 3
(try (lambda () (string-drop-right "abc" 'x)))  ; => string-drop-right: expected a non-negative exact integer, got x
(try (lambda () (string-pad-right "abc" -1)))  ; => string-pad-right: expected a non-negative exact integer, got -1
(try (lambda () (string-pad-right "abc" 5 "0")))  ; => string-pad-right: expected a character, got "0"
(try (lambda () (string-concatenate '("a" b))))  ; => string-concatenate: expected a string, got b
(try (lambda () (string-replace "abc" "" "x")))  ; => string-replace: the part is empty
(try (lambda () (string-replace "abc" 0 1)))  ; => string-replace: expected a string, got 0
(try (lambda () (string-split "abc" "")))  ; => string-split: the separator is empty
(try (lambda () (string-join '("a" b))))  ; => string-join: expected a string, got b
(try (lambda () (string-tabulate (lambda (k) k) 2)))  ; => string-tabulate: expected a character, got 0
(try (lambda () (string-count "abc" 1)))  ; => string-count: expected a character or a procedure, got 1
(try (lambda () (symbol->string "a")))  ; => symbol->string: expected a symbol, got "a"
(try (lambda () (string->symbol 'a)))  ; => string->symbol: expected a string, got a
(try (lambda () (symbol=? 'a "a")))  ; => symbol=?: expected a symbol, got "a"
(try (lambda () (symbol=? 1)))  ; => symbol=?: expected a symbol, got 1
(try (lambda () (symbol<? 'a 1)))  ; => symbol<?: expected a symbol, got 1
(try (lambda () (keyword->symbol 'a)))  ; => keyword->symbol: expected a keyword, got a
(try (lambda () (symbol->keyword :a)))  ; => symbol->keyword: expected a symbol, got :a
(try (lambda () (gensym 5)))  ; => gensym: expected a string or a symbol, got 5
(try (lambda () (boolean=? #t 1)))  ; => boolean=?: expected a boolean, got 1
(try (lambda () (boolean=? 1)))  ; => boolean=?: expected a boolean, got 1
(try (lambda () (apply boolean=? '(#t #t 5))))  ; => boolean=?: expected a boolean, got 5
(try (lambda () (bytevector-u8-ref #u8(1 2) 2)))  ; => bytevector-u8-ref: index 2 is out of range for length 2
(try (lambda () (bytevector-u8-ref #(1 2) 0)))  ; => bytevector-u8-ref: expected a bytevector, got #(1 2)
(try (lambda () (bytevector-u8-ref #u8(1 2) 'a)))  ; => bytevector-u8-ref: expected a non-negative exact integer, got a
(try (lambda () (bytevector-u8-set! (bytevector 1) 0 256)))  ; => bytevector-u8-set!: expected a byte, got 256
(try (lambda () (bytevector-u8-set! (bytevector 1) 0 -1)))  ; => bytevector-u8-set!: expected a byte, got -1
(try (lambda () (bytevector-u8-set! (bytevector 1) 1 0)))  ; => bytevector-u8-set!: index 1 is out of range for length 1
(try (lambda () (make-bytevector 2 'a)))  ; => make-bytevector: expected a byte, got a
(try (lambda () (bytevector 1 1.5)))  ; => bytevector: expected a byte, got 1.5
(try (lambda () (bytevector-length "a")))  ; => bytevector-length: expected a bytevector, got "a"
(try (lambda () (bytevector-copy #u8(1 2 3) 4)))  ; => bytevector-copy: index 4 is out of range for length 3
(try (lambda () (bytevector-copy! (bytevector 1) 2 #u8())))  ; => bytevector-copy!: index 2 is out of range for length 1
(try (lambda () (bytevector-fill! (bytevector 1) 300)))  ; => bytevector-fill!: expected a byte, got 300
(try (lambda () (bytevector-append #u8(1) '(2))))  ; => bytevector-append: expected a bytevector, got (2)
(try (lambda () (utf8->string #u8(255))))  ; => utf8->string: invalid UTF-8 at index 0
(try (lambda () (utf8->string #u8(97 237 160 128))))  ; => utf8->string: invalid UTF-8 at index 1
(try (lambda () (utf8->string #u8(244 144 128 128))))  ; => utf8->string: invalid UTF-8 at index 0
(try (lambda () (utf8->string "a")))  ; => utf8->string: expected a bytevector, got "a"
(try (lambda () (string->utf8 #u8(1))))  ; => string->utf8: expected a string, got #u8(1)
(try (lambda () (format "~")))  ; => format: unfinished directive ~ at index 0
(try (lambda () (format "~5")))  ; => format: unfinished directive ~5 at index 0
(try (lambda () (format "~z" 1)))  ; => format: unknown directive ~z at index 0
(try (lambda () (format "~x" 1.5)))  ; => format: expected an exact number for ~x at index 0, got 1.5
(try (lambda () (format "~,2f" 'a)))  ; => format: expected a number for ~f at index 0, got a
(try (lambda () (format "~c" "a")))  ; => format: expected a character for ~c at index 0, got "a"
(try (lambda () (format "~9999a" 1)))  ; => format: a parameter is above 999, at index 0
(try (lambda () (format #f)))  ; => format: expected at least 2 arguments, got 1
(try (lambda () (format 'a "b")))  ; => format: expected a string, a boolean or a port, got a
(try (lambda () (format "plain" 1)))  ; => format: the text uses 0 of 1 argument
(try (lambda () (string-fold cons '() "abc" 0 1 2)))  ; => string-fold: expected 3 to 5 arguments, got 6
(try (lambda () (make-string (expt 10 20))))  ; => make-string: the result is too large
(try (lambda () (make-bytevector (expt 10 14))))  ; => make-bytevector: the result is too large
(try (lambda () (make-vector (expt 10 14))))  ; => make-vector: the result is too large
(try (lambda () (string-split "a b" 5)))  ; => string-split: expected a string or a character, got 5
(try (lambda () (format "~a and ~s" 1)))  ; => format: no argument is left for ~s at index 7
(try (lambda () (format "~a" 1 2 3)))  ; => format: the text uses 1 of 3 arguments
(try (lambda () (format "~d" "1")))  ; => format: expected a number for ~d at index 0, got "1"
(try (lambda () (symbol-append 'a "b")))  ; => symbol-append: expected a symbol, got "b"
(try (lambda () (substring "hello" 3 2)))  ; => substring: start 3 is after end 2
(try (lambda () (integer->char #xd800)))  ; => integer->char: expected a code point, got 55296
(try (lambda () (bytevector-copy! (make-bytevector 3) 1 #u8(1 2 3))))  ; => bytevector-copy!: index 4 is out of range for length 3
