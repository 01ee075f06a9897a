; Numbers as text: what the reader takes, string->number and number->string.
(print 100 -7 +5 1/2 -6/4 +1/3 007)               ; => 100 -7 5 1/2 -3/2 1/3 7
(print 1.5 -.5 5. +.25 1e3 1E-2 -1.5e+3 .5e1 0.1) ; => 1.5 -0.5 5.0 0.25 1000.0 0.01 -1500.0 5.0 0.1
(print +inf.0 -inf.0 +nan.0 -nan.0 -0.0 +INF.0)   ; => +inf.0 -inf.0 +nan.0 +nan.0 -0.0 +inf.0
(print #xff #XFF #b101 #o17 #d10 #x-1A/2)         ; => 255 255 5 15 10 -13
(print #e1.5 #e1e3 #e-.25 #i1/2 #i3 #e3 #x#e10 #e#x10 #i#b11) ; => 3/2 1000 -1/4 0.5 3.0 3 16 16 3.0
(print 1e400 -1e400 1e-400 4.9e-324 2.4703282292062327e-324) ; => +inf.0 -inf.0 0.0 5e-324 0.0
(print 123456789012345678901234567890 #e0.1)      ; => 123456789012345678901234567890 1/10
(print '(+ - ... +a -> 1+ -1a .a +.x e1))         ; => (+ - ... +a -> 1+ -1a .a +.x e1)

(define (numbers . texts) (map string->number texts))
(print (numbers "100" "-7" "1/2" "-6/4" "1e3" ".5" "5." "-0.0" "+inf.0" "#xff" "#e1.5" "#i1/2" "#e#b11"))
; => (100 -7 1/2 -3/2 1000.0 0.5 5.0 -0.0 +inf.0 255 3/2 0.5 3)
(print (numbers "" "+" "-" "." "e" "1e" "1e+" "--1" "1-" "1.2.3" "1/0" "1/-2" "/2" "1/" "1 2" " 1" "1 "))
; => (#f #f #f #f #f #f #f #f #f #f #f #f #f #f #f #f #f)
(print (numbers "#e" "#x" "#e#e1" "#x#b1" "#b2" "#xg" "#e+inf.0" "#x1.5" "1+2i" "+i" "1@2" "inf" "abc" "٣" "1_0"))
; => (#f #f #f #f #f #f #f #f #f #f #f #f #f #f #f)
(print (string->number "100" 16) (string->number "1e3" 16) (string->number "ff" 16) (string->number "fF/10" 16)) ; => 256 483 255 255/16
(print (string->number "zz" 36) (string->number "12" 3) (string->number "13" 3) (string->number "#d10" 16)) ; => 1295 5 #f 10
(print (string->number "-1010" 2) (string->number "777" 8) (string->number "1.5" 2)) ; => -10 511 #f

(print (number->string 255) (number->string -255 16) (number->string 1/3 3) (number->string 0 2)) ; => 255 -ff 1/10 0
(print (number->string (expt 36 20) 36) (number->string 0.1) (number->string -1.5e-9)) ; => 100000000000000000000 0.1 -1.5e-9
(define (again x) (let ((back (string->number (number->string x)))) (if (eqv? x back) 'same back)))
(print (map again (list 0.1 -0.0 +nan.0 -inf.0 5e-324 1.7976931348623157e308 1/3 (expt 3 100) 1e21 1e22 123456789.123)))
; => (same same same same same same same same same same same)
(print 1e20 1e21 123456789012345680000.0 0.000001 1e-7 1.5e-7 2e100 9007199254740993.0) ; => 100000000000000000000.0 1e21 123456789012345680000.0 0.000001 1e-7 1.5e-7 2e100 9007199254740992.0
(write '(|1| |1/2| |1/0| |+i| |1+2i| |.5| 1+ |#x1|)) (newline) ; => (|1| |1/2| |1/0| |+i| |1+2i| |.5| 1+ |#x1|)
