; Variables named like what the emitted C declares for itself: none hides another.
(define (first-of locations) (car locations))
(print (first-of '(1 2)))                         ; => 1
(define (pick literals variables) (vector-ref literals (car variables)))
(print (pick (vector 1 "two") '(1)))              ; => two
(define (run program parts) (list (car program) (cdr parts)))
(print (run '(a) '(b c)))                         ; => (a (c))
(define (closing captures arguments) (lambda (result) (list captures (car arguments) result)))
(print ((closing 1 '(2)) 3))                      ; => (1 2 3)
(define (make-literals top-level failed) (+ (car top-level) (cadr failed)))
(print (make-literals '(1) '(2 3)))               ; => 4
; Nor does one hide a constant.
(define (tagged bytes-1) (list bytes-1 #u8(1 2)))
(print (tagged 'mine))                            ; => (mine #u8(1 2))
(define (cyclic cycle-1) (list cycle-1 (car '#0=(2 . #0#))))
(print (cyclic 'mine))                            ; => (mine 2)
(define (texts text-1 list-1 number-1) (list text-1 list-1 number-1 "1" '(1) 1e21))
(print (texts 'a 'b 'c))                          ; => (a b c 1 (1) 1e21)
