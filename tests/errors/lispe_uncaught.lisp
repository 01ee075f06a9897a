; An error that nothing catches has its location; LispE's begin with "Error: ".
(use 'lispe_torch)
(defun third(values) (@ values 2))
(println (maybe (third (list 1)) "none"))
(println (third (tensor_create (floats 1 2))))

; error, status 70:
; lispe_uncaught.lisp:5:10: Error: tensor index out of bounds
;   5 | (println (third (tensor_create (floats 1 2))))
;     |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
