; Devices: here the CPU, and meta, whose tensors have shapes but no elements.
(define-syntax message (syntax-rules () ((_ e) (guard (c (#t (error-object-message c))) e))))
(print (default-device) (tensor-device [1]) (tensor-device (tensor 1 :device "cpu")) (tensor-device (tensor-zeros 2 :device 'meta))) ; => cpu cpu cpu meta
(define (places) (map tensor-device (list [1] (tensor '(1)) (list->tensor '(1)) (tensor-zeros 2) (tensor-rand 2) (tensor-arange 3) (tensor-full '(2) 1.5) (tensor-eye 2) (tensor-linspace 0 1 3))))
(print (with-device "meta" (places)))            ; => (meta meta meta meta meta meta meta meta meta)
(print (with-device 'meta (list (default-device) (with-device "cpu" (tensor-device [1])) (default-device))) (default-device)) ; => (meta cpu meta) cpu
(print (with-device "meta" (map tensor-device (list (tensor-zeros 2 :device "cpu") (tensor 1 :device "cpu") (tensor-zeros-like (tensor 1 :device "cpu")))))) ; => (cpu cpu cpu)
; Every way out leads back.
(print (guard (c (#t 'caught)) (with-device "meta" (error "out"))) (default-device)) ; => caught cpu
(print (call/cc (lambda (k) (with-device "meta" (k 'escaped)))) (default-device)) ; => escaped cpu
(set-default-device! "meta")
(print (with-device "cpu" [1 2]) (default-device) [1 2]) ; => [1 2] meta #<meta tensor int64 (2)>
(set-default-device! "cpu")
(define m (tensor '(1.0 2.0) :device "meta"))
(print m (list m) (+ m 1) (tensor-shape m) (equal? m m) (equal? m (tensor-copy m)) (format "~a ~s" m m)) ; => #<meta tensor float32 (2)> (#<meta tensor float32 (2)>) #<meta tensor float32 (2)> (2) #t #f #<meta tensor float32 (2)> #<meta tensor float32 (2)>
(print (message (tensor->list m)) (message (tensor-item (tensor-sum m)))) ; => tensor->list: a tensor on device meta has no elements tensor-item: a tensor on device meta has no elements
(print (message (if (tensor-gt (tensor-sum m) 0) 1 2)) (message (< (tensor-sum m) 1)) (message (string-length m))) ; => a tensor on device meta has no elements <: a tensor on device meta has no elements string-length: expected a string, got a tensor float32 (2) on meta
; A device that is not available is an error that names the available ones.
(print (message (tensor 1 :device "cpu:7")) (message (tensor 1 :device "disk"))) ; => tensor: device cpu:7 is not available tensor: unknown device: disk
(print (message (tensor 1 :device 5)) (message (with-device 5 1)) (message (set-default-device! "disk"))) ; => tensor: expected a device, got 5 with-device: expected a device, got 5 set-default-device!: unknown device: disk
(unless (cuda-available?) (print (message (with-device "cuda" [1])) (message (tensor-to [1] "cuda:0")) (message (tensor-zeros 1 :device "cuda")))) ; => with-device: device cuda is not available tensor-to: device cuda:0 is not available tensor-zeros: device cuda is not available
; Tensors on several devices: the message names the devices, and the arguments theirs.
(print (message (+ (tensor-ones 2) (tensor-ones 2 :device "meta")))) ; => +: the tensors are on meta and cpu; given self float32 (2) on cpu, other float32 (2) on meta
(print (gcd (tensor '(12 18) :device "meta") 8) (lcm 8 (tensor '(12 18) :device "meta"))) ; => #<meta tensor int64 (2)> #<meta tensor int64 (2)>
(print (linear 2 1 :bias #f) (with-device "meta" (linear 2 1 :bias #f))) ; => #<linear 2 parameters, 8 bytes weight: float32 (1 2) bias: #f> #<linear 2 parameters, 8 bytes weight: float32 (1 2) on meta bias: #f>
; The orders of data loaders, and what splits a dataset, stay on the CPU.
(define (batches) (let ((seen '())) (do-batches ((x) (data-loader (tensor-dataset (tensor-arange 5 :device "cpu")) :batch-size 2 :shuffle #t :seed 1)) (set! seen (cons x seen))) (reverse seen)))
(print (equal? (batches) (with-device "meta" (batches)))) ; => #t
(print (with-device "meta" (map dataset-length (split-dataset (tensor-dataset (tensor-arange 6 :device "cpu")) '(0.5 0.5) :seed 2 :stratify '(0 1 0 1 0 1))))) ; => (3 3)
