; Images as text, grids, sizes, files, and what is not an image.
(define x (/ (tensor-reshape (tensor-arange 0 32) '(4 8)) 31.0))
(define (shown thunk)   ; with bars at the ends of lines
  (for-each (lambda (line) (print (string "|" line "|")))
            (port->lines (open-input-string (with-output-to-string thunk)))))
(shown (lambda () (show-image x)))
; => |...:::--|
; => |**###%%%|
(shown (lambda () (show-image (tensor-unsqueeze x 0) :columns 4)))
; => |==++|
(shown (lambda () (show-image [[0.0 1.0]] :columns 6)))
; => |   @@@|
; => |   ===|
(shown (lambda () (show-image (list x (- 1 x)))))
; => |                      |
; => |  ...:::--  %%%###**  |
; => |  **###%%%  --:::...  |
; => |                      |
(shown (lambda () (show-image (tensor-full '(3 2 2 2) 255 :dtype 'uint8))))
; => |              |
; => |  @@  @@  @@  |
; => |              |
; Red, green, blue and alpha.
(define colours [[[255 0 0 255]] [[0 255 0 255]] [[0 0 255 255]] [[255 255 255 0]]])
(shown (lambda () (show-image (tensor-to (tensor-repeat colours '(1 2 1)) 'uint8))))
; => |:+. |
(print (tensor-shape (image-grid (tensor-rand 5 3 4 6) :columns 2 :padding 1)))  ; => (3 16 15)
(print (image-grid [[[1 2]] [[3 4]]] :padding 1 :value 9 :columns 1))  ; => [[[9 9 9 9] [9 1 2 9] [9 9 9 9] [9 3 4 9] [9 9 9 9]]]
(print (image-grid (list [[2.0 4.0]] [[6.0 4.0]]) :padding 0 :normalize #t))  ; => [[[0.0 0.5 1.0 0.5]]]
(print (resize-image (tensor-to [[0 100] [200 100]] 'uint8) 1 1))  ; => [[100]]

(define path (string "/tmp/lambent-image-" (current-jiffy) ".png"))
(save-image path (tensor-to [[[0 100] [200 50]]] 'uint8))
(print (load-image path) (tensor-dtype (load-image path)))  ; => [[[0 100] [200 50]]] uint8
(print (load-image path :channels 3))  ; => [[[0 100] [200 50]] [[0 100] [200 50]] [[0 100] [200 50]]]
(delete-file path)

(define-syntax complain
  (syntax-rules ()
    ((_ form ...)
     (begin
       (guard (e (#t (print (error-object-message e)))) form) ...))))
(complain
 (load-image "no/such.png")      ; => load-image: cannot open "no/such.png": No such file or directory
 (load-image "/tmp")             ; => load-image: cannot open "/tmp": Is a directory
 (load-image 1)                  ; => load-image: expected a string, got 1
 (load-image "README.md")        ; => load-image: "README.md": it is not an image
 (save-image "no/such.png" x)    ; => save-image: cannot open "no/such.png": No such file or directory
 (save-image "x.jpg" x)          ; => save-image: "x.jpg": an image's file ends with .png, .ppm or .pgm
 (save-image "x" x)              ; => save-image: "x": an image's file ends with .png, .ppm or .pgm
 (save-image "x.ppm" x)          ; => save-image: a .ppm file cannot hold 1 channel
 (save-image "x.png" 'x)         ; => save-image: expected an image [h, w] or [c, h, w], got x
 (save-image "x.png" [[1 2]])    ; => save-image: an image has bytes (uint8) or floating-point numbers from 0 to 1, got int64
 (save-image "x.png" [1.0 2.0])  ; => save-image: expected an image [h, w] or [c, h, w] with 1 to 4 channels, got the shape (2)
 (save-image "x.png" (tensor-zeros 8 8 3))    ; => save-image: expected an image [h, w] or [c, h, w] with 1 to 4 channels, got the shape (8 8 3)
 (save-image "x.png" (tensor-zeros 2 1 8 8))  ; => save-image: expected an image [h, w] or [c, h, w] with 1 to 4 channels, got the shape (2 1 8 8)
 (save-image "x.png" (tensor-zeros 0 8))      ; => save-image: expected an image [h, w] or [c, h, w] with 1 to 4 channels, got the shape (0 8)
 (show-image [1.0 2.0])          ; => show-image: expected an image [h, w] or [c, h, w] with 1 to 4 channels, got the shape (2)
 (show-image x :columns 0)       ; => show-image: expected a positive exact integer as :columns, got 0
 (show-image "x")                ; => image-grid: expected images, got "x"
 (image-grid '())                ; => image-grid: expected images, got ()
 (image-grid (list x [[1.0]]))   ; => image-grid: images have different shapes: (4 8) and (1 1)
 (image-grid x)                  ; => image-grid: expected images [n, c, h, w] or [n, h, w], got the shape (4 8)
 (image-grid (list x) :columns 0)   ; => image-grid: expected an exact integer from 1 as :columns, got 0
 (image-grid (list x) :padding -1)  ; => image-grid: expected an exact integer from 0 as :padding, got -1
 (resize-image x 0 5)            ; => resize-image: expected a positive height and width, got 0 and 5
 (resize-image x 5 5 :mode "best"))  ; => resize-image: expected the mode nearest, bilinear, bicubic or area, got "best"
