(use 'lispe_torch)
(defun f(x) (break))

; error, status 65:
; lispe_break.lisp:2:13: break: expected within a loop
;   2 | (defun f(x) (break))
;     |             ^^^^^^^
