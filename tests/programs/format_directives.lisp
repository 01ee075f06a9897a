; format: all directives, as Common Lisp and Guile have them.
(define (show . arguments)
  (write (guard (e (#t (string->symbol (error-object-message e)))) (apply format arguments)))
  (newline))

; ~a ~s ~c: width, increment, least padding, padding.
(show "~10,5a|~,,4a|~10,,,'*a|~10,3,,'*@a|" 'abcdefghijkl 'ab 'ab 'ab)  ; => "abcdefghijkl|ab    |ab********|*********ab|"
(show "~10@s|~6,'*a|~va|~v,'*d|~#a|" "ab" 'x 6 'x 6 5 1)  ; => "      \"ab\"|x*****|x     |*****5|1|"
(show "~c ~@c ~:c ~:c ~3c|" #\a #\newline #\x1 #\a #\b)  ; => "a #\\newline ^A a b  |"
(show "~a ~s ~w" '("a" #\b) '("a" #\b) '("a" #\b))  ; => "(a b) (\"a\" #\\b) (\"a\" #\\b)"
(show "~y" '(1 2))  ; => "(1 2)\n"

; Integers: width, padding, separator, size of groups.
(show "~:d ~,,'.,4:d ~12:d ~@d ~:@d ~12,'0:d" 1234567 1234567 -1234567 5 12345 1234)  ; => "1,234,567 123.4567   -1,234,567 +5 +12,345 00000001,234"
(show "~:x ~,,'_,4:b ~6,'0x ~o ~:d ~:d" 123456789 255 -255 8 1234567.5 1234567/2)  ; => "7,5bc,d15 1111_1111 000-ff 10 1,234,567.5 1,234,567/2"
(show "~:d ~:d ~:d ~:d" (expt 10 30) 0 -999 -1000)  ; => "1,000,000,000,000,000,000,000,000,000,000 0 -999 -1,000"
(show "~16r ~36r ~2,10,'0r ~2,,,'_,4:r ~vr" 255 12345 5 255 3 9)  ; => "ff 9ix 0000000101 1111_1111 100"

; ~r: words, ordinals, Roman digits.
(show "~r ~r ~r" 0 -7 1999)  ; => "zero minus seven one thousand, nine hundred ninety-nine"
(show "~r" 1000001)  ; => "one million, one"
(show "~r" (- (expt 10 21) 1))  ; => "nine hundred ninety-nine quintillion, nine hundred ninety-nine quadrillion, nine hundred ninety-nine trillion, nine hundred ninety-nine billion, nine hundred ninety-nine million, nine hundred ninety-nine thousand, nine hundred ninety-nine"
(show "~r ~:r" (expt 10 66) (+ (expt 10 66) 2))  ; => "1000000000000000000000000000000000000000000000000000000000000000000 1000000000000000000000000000000000000000000000000000000000000000002nd"
(show "~:r ~:r ~:r ~:r ~:r ~:r" 0 1 12 20 21 100)  ; => "zeroth first twelfth twentieth twenty-first one hundredth"
(show "~:r ~:r ~:r" 1012 1234 -1000003)  ; => "one thousand twelfth one thousand, two hundred thirty-fourth minus one million third"
(show "~@r ~@r ~:@r ~@r ~:@r" 1994 3999 1994 4 4)  ; => "MCMXCIV MMMCMXCIX MDCCCCLXXXXIIII IV IIII"

; ~f: width, decimals, scale, overflow, padding.
(show "~f ~f ~f ~f ~f" 1e21 1e-7 2 1/3 -0.0)  ; => "1000000000000000000000.0 0.0000001 2 1/3 -0.0"
(show "~6f|~8f|~4f|~3f|~6f" 3.14159265 3.14159265 123456.789 0.5 -1e-3)  ; => "3.1416|3.141593|123456.8|0.5|-0.001"
(show "~3,2f ~4,2f ~4,2f ~,2f" 0.5 0.5 -0.5 0.5)  ; => ".50 0.50 -.50 0.50"
(show "~8,2,,,'*f ~4,2,,'#f ~6,1,,'#f" 3.14159 12345.678 3.25)  ; => "****3.14 ####    3.2"
(show "~@f ~,1@f ~8,1@f" 3.5 3.5 3.5)  ; => "+3.5 +3.5     +3.5"
(show "~,2,2f ~,,2f ~,,-2f ~,,2f ~,1,3f" 0.12345 0.12345 12.5 1/8 1/3)  ; => "12.35 12.345 0.125 25/2 333.3"
(show "~,30f" 1/3)  ; => "0.333333333333333333333333333333"
(show "~,3f" (/ (+ (expt 10 30) 1) 7))  ; => "142857142857142857142857142857.286"
(show "~,0f ~,0f ~,0f ~,1f ~,2f ~,2f" 0.5 1.5 2.5 87.25 0.125 1/8)  ; => "0 2 2 87.2 0.12 0.12"
(show "~,2f ~,2f ~,1f" 2.675 1.005 0.05)  ; => "2.67 1.00 0.1"
(show "~8f|~8,2f|~f|~e|~8e|~8g" +inf.0 -inf.0 +nan.0 +inf.0 -inf.0 +nan.0)  ; => "  +inf.0|  -inf.0|+nan.0|+inf.0|  -inf.0|  +nan.0"

; ~e: width, decimals, digits of the exponent, scale, overflow, padding, letter.
(show "~e ~e ~e ~e ~e" 3.14159 314159.0 0.0 1e-7 100)  ; => "3.14159E+0 3.14159E+5 0.0E+0 1.0E-7 1.0E+2"
(show "~,3e ~10,3e ~10,3,2,2e ~,3,,0e ~,3,,-2e" 314159.0 314159.0 314159.0 314159.0 314159.0)  ; => "3.142E+5   3.142E+5  31.42E+04 0.314E+6 0.003E+8"
(show "~@e ~,2e ~e ~,5,,3e ~,,3e" 2.5 1/3 1/3 314159.0 1e100)  ; => "+2.5E+0 3.33E-1 3.333333333333333E-1 314.159E+3 1.0E+100"
(show "~5,1e ~8,3,2,,'#e ~,,,,,,'ee ~14,,,,,'*e" 1e100 1e100 1.5 1.5)  ; => "1.0E+100 ######## 1.5e+0 ********1.5E+0"
(show "~8e|~9e|~7e|~12e" 3.14159265 -3.14159265 9.99999 1e-300)  ; => "3.142E+0|-3.142E+0| 1.0E+1|    1.0E-300"
(show "~,2e ~,0e ~,3e ~,1e" 9.999 2.5 123456789012345678901234567890 5e-324)  ; => "1.00E+1 2.E+0 1.235E+29 4.9E-324"

; ~g and ~$.
(show "~g|~g|~g|~g|~g|" 3.14159 1e10 0.01 0.0 100)  ; => "3.14159    |10000000000.0    |1.0E-2|0.0    |100.0    |"
(show "~10,3g|~10,3g|~,4g|~,4g|~12,4g|" 3.14159 1e10 0.05 123.456 12345678.9)  ; => "  3.14    | 1.000E+10|5.0000E-2|123.5    |   1.2346E+7|"
(show "~$ ~$ ~3$ ~2,5$ ~$ ~$" 3.14159 -3 2.5 3.14159 0.005 1/3)  ; => "3.14 -3.00 2.500 00003.14 0.01 0.33"
(show "~2,2,10$|~2,2,10,'*$|~@$|~2,2,10:$|~2,2,10@:$" 3.14159 -3.14159 3 -3.14159 3.14159)  ; => "     03.14|****-03.14|+3.00|-    03.14|+    03.14"

; ~p ~% ~& ~~ ~| ~_ ~/ and the end of a line.
(show "~p ~p ~@p ~@p ~d item~:p ~d tr~:@p" 1 2 1 2 1 3)  ; => " s y ies 1 item 3 tries"
(show "a~3%b~3~c~2_d~/e~!")  ; => "a\n\n\nb~~~c  d\te"
(show "a~&b~2&c~&~&d~0&e")  ; => "a\nb\n\nc\nde"
(show "a~\n   b~:\n  c~@\n  d")  ; => "ab  c\nd"

; ~t: columns.
(show "a~10tb~20tc|~5@td|~3,8@te" )  ; => "a         b         c|     d|   e"
(show "abc~2tb abcdef~4,4tb ~40,,'.t|~%x~4t|" )  ; => "abcb abcdef b ..........................|\nx   |"
(show "~(A~10TB~)~12t|~{~a~5,5t~}|" '(a bcdef ghijk l))  ; => "a         b |a bcdefghijkl    |"

; ~* ~? ~k: arguments.
(show "~*~a ~:*~a ~a~a~0@*~a~a~a~a" 1 2 3 4)  ; => "2 2 341234"
(show "~2*~a ~2@*~a" 1 2 3)  ; => "3 3"
(show "~? ~a ~@? ~k" "~a-~a" '(1 2) 3 "~a+~a" 4 5 "<~a>" '(6))  ; => "1-2 3 4+5 <6>"
(show "~? ~a" "~a~^ ~a" '(1) 2)  ; => "1 2"

; ~( ~[ ~{ ~^
(show "~(HeLLo ÉA~) ~:(heLLO woRLD 3RD~) ~@(~a woRLD~) ~:@(heLLo~)" "été")  ; => "hello éa Hello World 3rd Été world HELLO"
(show "~[a~;b~;c~] ~[a~;b~:;c~] ~[a~;b~]~[a~;b~]|~1[a~;b~]" 1 7 7 -1)  ; => "b c |b"
(show "~:[no~;yes~] ~:[no~;yes~] ~@[x=~a ~]~@[y=~a~]|" #f 3 5 #f)  ; => "no yes x=5 |"
(show "~#[none~;one ~a~;two ~a ~a~]" 1 2)  ; => "two 1 2"
(show "~{~a~^, ~} ~{~a=~a~^; ~} ~{~a~} ~{x~:}" '(1 2 3) '(a 1 b 2) '() '())  ; => "1, 2, 3 a=1; b=2  x"
(show "~:{(~a ~a)~} ~:@{<~a>~}" '((1 2) (3 4)) '(1 2) '(3))  ; => "(1 2)(3 4) <1><3>"
(show "~@{~a~^ ~}" 1 2 3)  ; => "1 2 3"
(show "~2{~a~} ~{~} ~0{~a~} ~:{~a~:^,~}" '(1 2 3) "~a;" '(1 2) '(1 2) '((1) (2) (3)))  ; => "12 1;2;  1,2,3"
(show "~{~{~a~^ ~}~^; ~}" '((1 2) (3) ()))  ; => "1 2; 3; "
(show "~{~[zero~;one~:;many~]~^ ~}" '(0 1 2))  ; => "zero one many"
(show "~a~^ ~a" 1)  ; => "1"
(show "~3^a~1,2^b~3,2,1^c~1,1^d")  ; => "abc"
(show "~{~a~1,2,3^~a~}" '(1 2 3))  ; => "1"
(show "~(~{~a~^, ~}~) ~a" '(A B) 'C)  ; => "a, b C"

; Mistakes.
(show "~a~a" 1)  ; => |format: no argument is left for ~a at index 2|
(show "x" 1)  ; => |format: the text uses 0 of 1 argument|
(show "~a ~z" 1)  ; => |format: unknown directive ~z at index 3|
(show "ab~")  ; => |format: unfinished directive ~ at index 2|
(show "ab~12,")  ; => |format: unfinished directive ~12, at index 2|
(show "~{~a" '(1))  ; => |format: nothing closes ~{ at index 0|
(show "a~}")  ; => |format: nothing is open for ~} at index 1|
(show "~(a~]")  ; => |format: nothing is open for ~] at index 3|
(show "~;")  ; => |format: nothing is open for ~; at index 0|
(show "~:[a~]" 1)  ; => |format: expected 2 clauses, got 1 for ~:[ at index 0|
(show "~@[a~;b~]" 1)  ; => |format: expected 1 clause, got 2 for ~@[ at index 0|
(show "~d" 'a)  ; => |format: expected a number for ~d at index 0, got a|
(show "~x" 1.5)  ; => |format: expected an exact number for ~x at index 0, got 1.5|
(show "a~,2f" "1")  ; => |format: expected a number for ~f at index 1, got "1"|
(show "~r" 1.5)  ; => |format: expected an exact integer for ~r at index 0, got 1.5|
(show "~@r" 0)  ; => |format: expected an integer from 1 to 4999 for ~@r at index 0, got 0|
(show "~1r" 3)  ; => |format: expected a radix from 2 to 36 as parameter 1 for ~r at index 0, got 1|
(show "~c" 1)  ; => |format: expected a character for ~c at index 0, got 1|
(show "~{~a~}" 1)  ; => |format: expected a list for ~{ at index 0, got 1|
(show "~:{~a~}" '(1))  ; => |format: expected a list for ~:{ at index 0, got 1|
(show "~?" 1 2)  ; => |format: expected a string for ~? at index 0, got 1|
(show "~[a~]" 'x)  ; => |format: expected an integer for ~[ at index 0, got x|
(show "~5*" 1)  ; => |format: there is no argument 6 for ~* at index 0|
(show "~:*" 1)  ; => |format: there is no argument 0 for ~:* at index 0|
(show "~@*~9@*" 1)  ; => |format: there is no argument 10 for ~@* at index 3|
(show "~'xd" 1)  ; => |format: expected a number from 0 as parameter 1 for ~d at index 0, got #\\x|
(show "~,1d" 1)  ; => |format: expected a character as parameter 2 for ~d at index 0, got 1|
(show "~-5a" 1)  ; => |format: expected a number from 0 as parameter 1 for ~a at index 0, got -5|
(show "~1000a" 1)  ; => |format: a parameter is above 999, at index 0|
(show "~va" 1000 1)  ; => |format: expected an integer up to 999, a character or #f for v for ~a at index 0, got 1000|
(show "~va" 'x 1)  ; => |format: expected an integer up to 999, a character or #f for v for ~a at index 0, got x|
(show "~{x~}" '(1))  ; => |format: no directive takes an argument, without end, in ~{ at index 0|
(show "~{~a~:*~}" '(1 2))  ; => |format: no directive takes an argument, without end, in ~{ at index 0|
(show "~,1001,,f" 1)  ; => |format: a parameter is above 999, at index 0|

; As a value, and with texts that are made while the program runs.
(show (string-append "~" "5,'0d") 42)  ; => "00042"
(print (map format '("~a" "~:d") '(1 2000)))  ; => (1 2,000)
(print (string-length (apply format (string-join (make-list 3000 "~a") "") (iota 3000))))  ; => 10890
(print (string-length (format "~{~a~^, ~}" (iota 20000))))  ; => 128888
