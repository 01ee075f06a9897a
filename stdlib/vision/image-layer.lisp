;; image-layer.lisp - the layer of transformers of images.

(define-module (image-layer attention-norm attention mlp-norm mlp
                            :scale #f :width 0 :drop-rate 0.0 :drop-path 0.0)
  "A layer of which attention and MLP each follow a norm and are added to what
  came in.  x [n, t, width] -> the same shape.

  scale: what learned factors of both begin with, or #f for none.  drop-path:
  how often an image skips each part in training."
  ((attention-norm attention-norm)
   (attention attention)
   (attention-scale (and scale (tensor-full (list width) scale)) :parameter)
   (mlp-norm mlp-norm)
   (mlp mlp)
   (mlp-scale (and scale (tensor-full (list width) scale)) :parameter)
   (dropout (dropout :p drop-rate))
   (drop-path drop-path))
  (forward (x)
    (let* ((skip (lambda (x) (if (training? self) (%drop-path x drop-path) x)))
           (y (dropout (attention (attention-norm x) %whole-relation)))
           (x (+ x (skip (if attention-scale (* y attention-scale) y))))
           (y (dropout (mlp (mlp-norm x)))))
      (+ x (skip (if mlp-scale (* y mlp-scale) y))))))

(define %whole-relation (%make-relation #f #f #f))

(define (%drop-path x rate)
  "x [n, ...] with zeros for some of the n, the others larger in their place."
  (if (> rate 0)
      (let ((shape (cons (tensor-size x 0)
                         (map (lambda (size) 1) (cdr (tensor-shape x))))))
        (* x (/ (tensor-to (tensor-ge (tensor-rand shape
                                                   :device (tensor-device x))
                                      rate)
                           (tensor-dtype x))
                (- 1.0 rate))))
      x))
