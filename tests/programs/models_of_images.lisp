;; Models of images and samplers of diffusion models: shapes, labels, training,
;; and files.

(define (settings type . more)
  (append more
          `(("model_type" . ,type) ("hidden_size" . 12) ("num_hidden_layers" . 2)
            ("num_attention_heads" . 2) ("intermediate_size" . 16)
            ("image_size" . 16) ("patch_size" . 4))))
(define (near? a b) (tensor-allclose a b :rtol 0 :atol 1e-5))
(define (message thunk)
  (print (guard (e ((error-object? e) (error-object-message e))) (thunk) "nothing")))

(manual-seed 4)
(define labels '("cat" "dog" "car"))
(define pixels (tensor-randn 2 3 16 16))
(define folder (create-temp-folder))

;; What is saved and read back answers the same; a row does not depend on others.
(for-each
 (lambda (entry)
   (let* ((model (eval-mode! (new-vision-model entry :labels labels)))
          (path (string folder "/" (cdr (assoc "model_type" entry)))))
     (save-vision-model model path)
     (let ((again (eval-mode! (load-vision-model path))))
       (no-grad
         (print (cdr (assoc "model_type" entry))
                (tensor-shape (model pixels))
                (tensor-shape (image-features model pixels))
                (near? (model pixels) (again pixels))
                (near? (tensor-narrow (model pixels) 0 1 1)
                       (model (tensor-narrow pixels 0 1 1)))
                (vision-model-labels again))))))
 (list (settings "vit") (settings "deit")
       (settings "dinov2" '("use_swiglu_ffn" . #t) '("mlp_ratio" . 2))
       (settings "dinov2_with_registers" '("num_register_tokens" . 2) '("mlp_ratio" . 2))
       '(("model_type" . "resnet") ("embedding_size" . 6) ("hidden_sizes" . (8 12))
         ("depths" . (1 2)) ("layer_type" . "basic"))
       '(("model_type" . "convnext") ("hidden_sizes" . (6 8)) ("depths" . (1 1))
         ("patch_size" . 2) ("num_stages" . 2))
       '(("model_type" . "convnextv2") ("hidden_sizes" . (6 8)) ("depths" . (1 1))
         ("patch_size" . 2) ("num_stages" . 2))))
; => vit (2 3) (2 12) #t #t (cat dog car)
; => deit (2 3) (2 12) #t #t (cat dog car)
; => dinov2 (2 3) (2 12) #t #t (cat dog car)
; => dinov2_with_registers (2 3) (2 12) #t #t (cat dog car)
; => resnet (2 3) (2 12) #t #t (cat dog car)
; => convnext (2 3) (2 8) #t #t (cat dog car)
; => convnextv2 (2 3) (2 8) #t #t (cat dog car)

;; Images of other sizes have positions between those of training.
(define vit (new-vision-model (settings "vit") :labels labels))
(print (tensor-shape (vit (tensor-randn 1 3 24 32))))           ; => (1 3)
(print (tensor-shape (image-states vit pixels)))                ; => (2 17 12)

;; Labels.
(define processor (image-processor :size '(16 16)))
(define found (classify-image (eval-mode! vit) processor (tensor-rand 2 3 30 20)))
(print (length found) (map length found))                       ; => 2 (3 3)
(print (every (lambda (each)
                (and (< 0.999 (apply + (map cdr each)) 1.001)
                     (equal? (sort (map car each) string<?) '("car" "cat" "dog"))
                     (apply >= (map cdr each))))
              found))
; => #t
(print (length (classify-image vit processor (tensor-rand 3 30 20) :top 1)))  ; => 1

;; SigLIP judges each pair of an image and a text alone.
(define parts "\"hidden_size\": 12, \"num_hidden_layers\": 1, \"num_attention_heads\": 2,
  \"intermediate_size\": 16")
(define siglip
  (eval-mode!
   (new-vision-model
    (string->json (string "{\"model_type\": \"siglip\",
      \"vision_config\": {\"image_size\": 16, \"patch_size\": 8, " parts "},
      \"text_config\": {\"vocab_size\": 9, \"max_position_embeddings\": 7, " parts "}}")))))
(define tokenizer
  (bpe-tokenizer '("a" "b" "c" "Ġ" "</s>" "ab") '("a b") :eos 4 :special '("</s>")))
(define picture (tensor-rand 3 30 20))
(define judged
  (classify-image siglip processor picture :labels '("ab" "c" "ba") :tokenizer tokenizer
                  :prompt "~a a"))
(print (sort (map car judged) string<?))                        ; => (ab ba c)
(define-values (ids mask)
  (encode-batch tokenizer '("ab a" "c a" "ba a") :side 'right :length 7))
(define (placed x)   ; where the model is
  (tensor-to x :device (tensor-device (clip-logit-scale siglip))))
(define seen (placed (processor picture)))
(define texts (placed ids))
(define logits (no-grad (siglip seen texts)))
(print (near? (tensor (map (lambda (label) (cdr (assoc label judged))) '("ab" "c" "ba")))
              (tensor-squeeze (tensor-sigmoid logits) 0)))      ; => #t
(save-vision-model siglip (string folder "/siglip"))
(print (near? logits
              (no-grad ((load-vision-model (string folder "/siglip"))
                        seen texts))))             ; => #t
(define (unit x) (/ x (tensor-norm x 2 '(-1) #t)))
(print (near? (no-grad
                (+ (* (tensor-exp (clip-logit-scale siglip))
                      (@ (unit (image-features siglip seen))
                         (tensor-t (unit (text-features siglip texts)))))
                   (clip-logit-bias siglip)))
              logits))                                          ; => #t

;; Training.
(train-mode! vit)
(define optimizer (adamw (parameters vit) :lr 0.01))
(define (loss) (cross-entropy (vit pixels) (tensor '(0 2))))
(define before (tensor-item (loss)))
(dotimes (k 8)
  (zero-grad optimizer)
  (backward (loss))
  (optimizer-step optimizer))
(print (< (tensor-item (loss)) before))                         ; => #t
(print (map car (filter (lambda (each) (not (tensor? (tensor-grad (cdr each)))))
                        (named-parameters vit))))
; => (pooler.dense.weight pooler.dense.bias)

;; Samplers: what knows the clean sample finds it, in few and in many steps.
(define clean (tensor '((0.5 -0.25 0.75 0.0))))
(define noise (tensor-randn 1 4))
(define (knows x time) clean)
(define (samplers-of name . more)
  (append more `(("_class_name" . ,name) ("prediction_type" . "sample")
                 ("beta_schedule" . "scaled_linear"))))
(for-each
 (lambda (entry)
   (print (cdr (assoc "_class_name" entry))
          (map (lambda (steps)
                 (tensor-allclose (denoise (new-sampler entry steps) knows noise) clean
                                  :rtol 0 :atol 1e-3))
               '(1 2 30))))
 (list (samplers-of "DDIMScheduler")
       (samplers-of "EulerDiscreteScheduler")
       (samplers-of "EulerDiscreteScheduler" '("use_karras_sigmas" . #t))
       (samplers-of "DPMSolverMultistepScheduler")
       (samplers-of "DPMSolverMultistepScheduler" '("use_karras_sigmas" . #t)
                    '("timestep_spacing" . "trailing"))))
; => DDIMScheduler (#t #t #t)
; => EulerDiscreteScheduler (#t #t #t)
; => EulerDiscreteScheduler (#t #t #t)
; => DPMSolverMultistepScheduler (#t #t #t)
; => DPMSolverMultistepScheduler (#t #t #t)

;; A network learns to remove noise; more noise is farther from the sample.
(define sampler (new-sampler (samplers-of "DDIMScheduler") 10))
(define (distance time)
  (tensor-item (tensor-norm (- (add-noise sampler clean noise time) clean))))
(print (< (distance 0) (distance 300) (distance 999)))          ; => #t
(define-module (cleaner)
  "What a tiny network says of a sample with noise."
  ((in (linear 5 16)) (out (linear 16 4)))
  (forward (x time)
    (let ((share (tensor-full (list (tensor-size x 0) 1) (/ time 1000.0))))
      (out (tensor-silu (in (tensor-cat (list x share) 1)))))))
(define network (cleaner))
(define steps (adamw (parameters network) :lr 0.02))
(define (error-at time)
  (tensor-mean (tensor-square (- (network (add-noise sampler clean noise time) time)
                                 clean))))
(define first-error (tensor-item (error-at 400)))
(dotimes (k 30)
  (zero-grad steps)
  (backward (error-at (* 33 k)))
  (optimizer-step steps))
(print (< (tensor-item (error-at 400)) first-error))            ; => #t
(define done '())
(define sample (denoise sampler network (tensor-randn 1 4)
                        :done (lambda (k x) (set! done (cons k done)))))
(print (tensor-shape sample) (reverse done))                    ; => (1 4) (1 2 3 4 5 6 7 8 9 10)

;; Refusals.
(message (lambda () (new-vision-model '(("model_type" . "swin")))))
; => new-vision-model: expected one of vit, deit, dinov2, dinov2_with_registers, clip, siglip, resnet, convnext, convnextv2, yolos for the setting "model_type", got "swin"
(message (lambda () (new-vision-model (settings "vit") :labels '(1))))
; => new-vision-model: expected a list of strings as the labels, got (1)
(message (lambda () (vit (tensor-zeros 2 4 16 16))))
; => image model: expected pixels [n, 3, h, w], floating-point numbers, with h and w from 4 and 4, got
(message (lambda () (vit 1)))
; => image model: expected pixels [n, 3, h, w], floating-point numbers, with h and w from 4 and 4, got
(message (lambda () (load-vision-model "no-such-folder")))
; => load-vision-model: there is no folder or file "no-such-folder"
(message (lambda () (new-sampler (samplers-of "DDIMScheduler" '("use_karras_sigmas" . #t)) 3)))
; => new-sampler: expected false for DDIM for the setting "use_karras_sigmas", got true
(message (lambda () (add-noise sampler clean noise -1)))
; => add-noise: expected a time of training, got -1
(delete-folder folder :recursive #t)
