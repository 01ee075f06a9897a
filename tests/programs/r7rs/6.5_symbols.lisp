; R7RS 6.5: symbols, and how they are written.
(print (symbol? 'foo) (symbol? (car '(a b))) (symbol? "bar") (symbol? 'nil)) ; => #t #t #f #t
(print (symbol? '()) (symbol? #f) (symbol? :key)) ; => #f #f #f
(print (symbol=? 'a 'a) (symbol=? 'a 'a 'a) (symbol=? 'a 'a 'b)) ; => #t #t #f
(print (apply symbol=? '(x x)))                   ; => #t
(write (list (symbol->string 'flying-fish) (symbol->string 'Martin)))
(newline)                                         ; => ("flying-fish" "Martin")
(print (symbol->string (string->symbol "Malvina"))) ; => Malvina
(write (string->symbol "mISSISSIppi"))
(newline)                                         ; => mISSISSIppi
(print (eqv? 'bitBlt (string->symbol "bitBlt")) (eq? 'abc 'ABC)) ; => #t #f
(print (eqv? 'LollyPop (string->symbol (symbol->string 'LollyPop)))) ; => #t
(print (string=? "K. Harper, M.D." (symbol->string (string->symbol "K. Harper, M.D.")))) ; => #t

; Bars stand where the name would read as something else.
(define (show name)
  (write (string->symbol name))
  (display " "))
(for-each show '("two words" "" "." ".." "..." "12" "-1.5e3" "1/2" "+" "-" "+i" "1+"))
(newline)                                         ; => |two words| || |.| .. ... |12| |-1.5e3| |1/2| + - |+i| 1+ 
(for-each show '("a|b" "a\\b" "a\nb" "(" "a\"b" "#x" "a#" ":k" "k:" "'q" "a;b" "+inf.0"))
(newline)                                         ; => |a\|b| |a\\b| |a\nb| |(| |a"b| |#x| a# |:k| k: |'q| |a;b| |+inf.0| 
(for-each show '("É" "λ" "日本" "\x7f;" "a,b" "`" "[" "UPPER"))
(newline)                                         ; => É λ 日本 |\x7f;| |a,b| |`| |[| UPPER 
(print (eq? '|two words| (string->symbol "two words")) (eq? '|abc| 'abc)) ; => #t #t
(write '(|x\x41;y| |tab\there| |H\x65;llo|))
(newline)                                         ; => (xAy |tab\there| Hello)
(print (eq? '|a\x0;b| (string->symbol "a\x0;b")) (eq? '|a\x0;b| 'a)) ; => #t #f
