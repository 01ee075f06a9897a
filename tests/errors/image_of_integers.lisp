; Whether integers are bytes or counts is not guessed.
(define (draw x) (save-image "x.png" x) #t)
(draw (tensor-arange 0 9))

; error, status 70:
; image_of_integers.lisp:2:18: save-image: an image has bytes (uint8) or floating-point numbers from 0 to 1, got int64
;   2 | (define (draw x) (save-image "x.png" x) #t)
;     |                  ^^^^^^^^^^^^^^^^^^^^^^
; hint: (tensor-to image 'uint8) makes bytes of integers from 0 to 255
;   in draw, called at image_of_integers.lisp:3:1
