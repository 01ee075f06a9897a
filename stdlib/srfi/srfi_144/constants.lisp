;; constants.lisp - the constants of (import (srfi 144)).

(define fl-e 2.718281828459045)   ; e
(define fl-1/e 0.36787944117144233)   ; 1/e
(define fl-e-2 7.38905609893065)   ; e squared
(define fl-e-pi/4 2.1932800507380152)   ; e to the power of pi/4
(define fl-log2-e 1.4426950408889634)   ; the logarithm of e to base 2
(define fl-log10-e 0.4342944819032518)   ; the logarithm of e to base 10
(define fl-log-2 0.6931471805599453)   ; the logarithm of 2
(define fl-1/log-2 1.4426950408889634)   ; 1 by the logarithm of 2
(define fl-log-3 1.0986122886681098)   ; the logarithm of 3
(define fl-log-pi 1.1447298858494002)   ; the logarithm of pi
(define fl-log-10 2.302585092994046)   ; the logarithm of 10
(define fl-1/log-10 0.4342944819032518)   ; 1 by the logarithm of 10
(define fl-pi 3.141592653589793)   ; pi
(define fl-1/pi 0.3183098861837907)   ; 1/pi
(define fl-2pi 6.283185307179586)   ; 2 pi
(define fl-pi/2 1.5707963267948966)   ; pi/2
(define fl-pi/4 0.7853981633974483)   ; pi/4
(define fl-pi-squared 9.869604401089358)   ; pi squared
(define fl-degree 0.017453292519943295)   ; pi/180, a degree in radians
(define fl-2/pi 0.6366197723675814)   ; 2/pi
(define fl-2/sqrt-pi 1.1283791670955126)   ; 2 by the square root of pi
(define fl-sqrt-2 1.4142135623730951)   ; the square root of 2
(define fl-sqrt-3 1.7320508075688772)   ; the square root of 3
(define fl-sqrt-5 2.23606797749979)   ; the square root of 5
(define fl-sqrt-10 3.1622776601683795)   ; the square root of 10
(define fl-1/sqrt-2 0.7071067811865476)   ; 1 by the square root of 2
(define fl-cbrt-2 1.2599210498948732)   ; the cube root of 2
(define fl-cbrt-3 1.4422495703074083)   ; the cube root of 3
(define fl-4thrt-2 1.189207115002721)   ; the fourth root of 2
(define fl-phi 1.618033988749895)   ; the golden ratio
(define fl-log-phi 0.48121182505960347)   ; the logarithm of the golden ratio
(define fl-1/log-phi 2.0780869212350277)   ; 1 by (log fl-phi)
(define fl-euler 0.5772156649015329)   ; Euler's constant
(define fl-e-euler 1.781072417990198)   ; e to the power of Euler's constant
(define fl-sin-1 0.8414709848078965)   ; the sine of 1
(define fl-cos-1 0.5403023058681398)   ; the cosine of 1
(define fl-gamma-1/2 1.772453850905516)   ; gamma of 1/2
(define fl-gamma-1/3 2.6789385347077475)   ; gamma of 1/3
(define fl-gamma-2/3 1.3541179394264005)   ; gamma of 2/3

;; Those of this implementation.

(define fl-greatest 1.7976931348623157e308)   ; the greatest finite flonum
(define fl-least 5e-324)   ; the least positive flonum
(define fl-epsilon 2.220446049250313e-16)   ; from 1 to the next flonum
(define fl-fast-fl+* #f)   ; whether fl+* is as fast as fl* and fl+
(define fl-integer-exponent-zero -2147483648)   ; (flinteger-exponent 0.)
(define fl-integer-exponent-nan 2147483647)   ; (flinteger-exponent +nan.0)
