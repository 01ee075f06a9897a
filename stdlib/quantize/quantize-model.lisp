;; quantize-model.lisp - a model's linear layers in 8 or 4 bits.
;;
;;     (quantize-model! model :bits 8)         weights take a quarter of float32
;;     (quantize-model! model :bits 4 :report #t)
;;
;; One layer after the other is replaced, so the floats of one layer at a time
;; are in memory beside the integers.

(define (quantize-model! model :bits 8 :group #f :skip '() :head-bits #f
                               :kernel 'lambent :report #f)
  "Replace the linear layers of a model by layers of 8-bit or 4-bit integers,
  and return the model.  With :bits 'nf4 they get 4-bit codes (NF4), which lose
  less than integers, and are unpacked at each call: see code-linear.  With
  'Q2_K, 'Q3_K, 'Q3_K_M, 'Q3_K_L, 'Q4_K, 'Q4_K_M, 'Q5_K, 'Q5_K_M or 'Q6_K they
  get GGUF's blocks, which kernels multiply as they are: see block-linear.  In
  Q2_K and kinds that end with _M or _L some matrices have more bits, as in
  llama.cpp's; a
  matrix whose rows are not a multiple of 256 columns gets integers of 8 bits,
  or of 4 for Q4_K and less, and a line on the standard error says so.

  skip: layers whose path ends in one of these names stay as they are, as the
  gates of experts do, and what adapters add (lora!).  The
  layer \"lm_head\", from which tokens are chosen, has head-bits, by default 8.
  report: #t displays what each layer gained and lost, a procedure is called
  with the entries of quantization-report.  kernel: 'lambent for our own
  layers, int8-linear and int4-linear; 'torch for those over LibTorch's
  kernels, torch-int8-linear and torch-int4-linear, whose 4-bit integers share
  a scale in groups of 32 (the default), 64, 128 or 256."
  (%check-module "quantize-model!" model)
  (%check-bits "quantize-model!" bits)
  (when head-bits (%check-bits "quantize-model!" head-bits))
  (%check-kernel bits kernel group)
  (let* ((layers (%layers-to-quantize model skip))
         (count (%layers-of (map car layers)))
         (other (%not-in-blocks layers bits))
         (entries
          (map (lambda (entry)
                 (%quantize-at! model (car entry) (cdr entry)
                                (%bits-at (car entry) bits head-bits count)
                                kernel (or group 32) report))
               layers)))
    (%tell-not-in-blocks other)
    (cond ((procedure? report) (report entries))
          (report (%display-report entries)))
    (tensor-cache-release!)                      ; of the floats
    model))

(define (%check-kernel bits kernel group)
  "Raise an error for a kernel or a group that there is not."
  (when (and (eq? kernel 'torch) (symbol? bits))
    (error "quantize-model!: :kernel 'torch has 8 or 4 bits, got" bits))
  (unless (memq kernel '(lambent torch))
    (error "quantize-model!: expected 'lambent or 'torch for :kernel, got"
           kernel))
  (unless (or (not group)
              (eqv? group 32)
              (and (eq? kernel 'torch) (memv group '(64 128 256))))
    (%error-with-hint
     "quantize-model!: cannot share a scale in groups of" (list group)
     "our kernels take groups of 32, LibTorch's (:kernel 'torch) also 64, 128 \
and 256")))

(define (%layers-to-quantize model skip)
  "The paths and modules of the linear layers that no name of skip excludes."
  (let ((adapters (%adapter-layers model)) (routers (%routers model)))
    (filter (lambda (entry)
              (and (linear? (cdr entry))
                   (not (equal? (car entry) ""))
                   (not (hash-has-key? adapters (cdr entry)))
                   (not (hash-has-key? routers (cdr entry)))
                   (not (any (lambda (name) (%path-ends-in? (car entry) name))
                             skip))))
            (named-modules model))))

(define (%adapter-layers model)
  "The linear layers of a model's adapters, as keys."
  (let ((layers (%make-identity-table)))
    (for-each (lambda (entry)
                (when (%lora-adapter? (cdr entry))
                  (hash-set! layers (%lora-adapter-lora-A (cdr entry)) #t)
                  (hash-set! layers (%lora-adapter-lora-B (cdr entry)) #t)))
              (named-modules model))
    layers))

(define (%routers model)
  "The layers that choose experts, as keys: near ties would go the other way."
  (let ((layers (%make-identity-table)))
    (for-each (lambda (entry)
                (when (mixture-of-experts? (cdr entry))
                  (hash-set! layers (mixture-of-experts-gate (cdr entry)) #t)
                  (hash-set! layers (mixture-of-experts-shared-expert-gate
                                     (cdr entry))
                             #t)))
              (named-modules model))
    layers))

(define (%path-ends-in? path name)
  "Whether a path is the name, or ends in it."
  (or (equal? path name)
      (string-suffix? (string "." name) path)))

(define (%bits-at path bits head-bits count)
  "How many bits the layer at a path of a model with count layers gets, or which
  of K's types."
  (cond ((%path-ends-in? path "lm_head") (or head-bits 8))
        ((assq bits %k-kinds) (%k-type-at path bits count))
        (else bits)))

(define (%not-in-blocks layers bits)
  "The paths of the layers that should be in K's blocks, but have other rows."
  (if (assq bits %k-kinds)
      (filter-map (lambda (entry)
                    (and (not (%path-ends-in? (car entry) "lm_head"))
                         (not (%in-blocks? (tensor-size
                                            (linear-weight (cdr entry)) 1)))
                         (car entry)))
                  layers)
      '()))

(define (%tell-not-in-blocks paths)
  "Say which layers are not in blocks on the standard error."
  (unless (null? paths)
    (write-string
     (format "quantize-model!: ~a got integers instead of blocks, since ~a rows \
are not a multiple of 256 columns: ~a~a\n"
             (if (null? (cdr paths))
                 "a layer"
                 (format "~a layers" (length paths)))
             (if (null? (cdr paths)) "its" "their")
             (string-join (take paths (min 4 (length paths))) ", ")
             (if (> (length paths) 4) " ..." ""))
     (current-error-port))))

(define (%quantize-at! model path layer bits kernel group report)
  "Replace one layer; returns its entry for the report, or #f."
  (let ((new (if (eq? kernel 'torch)
                 (%torch-layer layer bits group)
                 (quantize-linear layer :bits bits))))
    (%put-quantized! model path new)
    (if (training? layer) #f (eval-mode! new))
    (let ((entry (and report (%report-entry path layer new))))
      (%procedure "give-back" (linear-weight layer))  ; if it lies in a file
      entry)))

(define (%put-quantized! model path new)
  "Put a layer of integers at a path, below the adapters that may be there."
  (let ((old (module-at model path)))
    (if (lora-linear? old)
        (set-lora-linear-base! old new)
        (replace-module! model path new))))

(define (%quantize-when-filled model bits)
  "A procedure of the names of tensors that have been filled: it quantizes the
  linear layers that are then complete, so that the floats of one layer at a
  time are in memory."
  (let* ((layers (%layers-to-quantize model '()))
         (paths (%table-of (map (lambda (entry) (cons (car entry) #t))
                                layers)))
         (count (%layers-of (map car layers)))
         (filled (make-hash-table)))
    (%tell-not-in-blocks (%not-in-blocks layers bits))
    (lambda (names)
      (for-each (lambda (name) (hash-set! filled name #t)) names)
      (for-each
       (lambda (name)
         (let ((path (%path-of-layer name)))
           (when (and (hash-has-key? paths path)
                      (%complete-layer? model path filled))
             (hash-delete! paths path)
             (%quantize-at! model path (module-at model path)
                            (%bits-at path bits #f count) 'lambent 32 #f)
             (tensor-cache-release!))))
       names))))

(define (%path-of-layer name)
  "The path of the layer that a tensor's name begins with."
  (let ((last (string-index-right name #\.)))
    (if last (substring name 0 last) "")))

(define (%complete-layer? model path filled)
  "Whether all tensors of a layer are in the table of filled names."
  (every (lambda (entry) (hash-has-key? filled (string path "." (car entry))))
         (state-dict (module-at model path))))

;; Reports.

(define (%report-entry path layer new)
  "What a layer gained and lost: path, bytes before and after, the relative
  error of its weight, and how many times as fast it is for one row."
  (list path
        (%layer-bytes layer)
        (%layer-bytes new)
        (quantization-error layer new)
        (/ (%seconds-of layer) (%seconds-of new))))

(define (%layer-bytes layer)
  "How many bytes the tensors of a layer take."
  (fold (lambda (entry sum)
          (+ sum (* (tensor-numel (cdr entry))
                    (tensor-element-size (cdr entry)))))
        0 (state-dict layer)))

(define (quantization-error layer quantized)
  "The error of a quantized layer's weight: the norm of the difference divided
  by the norm of the weight of the linear layer.  A quantized layer is one of
  quantize-linear, or of quantize-model!."
  (no-grad
    (let* ((weight (tensor-to (detach (linear-weight layer)) 'float32))
           (gap (- weight (if (quantized-layer? quantized)
                              (dequantized quantized)
                              (%torch-weight quantized)))))
      (/ (tensor-item (tensor-norm gap))
         (max (tensor-item (tensor-norm weight)) 1e-30)))))

(define (%seconds-of layer)
  "The least time that a layer has taken for one row, of a few times."
  (let ((x (tensor-ones 1 (if (linear? layer)
                              (tensor-size (linear-weight layer) 1)
                              (%in-features layer))
                        :dtype (if (linear? layer)
                                   (tensor-dtype (linear-weight layer))
                                   'float32))))
    (no-grad
      (apply min (map (lambda (k) (%seconds (lambda () (layer x))))
                      (iota 5))))))

(define (%seconds thunk)
  "How long a call takes."
  (let ((start (current-jiffy)))
    (thunk)
    (max 1e-9 (/ (inexact (- (current-jiffy) start)) (jiffies-per-second)))))

(define (%in-features layer)
  "How long the rows are that a quantized layer takes."
  (cond ((int8-linear? layer) (int8-linear-in-features layer))
        ((int4-linear? layer) (int4-linear-in-features layer))
        ((code-linear? layer) (code-linear-in-features layer))
        ((block-linear? layer) (block-linear-in-features layer))
        ((torch-int8-linear? layer) (torch-int8-linear-in-features layer))
        (else (torch-int4-linear-in-features layer))))

(define (%display-report entries)
  "Print a line for each layer, and one for all."
  (unless (null? entries)
    (for-each (lambda (entry)
                (print (format "~a: ~a to ~a, error ~a %, ~ax as fast"
                               (car entry)
                               (%megabytes (cadr entry))
                               (%megabytes (caddr entry))
                               (%decimals (* 100 (cadddr entry)))
                               (%decimals (list-ref entry 4)))))
              entries)
    (print (format "all ~a layers: ~a to ~a" (length entries)
                   (%megabytes (apply + (map cadr entries)))
                   (%megabytes (apply + (map caddr entries)))))))

(define (%megabytes bytes)
  (string (%decimals (/ bytes 1e6)) " MB"))

(define (%decimals x)
  "A number with two decimals."
  (/ (round (* 100.0 x)) 100.0))
