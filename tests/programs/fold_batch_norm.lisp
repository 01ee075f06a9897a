;; Norms over a batch are folded into the layers before them.

(manual-seed 3)
(define (settled model . shape)
  "A model whose norms have seen batches, in evaluation mode."
  (for-each (lambda (x) (no-grad (tensor-add! (detach x) (* 0.3 (tensor-randn (tensor-shape x))))))
            (parameters model))
  (dotimes (k 4) (model (+ 0.7 (* 2.0 (tensor-randn shape)))))
  (eval-mode! model))

(define (folds? model . shape)
  (let* ((x (tensor-randn shape))
         (before (model x))
         (after ((fold-batch-norm! model) x)))
    (print (< (tensor-item (tensor-max (tensor-abs (- after before)))) 1e-5)
           (map car (named-buffers model)))))

(define net
  (settled (sequential (conv2d 3 8 3 :stride 2 :bias #f) (batch-norm2d 8) tensor-relu
                       (conv2d 8 4 3 :groups 2) (batch-norm2d 4 :affine #f)
                       (sequential (conv2d 4 4 1) (batch-norm2d 4)))
           5 3 20 20))
(folds? net 2 3 20 20)                                          ; => #t ()
(print (map car (named-parameters net))) ; => (0.weight 0.bias 3.weight 3.bias 5.0.weight 5.0.bias)
(folds? (settled (sequential (conv1d 2 3 3) (batch-norm1d 3)) 4 2 9) 2 2 9) ; => #t ()
(folds? (settled (sequential (conv3d 2 3 2) (batch-norm3d 3)) 4 2 5 5 5) 2 2 5 5 5) ; => #t ()

;; Norms that come first, follow something else, or have no statistics stay.
(folds? (settled (sequential (batch-norm2d 3) (conv2d 3 4 1) tensor-relu (batch-norm2d 4)
                             (conv2d 4 4 1) (batch-norm2d 4 :track-running-stats #f))
                 4 3 6 6)
        2 3 6 6)
; => #t (0.running_mean 0.running_var 0.num_batches_tracked 3.running_mean 3.running_var 3.num_batches_tracked)
(folds? (settled (sequential (linear 5 4) (batch-norm1d 4)) 9 4 5) 3 4 5)
; => #t (1.running_mean 1.running_var 1.num_batches_tracked)

;; What is used twice stays, and what uses the statistics of each batch.
(define twice (conv1d 4 4 1))
(folds? (settled (sequential twice (batch-norm1d 4) twice) 9 4 5) 3 4 5)
; => #t (1.running_mean 1.running_var 1.num_batches_tracked)
(define mixed (settled (sequential (conv1d 4 4 1) (batch-norm1d 4)) 9 4 5))
(train-mode! (cadr (sequential-layers mixed)))
(folds? mixed 9 4 5)    ; => #t (1.running_mean 1.running_var 1.num_batches_tracked)

(define (try thunk) (guard (e (#t (print (error-object-message e)))) (thunk)))
(try (lambda () (fold-batch-norm! (sequential (linear 2 2) (batch-norm1d 2)))))
; => fold-batch-norm!: the module is in training mode, in which norms use the statistics of each batch
(try (lambda () (fold-batch-norm! 5)))  ; => fold-batch-norm!: expected a module, got 5

;; A ResNet.
(define resnet
  (new-vision-model '(("model_type" . "resnet") ("embedding_size" . 8) ("hidden_sizes" 8 16)
                      ("depths" 1 2) ("num_channels" . 3))
                    :labels '("cat" "dog")))
(settled resnet 4 3 32 32)
(call-with-temporary-folder
  (lambda (path)
    (save-vision-model resnet path)
    (let ((images (tensor-randn 2 3 32 32))
          (folded (load-vision-model path :fold #t)))
      (print (< (tensor-item (tensor-max (tensor-abs (- (folded images) (resnet images)))))
                1e-5)
             (length (named-buffers folded)))                    ; => #t 0
      (try (lambda () (save-vision-model folded path))))))
; => save-vision-model: the norms of the model have been folded into its convolutions, and files have both
