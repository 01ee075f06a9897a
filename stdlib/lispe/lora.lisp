;; lora.lisp - low-rank adapters on single layers, by the layers of nn/lora.lisp.

(define (%lora-text x)
  (let ((base (lora-linear-base x)))
    (string "LoRA Linear Layer ("
            (tensor-size (linear-weight base) 1) " -> "
            (tensor-size (linear-weight base) 0)
            ", rank=" (%lora-adapter-rank (lora-linear-adapter x))
            ", alpha=" (%number-text (%lora-adapter-alpha
                                     (lora-linear-adapter x)))
            ", merged=" (if (lora-linear-merged? x) "true" "false") ")")))

(define (torch_lora_linear inputs outputs rank alpha)
  "A linear layer with an adapter, which alone learns."
  (torch_lora_apply_to_linear (linear inputs outputs) rank alpha))

(define (torch_lora_apply_to_linear layer rank alpha)
  "A layer with the weights of a linear one, which is frozen, and an adapter."
  (unless (linear? layer)
    (%fail "torch_lora_apply_to_linear: expected a linear layer, got "
           (%text layer)))
  (lora-linear (freeze! (copy-module layer)) :rank rank :alpha alpha))

(define (torch_lora_forward layer x)
  "The output of the layer and its adapter."
  (layer x))

(define (torch_lora_forward_with_gradients layer x . retain)
  "The same, recorded for gradients even where recording is off."
  (with-grad (layer x)))

(define (torch_lora_merge_weights layer)
  "Add the adapter to the layer's weight, so that calls cost no more."
  (%merge! layer #t)
  #t)

(define (torch_lora_trainable_params model)
  "The parameters of the adapters of a layer or model, as a list."
  (%new-list 'list (append-map (lambda (entry) (%adapter-tensors (cdr entry)))
                               (%checked-adapters "torch_lora_trainable_params"
                                                  model))))

(define (%adapter-tensors layer)
  "A [rank, in] and B [out, rank]."
  (let ((adapter (lora-linear-adapter layer)))
    (list (linear-weight (%lora-adapter-lora-A adapter))
          (linear-weight (%lora-adapter-lora-B adapter)))))

(define (torch_lora_compute_delta layer)
  "What the adapter adds to the weight: alpha / rank b a.  [out, in]"
  (let ((tensors (%adapter-tensors layer)))
    (* (%adapter-scale (lora-linear-adapter layer))
       (tensor-matmul (cadr tensors) (car tensors)))))

(define (torch_lora_get_adaptation_magnitude layer)
  "The norm of what the adapter adds to the weight."
  (tensor-item (tensor-norm (detach (torch_lora_compute_delta layer)))))

(define (%adapter-entries model)
  "The adapters' tensors by name."
  (append-map
   (lambda (entry)
     (let ((prefix (if (equal? (car entry) "") "" (string (car entry) "."))))
       (map (lambda (name x) (cons (string prefix name) x))
            '("lora_A.weight" "lora_B.weight")
            (%adapter-tensors (cdr entry)))))
   (%checked-adapters "torch_lora_save_adapters" model)))

(define (torch_lora_save_adapters model path)
  "Write only the adapters to a file."
  (save-tensors path (%contiguous (%adapter-entries model)))
  #t)

(define (torch_lora_load_adapters model path)
  "Read adapters from a file: each of the model's must be in it."
  (let ((saved (load-tensors path)))
    (for-each
     (lambda (entry)
       (let ((x (hash-ref saved (car entry) #f)))
         (unless (and x (equal? (tensor-shape x) (tensor-shape (cdr entry))))
           (%fail "torch_lora_load_adapters: " path " has no "
                  (car entry) " of shape " (tensor-shape (cdr entry))))
         (no-grad (tensor-copy! (cdr entry) x))))
     (%adapter-entries model))
    #t))
