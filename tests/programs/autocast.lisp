; Regions of autocast begin and end with the form, however it is left.
(define x (tensor-ones 2 3))
(define w (requires-grad! (tensor-ones 4 3)))
(define (product) (tensor-linear x w))
(define (dtype) (tensor-dtype (product)))
(define (state) (list (dtype) (autocast-dtype)))
(print (state))  ; => (float32 #f)
(print (with-autocast 'bfloat16 (state)))  ; => (bfloat16 bfloat16)
(print (with-autocast "float16" (state)))  ; => (float16 float16)
(print (with-autocast 'bfloat16
         (list (dtype)
               (with-autocast #f (dtype))
               (with-autocast 'float16 (dtype))
               (dtype))))  ; => (bfloat16 float32 float16 bfloat16)
(print (state))  ; => (float32 #f)

; Several results, definitions, and the last value of the body.
(print (call-with-values
        (lambda () (with-autocast 'bfloat16 (define y (product)) (values 1 (tensor-dtype y))))
        list))  ; => (1 bfloat16)

; Errors and escapes.
(print (guard (e (#t (state))) (with-autocast 'bfloat16 (error "out"))))  ; => (float32 #f)
(print (call/cc (lambda (k) (with-autocast 'bfloat16 (k (dtype))))))  ; => bfloat16
(print (state))  ; => (float32 #f)
(with-exception-handler
  (lambda (e) (print (state)) 'handled)  ; => (bfloat16 bfloat16)
  (lambda () (with-autocast 'bfloat16 (print (raise-continuable 1) (dtype)))))  ; => handled bfloat16
(define (fails thunk)
  (guard (e (#t (print (error-object-message e)))) (thunk)))
(fails (lambda () (with-autocast 'float32 (dtype))))  ; => with-autocast: expected 'bfloat16, 'float16 or #f, got float32
(fails (lambda () (with-autocast 16 (dtype))))  ; => with-autocast: expected 'bfloat16, 'float16 or #f, got 16
(fails (lambda () (with-autocast 'bfloat61 (dtype))))  ; => with-autocast: unknown dtype: bfloat61
(print (state))  ; => (float32 #f)

; A parameter is cast once in a region; the copy ends with the outermost region.
(define (live-bytes) (cdr (assq 'live-bytes (tensor-memory))))
(define big (requires-grad! (tensor-ones 1000 1000)))
(define row (tensor-ones 1 1000))
(define before (live-bytes))
(define (growth) (quotient (- (live-bytes) before) 1000000))
(print (with-autocast 'bfloat16
         (let* ((cast-free (growth))
                (y (tensor-linear row big))
                (once (growth))
                (z (with-autocast 'bfloat16 (tensor-linear row big))))
           (list cast-free once (growth)))))  ; => (0 2 2)
(print (growth))  ; => 0

; Gradients of parameters have the parameters' dtype.
(define loss (with-autocast 'bfloat16 (mse-loss (product) (tensor-zeros 2 4))))
(backward loss)
(print (tensor-dtype loss) (tensor-dtype (tensor-grad w)) (tensor-item loss))  ; => float32 float32 9.0
