; An unknown device.
(print (tensor-zeros 2 :device "gpu"))

; error, status 70:
; tensor_device.lisp:2:8: tensor-zeros: expected a device, got "gpu"
;   2 | (print (tensor-zeros 2 :device "gpu"))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: available devices: cpu and meta
