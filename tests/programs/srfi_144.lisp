; SRFI 144: flonums.
(import (srfi 144))
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(define-syntax values-of
  (syntax-rules () ((_ expression) (call-with-values (lambda () expression) list))))

; Constants.
(print fl-e fl-1/e fl-e-2 fl-e-pi/4 fl-log2-e fl-log10-e fl-log-2 fl-1/log-2 fl-log-3 fl-log-pi fl-log-10 fl-1/log-10) ; => 2.718281828459045 0.36787944117144233 7.38905609893065 2.1932800507380152 1.4426950408889634 0.4342944819032518 0.6931471805599453 1.4426950408889634 1.0986122886681098 1.1447298858494002 2.302585092994046 0.4342944819032518
(print fl-pi fl-1/pi fl-2pi fl-pi/2 fl-pi/4 fl-pi-squared fl-degree fl-2/pi fl-2/sqrt-pi) ; => 3.141592653589793 0.3183098861837907 6.283185307179586 1.5707963267948966 0.7853981633974483 9.869604401089358 0.017453292519943295 0.6366197723675814 1.1283791670955126
(print fl-sqrt-2 fl-sqrt-3 fl-sqrt-5 fl-sqrt-10 fl-1/sqrt-2 fl-cbrt-2 fl-cbrt-3 fl-4thrt-2) ; => 1.4142135623730951 1.7320508075688772 2.23606797749979 3.1622776601683795 0.7071067811865476 1.2599210498948732 1.4422495703074083 1.189207115002721
(print fl-phi fl-log-phi fl-1/log-phi fl-euler fl-e-euler fl-sin-1 fl-cos-1 fl-gamma-1/2 fl-gamma-1/3 fl-gamma-2/3) ; => 1.618033988749895 0.48121182505960347 2.0780869212350277 0.5772156649015329 1.781072417990198 0.8414709848078965 0.5403023058681398 1.772453850905516 2.6789385347077475 1.3541179394264005
(print fl-greatest fl-least fl-epsilon fl-fast-fl+* fl-integer-exponent-zero fl-integer-exponent-nan) ; => 1.7976931348623157e308 5e-324 2.220446049250313e-16 #f -2147483648 2147483647
(print (= fl-pi (* 4 (atan 1.))) (= fl-e (exp 1.)) (= fl-sqrt-2 (sqrt 2.)) (= fl-log-2 (log 2.)) (= (+ 1. fl-epsilon) 1.) (= (+ 1. (/ fl-epsilon 2)) 1.) (/ fl-least 2) (* 2 fl-greatest)) ; => #t #t #t #t #f #t 0.0 +inf.0

; Constructors and parts.
(print (flonum 1/3) (flonum 2) (fladjacent 1. 2.) (fladjacent 1. 0.) (fladjacent 0. -1.) (fladjacent 0. 1.) (fladjacent 2. 2.) (fladjacent +inf.0 0.) (fladjacent fl-greatest +inf.0) (fladjacent -1. -2.) (fladjacent -1. 0.) (fladjacent (- fl-least) 1.)) ; => 0.3333333333333333 2.0 1.0000000000000002 0.9999999999999999 -5e-324 5e-324 2.0 1.7976931348623157e308 +inf.0 -1.0000000000000002 -0.9999999999999999 -0.0
(print (flcopysign 2. -1.) (flcopysign -2. 1.) (flcopysign 3. -0.) (make-flonum 0.75 3) (make-flonum 1. -1074) (make-flonum 1. -1080) (make-flonum -1. 5000) (make-flonum 0. 7)) ; => -2.0 2.0 -3.0 6.0 5e-324 0.0 -inf.0 0.0
(print (values-of (flinteger-fraction 2.75)) (values-of (flinteger-fraction -2.75)) (values-of (flinteger-fraction -inf.0))) ; => (2.0 0.75) (-2.0 -0.75) (-inf.0 -0.0)
(print (flexponent 48.) (flexponent 0.) (flexponent -inf.0) (flinteger-exponent 48.) (flinteger-exponent -0.75) (flinteger-exponent fl-least) (flinteger-exponent 0.) (flinteger-exponent +nan.0)) ; => 5.0 -inf.0 +inf.0 5 -1 -1074 -2147483648 2147483647
(print (values-of (flnormalized-fraction-exponent 48.)) (values-of (flnormalized-fraction-exponent -0.5)) (values-of (flnormalized-fraction-exponent fl-least)) (values-of (flnormalized-fraction-exponent 0.)) (flsign-bit -0.) (flsign-bit 0.) (flsign-bit -3.)) ; => (0.75 6) (-0.5 0) (0.5 -1073) (0.0 0) 1 0 1

; Predicates.
(print (map flonum? (list 1. 1 1/2 +nan.0 'a)) (fl=? 1. 1. 1.) (fl=? 1. 2.) (fl<? 1. 2. 3.) (fl<? 1. 1.) (fl>? 2. 1.) (fl<=? 1. 1. 2.) (fl>=? 2. 2. 1.) (fl=? +nan.0 +nan.0)) ; => (#t #f #f #t #f) #t #f #t #f #t #t #t #f
(print (flunordered? 1. +nan.0) (flunordered? 1. 2.) (flinteger? 2.) (flinteger? 2.5) (flinteger? +inf.0) (flzero? -0.) (flpositive? 1.) (flnegative? -0.) (flodd? 3.) (fleven? 3.)) ; => #t #f #t #f #f #t #t #f #t #f
(print (flfinite? 1.) (flfinite? +nan.0) (flinfinite? -inf.0) (flinfinite? 1.) (flnan? +nan.0) (flnan? 1.) (flnormalized? 1.) (flnormalized? fl-least) (fldenormalized? fl-least) (fldenormalized? 0.)) ; => #t #f #t #f #t #f #t #f #t #f

; Arithmetic.
(print (flmax) (flmin) (flmax 1. 3. 2.) (flmin 1. 3. 2.) (flmax 1. +nan.0) (flmin +nan.0) (fl+) (fl+ 1. 2. 3.) (fl*) (fl* 2. 3. 4.) (fl- 5.) (fl- 5. 1. 2.) (fl/ 4.) (fl/ 8. 2. 2.) (fl/ 1. 0.)) ; => -inf.0 +inf.0 3.0 1.0 1.0 +nan.0 0.0 6.0 1.0 24.0 -5.0 2.0 0.25 2.0 +inf.0
(print (fl+* 2. 3. 4.) (fl+* fl-greatest 2. (- fl-greatest)) (fl+* 1e16 1.0000000000000002 -1e16) (fl+* +inf.0 1. 1.) (flabs -2.) (flabsdiff 1. 3.) (flposdiff 1. 3.) (flposdiff 3. 1.) (flsgn -0.) (flsgn 5.)) ; => 10.0 1.7976931348623157e308 2.220446049250313 +inf.0 2.0 2.0 0.0 2.0 -1.0 1.0
(print (flnumerator 0.75) (fldenominator 0.75) (flnumerator -inf.0) (fldenominator +inf.0) (flfloor -1.5) (flceiling -1.5) (flround 2.5) (flround 3.5) (fltruncate -1.5)) ; => 3.0 4.0 -inf.0 1.0 -2.0 -1.0 2.0 4.0 -1.0
(print (flquotient 7. -2.) (flremainder 7. -2.) (flremainder -7. 2.) (flremainder 1e300 7.) (values-of (flremquo 7. 2.)) (values-of (flremquo 9. 2.)) (values-of (flremquo -7. 2.)) (values-of (flremquo 7. 0.)) (flremainder 1. +inf.0)) ; => -3.0 1.0 -1.0 1.0 (-1.0 4) (1.0 4) (1.0 -4) (+nan.0 0) 1.0

; Powers, logarithms, trigonometry.
(print (flexp 1.) (flexp2 10.) (flexp2 0.5) (flexp-1 1e-10) (flsquare 3.) (flsqrt 2.) (flsqrt -1.) (flcbrt -27.) (flcbrt 2.) (flhypot 3. 4.) (flhypot 1e300 1e300) (flexpt 2. 0.5) (flexpt -8. 0.5) (flexpt -2. 3.) (flexpt 0. -1.) (flexpt -0. -1.)) ; => 2.718281828459045 1024.0 1.4142135623730951 1.00000000005e-10 9.0 1.4142135623730951 +nan.0 -3.0 1.2599210498948732 5.0 1.4142135623730952e300 1.4142135623730951 +nan.0 -8.0 +inf.0 -inf.0
(print (fllog 10.) (fllog 0.) (fllog -1.) (fllog1+ 1e-10) (fllog1+ -1.) (fllog2 8.) (fllog2 fl-least) (fllog10 1000.) (fllog10 0.001) ((make-fllog-base 3.) 81.)) ; => 2.302585092994046 -inf.0 +nan.0 9.999999999500001e-11 -inf.0 3.0 -1074.0 3.0 -3.0 4.0
(print (flsin 1.) (flcos 1.) (fltan 1.) (flasin 1.) (flacos 1.) (flatan 1.) (flatan 1. -1.) (flasin 2.) (flsin +inf.0)) ; => 0.8414709848078965 0.5403023058681398 1.5574077246549023 1.5707963267948966 0.0 0.7853981633974483 2.356194490192345 +nan.0 +nan.0
(print (flsinh 1.) (flcosh 1.) (fltanh 1.) (flasinh 1.) (flacosh 2.) (flatanh 0.5) (fltanh 100.) (flcosh 710.) (flsinh -710.) (flsinh 1e-20) (flasinh 1e200) (flatanh 1.) (flacosh 0.)) ; => 1.1752011936438014 1.5430806348152437 0.7615941559557649 0.8813735870195432 1.3169578969248166 0.5493061443340549 1.0 1.1169973830808557e308 -1.1169973830808557e308 1e-20 461.2101657793691 +inf.0 +nan.0

; Special functions.
(print (flgamma 5.) (flgamma 0.5) (flgamma -0.5) (flgamma 0.) (flgamma -1.) (flgamma 171.) (flgamma 200.)) ; => 24.0 1.7724538509055159 -3.5449077018110295 +inf.0 +nan.0 7.257415615307999e306 +inf.0
(print (values-of (flloggamma 1.)) (map round (values-of (flloggamma 1000.))) (cadr (values-of (flloggamma -0.5))) (values-of (flloggamma -1.))) ; => (0.0 1.0) (5905.0 1.0) -1.0 (+inf.0 1.0)
(define (digits x) (/ (round (* x 1e12)) 1e12))
(print (map digits (list (flfirst-bessel 0 1.) (flfirst-bessel 1 1.) (flfirst-bessel 5 10.) (flfirst-bessel -1 1.) (flfirst-bessel 1 -1.) (flfirst-bessel 2 100.) (flfirst-bessel 60 50.) (flfirst-bessel 0 0.) (flfirst-bessel 3 0.)))) ; => (0.765197686558 0.440050585745 -0.234061528187 -0.440050585745 -0.440050585745 -0.021528757345 0.0010485196 1.0 0.0)
(print (map digits (list (flsecond-bessel 0 1.) (flsecond-bessel 1 1.) (flsecond-bessel 5 10.) (flsecond-bessel -1 1.) (flsecond-bessel 2 100.))) (flsecond-bessel 0 0.) (flsecond-bessel 0 -1.)) ; => (0.088256964216 -0.7812128213 0.135403047689 0.7812128213 0.076836867125) -inf.0 +nan.0
(print (map digits (list (flerf 0.5) (flerf -3.) (flerfc 0.5) (flerfc -1.))) (flerf 10.) (flerfc 30.) (< 2.08848758376254e-45 (flerfc 10.) 2.08848758376255e-45)) ; => (0.520499877813 -0.999977909503 0.479500122187 1.84270079295) 1.0 0.0 #t

; Mistakes.
(print (message (lambda () (fl+ 1. 2))) (message (lambda () (flsqrt 4))) (message (lambda () (fl<? 1 2.))) (message (lambda () (flonum 'a))) (message (lambda () (flodd? 1.5))) (message (lambda () (make-flonum 1. 2.)))) ; => fl+: expected a flonum, got 2 flsqrt: expected a flonum, got 4 fl<?: expected a flonum, got 1 flonum: expected a number, got a flodd?: expected an integer, got 1.5 make-flonum: expected an exact integer, got 2.0
(print (message (lambda () (flfirst-bessel 1. 1.))) (message (lambda () (flatan 1. 2. 3.))) (message (lambda () (flmax 1)))) ; => flfirst-bessel: expected an exact integer, got 1.0 flatan: expected 1 to 2 arguments, got 3 flmax: expected a flonum, got 1
