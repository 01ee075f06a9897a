;; padding.lisp - layers that add elements around their input.
;;
;; padding is an integer, or a list of two for each dimension, the last
;; dimension first: (left right top bottom front back).

(define (%pads who padding n)
  "padding as a list of two integers for each of n dimensions.  Negative ones
  cut elements off."
  (cond ((exact-integer? padding) (make-list (* 2 n) padding))
        ((and (list? padding) (= (length padding) (* 2 n))
              (every exact-integer? padding))
         padding)
        (else (wrong-type who
                          (string "an integer, or a list of " (* 2 n)
                                  ", for padding")
                          padding))))

(define-module (zero-pad1d padding)
  "The layer that adds zeros around sequences.  x [n, c, l] -> [n, c, l'].
  (tensor-pad x padding) applies it to a tensor."
  ((padding (%pads "zero-pad1d" padding 1)))
  (forward (x) (tensor-pad x padding)))

(define-module (zero-pad2d padding)
  "The layer that adds zeros around images.  x [n, c, h, w] -> [n, c, h', w'].
  (tensor-pad x padding) applies it to a tensor."
  ((padding (%pads "zero-pad2d" padding 2)))
  (forward (x) (tensor-pad x padding)))

(define-module (zero-pad3d padding)
  "The layer that adds zeros around volumes.  x [n, c, d, h, w] -> [n, c, d',
  h', w'].  (tensor-pad x padding) applies it to a tensor."
  ((padding (%pads "zero-pad3d" padding 3)))
  (forward (x) (tensor-pad x padding)))

(define-module (constant-pad1d padding value)
  "The layer that adds a value around sequences.  x [n, c, l] -> [n, c, l'].
  (tensor-pad x padding \"constant\" value) applies it to a tensor."
  ((padding (%pads "constant-pad1d" padding 1))
   (value value))
  (forward (x) (tensor-pad x padding "constant" value)))

(define-module (constant-pad2d padding value)
  "The layer that adds a value around images.  x [n, c, h, w] -> [n, c, h',
  w'].  (tensor-pad x padding \"constant\" value) applies it to a tensor."
  ((padding (%pads "constant-pad2d" padding 2))
   (value value))
  (forward (x) (tensor-pad x padding "constant" value)))

(define-module (constant-pad3d padding value)
  "The layer that adds a value around volumes.  x [n, c, d, h, w] -> [n, c, d',
  h', w'].  (tensor-pad x padding \"constant\" value) applies it to a tensor."
  ((padding (%pads "constant-pad3d" padding 3))
   (value value))
  (forward (x) (tensor-pad x padding "constant" value)))

(define-module (reflection-pad1d padding)
  "The layer that adds the input reflected at its edge around sequences.  x [n,
  c, l] -> [n, c, l'].  (tensor-pad x padding \"reflect\") applies it to a
  tensor."
  ((padding (%pads "reflection-pad1d" padding 1)))
  (forward (x) (tensor-pad x padding "reflect")))

(define-module (reflection-pad2d padding)
  "The layer that adds the input reflected at its edge around images.  x [n, c,
  h, w] -> [n, c, h', w'].  (tensor-pad x padding \"reflect\") applies it to a
  tensor."
  ((padding (%pads "reflection-pad2d" padding 2)))
  (forward (x) (tensor-pad x padding "reflect")))

(define-module (reflection-pad3d padding)
  "The layer that adds the input reflected at its edge around volumes.  x [n, c,
  d, h, w] -> [n, c, d', h', w'].  (tensor-pad x padding \"reflect\") applies
  it to a tensor."
  ((padding (%pads "reflection-pad3d" padding 3)))
  (forward (x) (tensor-pad x padding "reflect")))

(define-module (replication-pad1d padding)
  "The layer that adds copies of the elements at its edge around sequences.  x
  [n, c, l] -> [n, c, l'].  (tensor-pad x padding \"replicate\") applies it to
  a tensor."
  ((padding (%pads "replication-pad1d" padding 1)))
  (forward (x) (tensor-pad x padding "replicate")))

(define-module (replication-pad2d padding)
  "The layer that adds copies of the elements at its edge around images.  x [n,
  c, h, w] -> [n, c, h', w'].  (tensor-pad x padding \"replicate\") applies it
  to a tensor."
  ((padding (%pads "replication-pad2d" padding 2)))
  (forward (x) (tensor-pad x padding "replicate")))

(define-module (replication-pad3d padding)
  "The layer that adds copies of the elements at its edge around volumes.  x [n,
  c, d, h, w] -> [n, c, d', h', w'].  (tensor-pad x padding \"replicate\")
  applies it to a tensor."
  ((padding (%pads "replication-pad3d" padding 3)))
  (forward (x) (tensor-pad x padding "replicate")))

(define-module (circular-pad1d padding)
  "The layer that adds elements of its opposite edge around sequences.  x [n, c,
  l] -> [n, c, l'].  (tensor-pad x padding \"circular\") applies it to a
  tensor."
  ((padding (%pads "circular-pad1d" padding 1)))
  (forward (x) (tensor-pad x padding "circular")))

(define-module (circular-pad2d padding)
  "The layer that adds elements of its opposite edge around images.  x [n, c, h,
  w] -> [n, c, h', w'].  (tensor-pad x padding \"circular\") applies it to a
  tensor."
  ((padding (%pads "circular-pad2d" padding 2)))
  (forward (x) (tensor-pad x padding "circular")))

(define-module (circular-pad3d padding)
  "The layer that adds elements of its opposite edge around volumes.  x [n, c,
  d, h, w] -> [n, c, d', h', w'].  (tensor-pad x padding \"circular\") applies
  it to a tensor."
  ((padding (%pads "circular-pad3d" padding 3)))
  (forward (x) (tensor-pad x padding "circular")))
