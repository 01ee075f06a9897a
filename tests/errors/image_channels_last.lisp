; Images have their channels first.
(define photo (tensor-zeros 8 8 3))
(save-image "photo.png" photo)

; error, status 70:
; image_channels_last.lisp:3:1: save-image: expected an image [h, w] or [c, h, w] with 1 to 4 channels, got the shape (8 8 3)
;   3 | (save-image "photo.png" photo)
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: (tensor-permute image '(2 0 1)) puts the channels first
