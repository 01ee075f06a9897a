; An error inside a model names the path of the module that failed.
(define-module (block width)
  ((up (linear width width)))
  (forward (x) (up x)))
(define-module (stack width depth)
  ((blocks (map (lambda (k) (block width)) (iota depth))))
  (forward (x) (fold (lambda (block x) (block x)) x blocks)))
(define model (stack 3 2))
(set-linear-weight! (module-at model "blocks.1.up") (tensor-ones 3 2))
(define (run)
  (dynamic-wind (lambda () #f) (lambda () (model (tensor-ones 1 3)) 5) (lambda () #f)))
(run)

; error, status 70:
; module_path.lisp:4:16: tensor-linear: input (1 3) has 3 features, weight (3 2) takes 2; given input float32 (1 3), weight float32 (3 2), bias float32 (3)
;   4 |   (forward (x) (up x)))
;     |                ^^^^^^
;   in module blocks.1.up (linear)
;   in block.forward, called at module_path.lisp:7:40
;   in lambda, called at module_path.lisp:11:43
;   in lambda, called at module_path.lisp:12:1
