; A device goes by its name.
(print (with-device 5 [1]))

; error, status 70:
; device_no_name.lisp:2:8: with-device: expected a device, got 5
;   2 | (print (with-device 5 [1]))
;     |        ^^^^^^^^^^^^^^^^^^^
