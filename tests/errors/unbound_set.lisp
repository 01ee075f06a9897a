; set! of a name that nothing defines.
(define counter 0)
(set! conuter 1)
