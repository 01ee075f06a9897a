;; lora.lisp - fine-tuning with few parameters: low-rank adapters (Hu et al.
;; 2021) on chosen linear layers.
;;
;;     (lora! model :targets '("q_proj" "v_proj") :rank 8 :alpha 16)
;;
;; replaces each chosen layer by one that adds alpha / rank * x a' b' to what
;; the layer gives; a [rank, in] and b [out, rank] are all that learns.  Saved
;; adapters have the layout of Python's peft package.

(define-module (lora-linear base :rank 8 :alpha 16 :dropout 0.0)
  "A linear layer with an adapter: base x + alpha / rank * x a' b'.
  x [..., in] -> [..., out].  The adapter begins as zero."
  ((base base :unnamed)
   (lora-A (%adapter-down base rank))                  ; [rank, in]
   (lora-B (%adapter-up base rank))                    ; [out, rank]
   (rank rank)
   (alpha alpha)
   (probability dropout)
   (merged? #f)
   (active? #t))
  (forward (x)
    (if (or merged? (not active?))
        (base x)
        (+ (base x)
           (* (inexact (/ alpha rank))
              (lora-B (lora-A (if (and (> probability 0) (training? self))
                                  (tensor-dropout x probability #t)
                                  x))))))))

(define (%adapter-down base rank)
  "The layer [rank, in], in the dtype of the base layer."
  (let ((layer (linear (tensor-size (linear-weight base) 1) rank :bias #f)))
    (tensor-kaiming-uniform! (linear-weight layer) :a (sqrt 5.0))
    (to! layer (tensor-dtype (linear-weight base)))))

(define (%adapter-up base rank)
  "The layer [out, rank] of zeros, in the dtype of the base layer."
  (let ((layer (linear rank (tensor-size (linear-weight base) 0) :bias #f)))
    (tensor-zeros! (linear-weight layer))
    (to! layer (tensor-dtype (linear-weight base)))))

;; Adapters on a model.

(define (lora! model :targets '() :rank 8 :alpha 16 :dropout 0.0)
  "Freeze a model, and put adapters on its linear layers; returns the model.

  targets: a list of names, each the path of a layer or the end of paths, such
  as \"q_proj\"; or a procedure of path and layer that chooses.  Only the
  adapters learn."
  (%check-module "lora!" model)
  (%check-lora rank alpha dropout)
  (when (pair? (%adapters model))
    (error "lora!: the model has adapters; merge or remove them first"))
  (let ((chosen (%chosen-layers "lora!" model targets)))
    (freeze! model)
    (for-each
     (lambda (entry)
       (replace-module! model (car entry)
                        (lora-linear (cdr entry) :rank rank :alpha alpha
                                     :dropout dropout)))
     chosen)
    model))

(define (%check-lora rank alpha dropout)
  "Raise an error unless the numbers of an adapter make sense."
  (unless (and (exact-integer? rank) (> rank 0))
    (wrong-type "lora!" "a positive exact integer after :rank" rank))
  (unless (and (real? alpha) (> alpha 0))
    (wrong-type "lora!" "a positive number after :alpha" alpha))
  (unless (and (real? dropout) (<= 0 dropout) (< dropout 1))
    (wrong-type "lora!" "a number from 0 up to 1 after :dropout" dropout)))

(define (%chosen-layers who model targets)
  "The alist of path and linear layer for the targets; each must match."
  (let* ((layers (filter (lambda (entry) (linear? (cdr entry)))
                         (named-modules model)))
         (chosen (filter (lambda (entry) (%is-target? entry targets)) layers)))
    (unless (procedure? targets)
      (for-each
       (lambda (name)
         (unless (any (lambda (entry) (%path-ends? (car entry) name)) layers)
           (error (format "~a: no linear layer has the path ~s; there are"
                          who name)
                  (map car layers))))
       targets))
    (when (null? chosen)
      (error (string who ": :targets chooses no linear layer; there are")
             (map car layers)))
    (when (assoc "" chosen)
      (error (string who ": the whole model is a linear layer; put it into "
                     "a sequential")))
    chosen))

(define (%is-target? entry targets)
  "Whether the targets choose a layer."
  (if (procedure? targets)
      (targets (car entry) (cdr entry))
      (any (lambda (name) (%path-ends? (car entry) name)) targets)))

(define (%path-ends? path name)
  "Whether a path is the name, or ends in a dot and the name."
  (or (equal? path name)
      (string-suffix? (string-append "." name) path)))

(define (%adapters model)
  "The alist of path and module for the layers with adapters."
  (filter (lambda (entry) (lora-linear? (cdr entry))) (named-modules model)))

(define (%checked-adapters who model)
  "The same; none are an error."
  (%check-module who model)
  (let ((found (%adapters model)))
    (when (null? found)
      (error (string who ": the model has no adapters; lora! adds them")))
    found))

(define (lora-parameters model)
  "The parameters of a model's adapters, as an alist of path and tensor."
  (append-map
   (lambda (entry)
     (map (lambda (name layer)
            (cons (string (car entry) "." name ".weight")
                  (linear-weight layer)))
          '("lora_A" "lora_B")
          (list (lora-linear-lora-A (cdr entry))
                (lora-linear-lora-B (cdr entry)))))
   (%checked-adapters "lora-parameters" model)))

;; Merging.

(define (merge-lora! model)
  "Add the adapters to the layers' weights, so that calls cost no more than
  before; returns the model.  unmerge-lora! takes them out again;
  remove-lora! leaves only the weights, so that save-llm can save them."
  (for-each (lambda (entry) (%merge! (cdr entry) #t))
            (%checked-adapters "merge-lora!" model))
  model)

(define (unmerge-lora! model)
  "Undo merge-lora!; returns the model."
  (for-each (lambda (entry) (%merge! (cdr entry) #f))
            (%checked-adapters "unmerge-lora!" model))
  model)

(define (%merge! layer on)
  "Add an adapter to its layer's weight, or subtract it."
  (unless (eq? (lora-linear-merged? layer) on)
    (no-grad
      (tensor-add! (linear-weight (lora-linear-base layer))
                   (@ (linear-weight (lora-linear-lora-B layer))
                      (linear-weight (lora-linear-lora-A layer)))
                   :alpha (* (if on 1 -1)
                             (inexact (/ (lora-linear-alpha layer)
                                         (lora-linear-rank layer))))))
    (set-lora-linear-merged?! layer on)))

(define (remove-lora! model)
  "Put the layers without their adapters back, as they are: merged adapters
  stay in the weights; returns the model, all of which learns again."
  (for-each (lambda (entry)
              (replace-module! model (car entry)
                               (lora-linear-base (cdr entry))))
            (%checked-adapters "remove-lora!" model))
  (unfreeze! model))

;; Without adapters.

(define (call-without-lora model thunk)
  "The result of thunk, during which the model's adapters do nothing: the model
  is what it was before lora!.  They must not be merged."
  (let ((layers (map cdr (%checked-adapters "call-without-lora" model))))
    (when (any lora-linear-merged? layers)
      (error "call-without-lora: the adapters are merged; unmerge-lora! first"))
    (dynamic-wind
     (lambda () (%activate! layers #f))
     thunk
     (lambda () (%activate! layers #t)))))

(define (%activate! layers on)
  "Switch adapters on or off."
  (for-each (lambda (layer) (set-lora-linear-active?! layer on)) layers))

;; Files.

(define (save-adapters folder model)
  "Write the adapters of a model into a folder, which is created: the files
  adapter_model.safetensors and adapter_config.json of Python's peft."
  (let ((adapters (%checked-adapters "save-adapters" model)))
    (make-folder folder)
    (save-tensors (string folder "/adapter_model.safetensors")
                  (map (lambda (entry)
                         (cons (string %peft-prefix (car entry))
                               (tensor-contiguous (detach (cdr entry)))))
                       (lora-parameters model)))
    (call-with-output-file (string folder "/adapter_config.json")
      (lambda (port) (write-json (%adapter-config adapters) port)))))

(define %peft-prefix "base_model.model.")

(define (%adapter-config adapters)
  "What adapter_config.json says: a hash table."
  (let ((layer (cdar adapters)))
    (hash-table
     "peft_type" "LORA"
     "r" (lora-linear-rank layer)
     "lora_alpha" (lora-linear-alpha layer)
     "lora_dropout" (lora-linear-probability layer)
     "target_modules" (map car adapters)
     "bias" "none"
     "fan_in_fan_out" #f
     "task_type" 'null
     "base_model_name_or_path" 'null
     "inference_mode" #t)))

(define (load-adapters! folder model)
  "Read adapters that save-adapters or Python's peft wrote; returns the model.
  A model without adapters gets those that the folder describes."
  (%check-module "load-adapters!" model)
  (let ((config (call-with-input-file (string folder "/adapter_config.json")
                  read-json))
        (saved (load-tensors (string folder "/adapter_model.safetensors"))))
    (%check-config folder config)
    (when (null? (%adapters model))
      (lora! model
             :targets (%config-targets (hash-ref config "target_modules"))
             :rank (hash-ref config "r")
             :alpha (hash-ref config "lora_alpha")
             :dropout (hash-ref config "lora_dropout" 0.0)))
    (%copy-adapters! (lora-parameters model) saved)
    model))

(define (%config-targets value)
  "The list of names in a configuration, which may be one name."
  (if (string? value) (list value) value))

(define (%check-config folder config)
  "Raise an error for a configuration that asks for what lora! does not do."
  (for-each
   (lambda (name usual)
     (let ((value (hash-ref config name usual)))
       (unless (or (equal? value usual)
                   (and (hash-table? value) (= (hash-size value) 0)))
         (error (format "load-adapters!: ~a/adapter_config.json has ~a ~s; \
                         only this can be loaded:" folder name value)
                usual))))
   '("peft_type" "bias" "use_dora" "use_rslora" "fan_in_fan_out" "rank_pattern"
     "alpha_pattern")
   '("LORA" "none" #f #f #f null null))
  (for-each (lambda (name)
              (unless (hash-has-key? config name)
                (error (format "load-adapters!: ~a/adapter_config.json has no"
                               folder)
                       name)))
            '("r" "lora_alpha" "target_modules")))

(define (%copy-adapters! own saved)
  "Copy saved adapters into a model's; the names must be the same."
  (let ((names (map (lambda (entry) (string %peft-prefix (car entry))) own)))
    (for-each (lambda (name)
                (unless (member name names)
                  (error "load-adapters!: the model has no adapter for" name)))
              (hash-keys saved))
    (for-each (lambda (name entry) (%check-saved-adapter saved name entry))
              names own)
    (no-grad
      (for-each (lambda (name entry)
                  (tensor-copy! (cdr entry) (hash-ref saved name)))
                names own))))

(define (%check-saved-adapter saved name entry)
  "Raise an error unless the table has a tensor of the adapter's shape."
  (unless (hash-has-key? saved name)
    (error "load-adapters!: the file has no tensor" name))
  (unless (equal? (tensor-shape (hash-ref saved name))
                  (tensor-shape (cdr entry)))
    (error (format "load-adapters!: tensor ~s has shape ~s, the model's has"
                   name (tensor-shape (hash-ref saved name)))
           (tensor-shape (cdr entry)))))
