;; kernels.lisp DEVICE: the operators of language models there and on the CPU,
;; which must agree.  Prints the largest difference of each in units of what its
;; dtype can tell apart, and whether it is small.
(define device (cadr (command-line)))

(define (there x) (if (tensor? x) (tensor-to x device) x))

(define (difference x y)
  (let ((x (tensor-to x "cpu" 'float64)) (y (tensor-to y "cpu" 'float64)))
    (/ (tensor-item (tensor-max (tensor-abs (- x y))))
       (max 1.0 (tensor-item (tensor-max (tensor-abs x)))))))

(define (unit dtype)
  (cdr (assq dtype '((float32 . 6e-8) (bfloat16 . 4e-3) (float16 . 5e-4)))))

(define (check name dtype operator . arguments)
  "Compare a call's result on both devices."
  (let* ((units (/ (difference (apply operator arguments)
                               (apply operator (map there arguments)))
                   (unit dtype))))
    (unless (< units (if (eq? dtype 'float32) 400 6))
      (print "DIFFERS" name dtype units))))

(define (heads n count t d dtype)
  (tensor-transpose (tensor-to (tensor-randn (list n t count d)) dtype) 1 2))

(define (angles t pairs)
  (let ((x (tensor-rand t pairs))) (list (tensor-cos x) (tensor-sin x))))

(define (written q k v cos sin start room)
  "The rotated queries, and what a cache holds afterwards."
  (let* ((empty (lambda () (tensor-zeros (list (tensor-size k 0) (tensor-size k 1) room (tensor-size k 3))
                                         :dtype (tensor-dtype k) :device (tensor-device k))))
         (keys (empty)) (values (empty))
         (y (tensor-rotary-write! keys values q k v cos sin start)))
    (tensor-cat (map (lambda (x) (tensor-flatten x)) (list y keys values)) 0)))

(define (paged q k v table starts lengths window)
  "Attention over pages after a write, and the pages."
  (let* ((empty (lambda () (tensor-zeros (list 40 (tensor-size k 1) 16 (tensor-size k 3))
                                         :dtype (tensor-dtype k) :device (tensor-device k))))
         (keys (empty)) (values (empty)))
    (tensor-paged-write! keys values k v table starts)
    (tensor-cat (map (lambda (x) (tensor-flatten x))
                     (list (tensor-paged-attention q keys values table lengths window) keys values)) 0)))

(manual-seed 1)
(no-grad
 (for-each
  (lambda (dtype)
    (for-each
     (lambda (width)
       (check "rms-norm" dtype tensor-fused-rms-norm (tensor-to (tensor-randn 3 5 width) dtype) (tensor-to (tensor-randn width) dtype) 1e-5)
       (check "rms-norm 1" dtype tensor-fused-rms-norm (tensor-to (tensor-randn 1 1 width) dtype) (tensor-to (tensor-randn width) dtype) 1e-5 1.0)
       (check "silu-mul" dtype tensor-silu-mul (tensor-to (tensor-randn 2 3 (* 2 width)) dtype))
       (check "gelu-mul" dtype tensor-gelu-mul (tensor-to (tensor-randn 2 3 (* 2 width)) dtype)))
     '(8 300 2048 5000))
    (for-each
     (lambda (size)
       (apply
        (lambda (count shared d)
          (apply check "rotary" dtype tensor-rotary (heads 2 count 5 d dtype) (angles 5 (quotient d 2)))
          (apply (lambda (cos sin) (check "rotary-write" dtype written (heads 2 count 5 d dtype) (heads 2 shared 5 d dtype) (heads 2 shared 5 d dtype) cos sin 3 12))
                 (angles 5 (quotient d 2)))
          (for-each
           (lambda (length)
             (for-each
              (lambda (window)
                (check "attention" dtype tensor-cached-attention (heads 2 count 1 d dtype)
                       (tensor-contiguous (heads 2 shared (+ length 3) d dtype)) (tensor-contiguous (heads 2 shared (+ length 3) d dtype))
                       length #f window))
              '(#f 7))
             (check "attention with padding" dtype tensor-cached-attention (heads 2 count 1 d dtype)
                    (tensor-contiguous (heads 2 shared (+ length 3) d dtype)) (tensor-contiguous (heads 2 shared (+ length 3) d dtype))
                    length (tensor (list 0 (quotient length 2)))))
           '(1 9 300 3000))
          (check "pages" dtype paged (heads 3 count 1 d dtype) (heads 3 shared 20 d dtype) (heads 3 shared 20 d dtype)
                 (tensor-reshape (tensor-narrow (tensor-randperm 40) 0 0 9) '(3 3)) (tensor '(0 5 17)) (tensor '(20 24 36)) #f))
        size))
     '((12 4 64) (8 8 128) (32 4 64) (4 1 256) (6 2 80) (24 2 32)))
    (for-each
     (lambda (bits)
       (let ((parts (tensor-lambent::quantize-weight (tensor-randn 100 200) bits)))
         (for-each (lambda (rows)
                     (check (string "integers of " bits) 'bfloat16 (lambda (x w s) (tensor-lambent::quantized-linear x w s #f #f 100))
                            (tensor-to (tensor-randn rows 200) dtype) (car parts) (cadr parts)))
                   '(1 8 9 40))))
     '(8 4))
    (print dtype "compared"))
  '(float32 bfloat16 float16)))
