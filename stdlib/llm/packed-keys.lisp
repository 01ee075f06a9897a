;; packed-keys.lisp - keys and values in int8 or int4, for caches.
;;
;;     x [n, kv-heads, t, d]  =>  integers [n, kv-heads, t, d or d / 2], and what
;;                                they are multiplied by [n, kv-heads, t, ...]
;;
;; int8: each vector has the scale of its largest element.  int4: each group of
;; elements has a scale and a minimum, and two elements share a byte, one of the
;; first half of the vector and one of the second.  A vector of an odd size is
;; filled up with copies of its last element.

(define (%check-cache-bits who bits)
  (unless (memv bits '(#f 8 4))
    (wrong-type who "8, 4 or #f for bits" bits)))

(define (%packed x bits)
  "A list of the integers that stand for x, and of their scales."
  (if (= bits 8) (%to-int8 x) (%to-int4 x)))

(define (%all-unpacked parts bits sizes)
  "Integers and their scales, in turn, as a list of what they stand for: vectors
  of the sizes."
  (if (null? parts)
      '()
      (cons (if (= bits 8)
                (* (car parts) (cadr parts))
                (%from-int4 (car parts) (cadr parts) (car sizes)))
            (%all-unpacked (cddr parts) bits (cdr sizes)))))

(define (%to-int8 x)
  (let* ((large (tensor-amax (tensor-abs x) -1 #t))
         (scale (tensor-clamp-min (/ (tensor-to large 'float32) 127.0) 1e-12)))
    (list (tensor-to (tensor-round (/ x scale)) 'int8)
          (tensor-to scale (tensor-dtype x)))))

(define %group-elements 32)   ; with one scale and one minimum in int4

(define (%to-int4 x)
  (let* ((x (%filled-up x))
         (size (gcd (tensor-size x -1) %group-elements))
         (dtype (tensor-dtype x))
         (groups (tensor-to (tensor-unflatten x -1 (list -1 size)) 'float32))
         (least (tensor-amin groups -1 #t))
         (scale (/ (- (tensor-amax groups -1 #t) least) 15.0))
         (scale (tensor-to (tensor-clamp-min scale 1e-12) dtype))
         (levels (tensor-clamp (tensor-round (/ (- groups least) scale))
                               0 15)))
    (let-list (((low high) (tensor-chunk (tensor-to (tensor-flatten levels -2)
                                                    'uint8)
                                         2 -1)))
      (list (+ low (* high 16))
            (tensor-flatten (tensor-cat (list scale (tensor-to least dtype))
                                        -1)
                            -2)))))

(define (%filled-up x)
  "x, whose vectors are filled up to a multiple of 16 elements if their size is
  odd: with copies of the last one, which change no group's range."
  (let* ((size (tensor-size x -1))
         (more (if (odd? size) (modulo (- size) 16) 0)))
    (if (= more 0)
        x
        (tensor-cat
         (list x (tensor-expand (tensor-narrow x -1 (- size 1) 1)
                                (append (drop-right (tensor-shape x) 1)
                                        (list more))))
         -1))))

(define (%from-int4 bytes scales size)
  (let* ((pairs (tensor-unflatten scales -1 '(-1 2)))
         (levels (tensor-cat (list (tensor-bitwise-and bytes 15)
                                   (tensor-bitwise-right-shift bytes 4))
                             -1))
         (groups (tensor-unflatten levels -1
                                   (list (tensor-size pairs -2) -1))))
    (tensor-narrow
     (tensor-flatten (tensor-addcmul (tensor-narrow pairs -1 1 1)
                                     (tensor-to groups (tensor-dtype scales))
                                     (tensor-narrow pairs -1 0 1))
                     -2)
     -1 0 size)))
