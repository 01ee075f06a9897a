; Losses that are multiplied, as for training in float16.
(define-syntax message (syntax-rules () ((_ e) (guard (c (#t (error-object-message c))) e))))
(define w (tensor '(1.0 2.0) :requires-grad #t))
(define o (sgd (list w) :lr 0.5))
(define s (loss-scaler :init-scale 8 :growth-interval 2))
(define (learn factor)
  (zero-grad o)
  (backward (scale-loss s (* factor (tensor-sum (* w w)))))
  (let ((done (scaled-step s o)))
    (list done (loss-scaler-update! s))))

(print (loss-scaler? s) (loss-scaler? o) (loss-scale s))  ; => #t #f 8.0
(print (learn 1) w (tensor-grad w))               ; => (#t 8.0) [0.0 0.0] [2.0 4.0]
(no-grad (tensor-fill! w 1.0))
(print (learn 1) (loss-scale s))                  ; => (#t 16.0) 16.0
; A step with gradients that are not finite is left out.
(no-grad (tensor-fill! w 1.0))
(print (learn 1e38) w)                            ; => (#f 8.0) [1.0 1.0]
(print (learn +nan.0) w)                          ; => (#f 4.0) [1.0 1.0]
(print (learn 0.5) w)                             ; => (#t 4.0) [0.5 0.5]
; Clipping sees the gradients of the loss.
(zero-grad o)
(backward (scale-loss s (tensor-sum (* w 3))))
(unscale-gradients! s o)
(print (tensor-grad w))                           ; => [3.0 3.0]
(print (tensor-item (clip-grad-norm! (list w) 1.0 :norm-type +inf.0)))  ; => 3.0
(print (message (unscale-gradients! s o)))        ; => unscale-gradients!: the gradients of this optimizer were divided already
(print (scaled-step s o) (loss-scaler-update! s)) ; => #t 8.0
(print (message (loss-scaler-update! s)))         ; => loss-scaler-update!: no step has used the loss-scaler

; As in PyTorch, in float16 and with its names.
(define layer (linear 4 1))
(define adam-of-it (adam (parameters layer)))
(with-autocast 'float16
  (backward (scale-loss s (tensor-mean (layer (tensor-ones 2 4))))))
(print (scaled-step s adam-of-it) (map tensor-dtype (parameters layer)))  ; => #t (float32 float32)
(loss-scaler-update! s)
(print (loss-scaler-state s))                     ; => ((scale . 8.0) (_growth_tracker . 1))
(print (loss-scale (load-loss-scaler-state! (loss-scaler) (loss-scaler-state s))))  ; => 8.0

(print (message (loss-scaler :init-scale 0)))     ; => loss-scaler: expected a number above 0 for :init-scale, got 0
(print (message (loss-scaler :backoff-factor 1.5)))  ; => loss-scaler: expected a number below 1 for :backoff-factor, got 1.5
(print (message (scale-loss s 3)) (message (scale-loss 3 w)))  ; => scale-loss: expected a tensor, got 3 scale-loss: expected a loss-scaler, got 3
(print (message (scaled-step s 3)))               ; => unscale-gradients!: expected an optimizer, got 3
(print (message (load-loss-scaler-state! s '())))  ; => load-loss-scaler-state!: expected the state of a loss-scaler, got ()
