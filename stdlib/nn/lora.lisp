;; lora.lisp - fine-tuning with few parameters: low-rank adapters (Hu et al.
;; 2021) on chosen layers.
;;
;;     (lora! model :targets '("q_proj" "v_proj") :rank 8 :alpha 16)
;;
;; replaces each chosen layer by one that adds alpha / rank * x a' b' to what
;; the layer gives; a [rank, in] and b [out, rank] are all that learns.  A layer
;; may be several of its file, as qkv_proj is q_proj, k_proj and v_proj: then
;; each of these has adapters of its own, which change some of the output.  The
;; weights may be integers, of quantize-model! or a GGUF file: adapters are
;; floats.
;; Files of adapters are in adapter-files.lisp.

(define-module (%lora-adapter in size :name #f :start 0 :rank 8 :alpha 16
                              :dropout 0.0 :rslora #f :magnitude #f
                              :dtype 'float32)
  "What an adapter adds to outputs start to start + size: scale * x a' b'.
  magnitude: that of the rows of the weight with the adapter (DoRA, Liu et al.
  2024), or #f."
  ((name name)                                         ; in files, or #f
   (start start)
   (size size)
   (lora-A (%adapter-layer rank in dtype #t))         ; [rank, in]
   (lora-B (%adapter-layer size rank dtype #f))       ; [size, rank]
   (lora-magnitude-vector magnitude :parameter)        ; [size]
   (norm #f)                                           ; before a merge [size]
   (rank rank)
   (alpha alpha)
   (rslora rslora)
   (probability dropout))
  (forward (x) (* (%adapter-scale self) (lora-B (lora-A x)))))

(define (%adapter-scale adapter)
  "What an adapter's product is multiplied by: alpha / rank, or alpha over the
  square root (Kalajdzievski 2023)."
  (inexact (/ (%lora-adapter-alpha adapter)
              (if (%lora-adapter-rslora adapter)
                  (sqrt (%lora-adapter-rank adapter))
                  (%lora-adapter-rank adapter)))))

(define (%adapter-layer rows columns dtype random)
  "A layer [rows, columns]: uniform as linear layers are, or zeros."
  (let ((layer (linear columns rows :bias #f)))
    (if random
        (tensor-kaiming-uniform! (linear-weight layer) :a (sqrt 5.0))
        (tensor-zeros! (linear-weight layer)))
    (to! layer dtype)))

(define-module (lora-linear base :rank 8 :alpha 16 :dropout 0.0 :rslora #f
                            :dora #f :parts #f)
  "A linear layer with an adapter: base x + alpha / rank * x a' b'.
  x [..., in] -> [..., out].  The adapter begins as zero.  The weight of base
  may be quantized: then the adapter computes in float32.

  rslora divides by the square root of the rank.  dora: the rows of the weight
  learn their lengths apart from their directions.  parts: instead of these,
  adapters of ranges of the output."
  ((base base :unnamed)
   (adapter (and (not parts)
                 (%new-adapter base :rank rank :alpha alpha :dropout dropout
                               :rslora rslora :dora dora))
            :unnamed)
   (adapters (or parts '()))
   (merged? #f)
   (active? #t))
  (forward (x)
    (let ((y (base x)))
      (cond ((or merged? (not active?)) y)
            (adapter (+ y (%adapter-delta adapter base x y)))
            (else (+ y (%deltas adapters base x y)))))))

;; What an adapter needs of the layer below it, with weights of floats or of
;; integers.

(define (%matrix-layer? x)
  "Whether it is a linear layer, of floats or of integers."
  (or (linear? x) (int8-linear? x) (int4-linear? x) (code-linear? x)
      (block-linear? x) (torch-int8-linear? x) (torch-int4-linear? x)))

(define (%table-layer? x)
  "Whether it is an embedding, of floats or of integers."
  (or (embedding? x) (quantized-embedding? x)))

(define (%float-layer? x)
  (or (linear? x) (embedding? x)))

(define (%layer-shape layer)
  "The shape of a layer's weight, as a list of rows and columns."
  (cond ((linear? layer) (tensor-shape (linear-weight layer)))
        ((embedding? layer) (tensor-shape (embedding-weight layer)))
        ((quantized-embedding? layer)
         (list (quantized-embedding-num-embeddings layer)
               (quantized-embedding-embedding-dim layer)))
        ((int8-linear? layer)
         (list (int8-linear-out-features layer)
               (int8-linear-in-features layer)))
        ((int4-linear? layer)
         (list (int4-linear-out-features layer)
               (int4-linear-in-features layer)))
        ((code-linear? layer)
         (list (code-linear-out-features layer)
               (code-linear-in-features layer)))
        ((block-linear? layer)
         (list (block-linear-out-features layer)
               (block-linear-in-features layer)))
        ((torch-int8-linear? layer)
         (list (torch-int8-linear-out-features layer)
               (torch-int8-linear-in-features layer)))
        (else
         (list (torch-int4-linear-out-features layer)
               (torch-int4-linear-in-features layer)))))

(define (%adapter-device layer)
  "The device of a layer's adapters."
  (tensor-device (cdar (state-dict layer))))

(define (%adapter-dtype layer)
  "The dtype of a layer's adapters."
  (if (%float-layer? layer) (tensor-dtype (%weight-of layer)) 'float32))

(define (%matrix-of layer)
  "The weight of a layer as floats; that of a quantized layer is a copy."
  (cond ((%float-layer? layer) (%weight-of layer))
        ((quantized-layer? layer) (dequantized layer))
        (else (%torch-weight layer))))

(define (%bias-of layer)
  "The bias of a linear layer, or #f."
  (cond ((linear? layer) (linear-bias layer))
        ((int8-linear? layer) (int8-linear-bias layer))
        ((int4-linear? layer) (int4-linear-bias layer))
        ((code-linear? layer) (code-linear-bias layer))
        ((block-linear? layer) (block-linear-bias layer))
        ((torch-int8-linear? layer) (torch-int8-linear-bias layer))
        (else (torch-int4-linear-bias layer))))

(define (%new-adapter base :name #f :start 0 :size #f :rank 8 :alpha 16
                      :dropout 0.0 :rslora #f :dora #f)
  "An adapter for a linear layer, or a range of its output."
  (let* ((shape (%layer-shape base))
         (size (or size (car shape))))
    (with-device (%adapter-device base)
      (%lora-adapter (cadr shape) size :name name :start start
                     :rank rank :alpha alpha :dropout dropout :rslora rslora
                     :magnitude (and dora
                                     (no-grad
                                       (%row-norms
                                        (tensor-narrow (%matrix-of base)
                                                       0 start size))))
                     :dtype (%adapter-dtype base)))))

(define (%row-norms weight)
  "The lengths of the rows of a matrix."
  (tensor-linalg-vector-norm (detach weight) 2 '(1)))

(define (%layer-adapters layer)
  "The adapters of a layer, as a list."
  (if (lora-linear-adapter layer)
      (list (lora-linear-adapter layer))
      (lora-linear-adapters layer)))

(define (%adapter-delta adapter base x y)
  "What an adapter adds to its part of y, the output of the base for x."
  (if (linear? base)
      (%delta-of-floats adapter base x y)
      (tensor-to (%delta-of-floats adapter base (tensor-to x 'float32) y)
                 (tensor-dtype y))))

(define (%delta-of-floats adapter base x y)
  "The same, in the dtype in which the adapter computes."
  (let* ((drops? (and (> (%lora-adapter-probability adapter) 0)
                      (training? adapter)))
         (x (if drops?
                (tensor-dropout x (%lora-adapter-probability adapter) #t)
                x))
         (delta (adapter x)))
    (if (%lora-adapter-lora-magnitude-vector adapter)
        (%dora-delta adapter base delta
                     (%plain-output adapter base x (and (not drops?) y)))
        delta)))

(define (%dora-delta adapter base delta plain)
  "The same with lengths of rows that are learned: plain is the output without
  the bias."
  (let ((gain (/ (%lora-adapter-lora-magnitude-vector adapter)
                 (%adapted-norms adapter base))))
    (+ (* (- gain 1) plain) (* gain delta))))

(define (%adapted-norms adapter base)
  "The lengths of the weight's rows with the adapter; no gradient flows."
  (no-grad
    (%row-norms (+ (%adapter-rows adapter base)
                   (* (%adapter-scale adapter) (%adapter-product adapter))))))

(define (%adapter-rows adapter base)
  "The rows of the base's weight that an adapter changes."
  (tensor-narrow (%matrix-of base) 0 (%lora-adapter-start adapter)
                 (%lora-adapter-size adapter)))

(define (%adapter-product adapter)
  "b a, [size, in]."
  (@ (linear-weight (%lora-adapter-lora-B adapter))
     (linear-weight (%lora-adapter-lora-A adapter))))

(define (%plain-output adapter base x y)
  "The adapter's part of the base's output for x without its bias.  y: the whole
  output, or #f."
  (let ((bias (%bias-of base)))
    (if y
        (let ((part (tensor-narrow y -1 (%lora-adapter-start adapter)
                                   (%lora-adapter-size adapter))))
          (if bias
              (- part (tensor-narrow bias 0 (%lora-adapter-start adapter)
                                     (%lora-adapter-size adapter)))
              part))
        (tensor-linear x (%adapter-rows adapter base)))))

(define (%deltas adapters base x y)
  "What adapters of ranges, in their order, add to y; zeros in between."
  (define (gap from to)
    (if (< from to)
        (list (tensor-new-zeros y (append (drop-right (tensor-shape y) 1)
                                          (list (- to from)))))
        '()))
  (let loop ((left adapters) (from 0) (pieces '()))
    (if (null? left)
        (tensor-cat (reverse (append (gap from (tensor-size y -1)) pieces)) -1)
        (let* ((adapter (car left))
               (start (%lora-adapter-start adapter)))
          (loop (cdr left)
                (+ start (%lora-adapter-size adapter))
                (cons (%adapter-delta adapter base x y)
                      (append (gap from start) pieces)))))))

;; Tables of vectors.

(define-module (lora-embedding base :rank 8 :alpha 16 :rslora #f)
  "An embedding with an adapter: the row of x, and alpha / rank times the column
  x of a, times b'.  a [rank, rows], b [width, rank] begins as zero."
  ((base base :unnamed)
   (lora-embedding-A (tensor-zeros rank (car (%layer-shape base))
                                   :dtype (%adapter-dtype base)
                                   :device (%adapter-device base))
                     :parameter)
   (lora-embedding-B (tensor-randn (list (cadr (%layer-shape base)) rank)
                                   :dtype (%adapter-dtype base)
                                   :device (%adapter-device base))
                     :parameter)
   (rank rank)
   (alpha alpha)
   (rslora rslora)
   (merged? #f)
   (active? #t))
  (forward (x)
    (let ((y (base x)))
      (if (or merged? (not active?))
          y
          (+ y (tensor-to
                (* (%embedding-scale self)
                   (tensor-linear (tensor-embedding (tensor-t lora-embedding-A)
                                                    x)
                                  lora-embedding-B))
                (tensor-dtype y)))))))

(define (%embedding-scale layer)
  (inexact (/ (lora-embedding-alpha layer)
              (if (lora-embedding-rslora layer)
                  (sqrt (lora-embedding-rank layer))
                  (lora-embedding-rank layer)))))

;; Adapters on a model.

(define (lora! model :targets '() :rank 8 :alpha 16 :dropout 0.0 :rslora #f
               :dora #f)
  "Freeze a model, and put adapters on its linear layers; returns the model.

  targets: a list of names, each the path of a layer or the end of paths, such
  as \"q_proj\"; or a procedure of path and layer that chooses.  Names are those
  of the model or of its files, where layers may be apart that the model joins.
  The name of an embedding gives it an adapter, too.  Only the adapters learn;
  what else of the model requires grad is saved with them.  dropout, rslora and
  dora: see lora-linear."
  (%check-module "lora!" model)
  (%check-lora rank alpha dropout)
  (when (pair? (%adapters model))
    (error "lora!: the model has adapters; merge or remove them first"))
  (let ((chosen (%chosen-layers "lora!" model targets)))
    (freeze! model)
    (for-each
     (lambda (entry)
       (let ((layer (module-at model (car entry))))
         (replace-module!
          model (car entry)
          (cond ((%table-layer? layer)
                 (lora-embedding layer :rank rank :alpha alpha :rslora rslora))
                ((eq? (cdr entry) 'whole)
                 (lora-linear layer :rank rank :alpha alpha :dropout dropout
                              :rslora rslora :dora dora))
                (else
                 (lora-linear layer
                              :parts (map (lambda (range)
                                            (%new-adapter
                                             layer :name (car range)
                                             :start (cadr range)
                                             :size (caddr range)
                                             :rank rank :alpha alpha
                                             :dropout dropout :rslora rslora
                                             :dora dora))
                                          (cdr entry))))))))
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
  "An alist of paths: 'whole, or the ranges (name start size) of the output that
  the targets choose.  Each target must match."
  (let* ((layers (filter (lambda (entry) (%matrix-layer? (cdr entry)))
                         (named-modules model)))
         (tables (filter (lambda (entry) (%table-layer? (cdr entry)))
                         (named-modules model)))
         (ranges (if (procedure? targets) '() (%saved-ranges model)))
         (used (make-hash-table)))
    (define (target-of path)
      (let ((found (find (lambda (name) (%path-ends? path name)) targets)))
        (when found (hash-set! used found #t))
        found))
    (define (choice entry)
      (let ((path (car entry)))
        (if (procedure? targets)
            (and (%matrix-layer? (cdr entry)) (targets path (cdr entry))
                 (list (cons path 'whole)))
            (let* ((own (cdr (or (assoc path ranges) (list path))))
                   (whole (target-of path))
                   (found (filter (lambda (range) (target-of (car range)))
                                  own)))
              (cond ((or whole (and (pair? found) (null? (cdr own))))
                     (list (cons path 'whole)))
                    ((pair? found) (list (cons path found)))
                    (else #f))))))
    (let ((chosen (append-map (lambda (entry) (or (choice entry) '()))
                              (append layers
                                      (if (procedure? targets) '() tables)))))
      (unless (procedure? targets)
        (for-each
         (lambda (name)
           (unless (hash-has-key? used name)
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
      chosen)))

(define (%path-ends? path name)
  "Whether a path is the name, or ends in a dot and the name."
  (or (equal? path name)
      (string-suffix? (string-append "." name) path)))

(define (%adapters model)
  "The alist of path and module for the layers with adapters."
  (filter (lambda (entry)
            (or (lora-linear? (cdr entry)) (lora-embedding? (cdr entry))))
          (named-modules model)))

(define (%checked-adapters who model)
  "The same; none are an error."
  (%check-module who model)
  (let ((found (%adapters model)))
    (when (null? found)
      (error (string who ": the model has no adapters; lora! adds them")))
    found))

(define (lora-parameters model)
  "The parameters of a model's adapters, as an alist of path and tensor.  Where
  a layer is several of its file, the path ends with the name in the file."
  (append-map
   (lambda (entry)
     (if (lora-embedding? (cdr entry))
         (%embedding-parameters (car entry) (cdr entry))
         (append-map (lambda (adapter)
                       (%adapter-parameters (%adapter-path (car entry) adapter)
                                            adapter))
                     (%layer-adapters (cdr entry)))))
   (%checked-adapters "lora-parameters" model)))

(define (%adapter-path path adapter)
  "The path of a layer, with the name of its part if the adapter is of one."
  (if (%lora-adapter-name adapter)
      (string-join (append (drop-right (string-split path ".") 1)
                           (list (last (string-split
                                        (%lora-adapter-name adapter) "."))))
                   ".")
      path))

(define (%adapter-parameters path adapter)
  "The tensors of an adapter, by their names in files."
  (let ((magnitude (%lora-adapter-lora-magnitude-vector adapter)))
    (append
     (list (cons (string path ".lora_A.weight")
                 (linear-weight (%lora-adapter-lora-A adapter)))
           (cons (string path ".lora_B.weight")
                 (linear-weight (%lora-adapter-lora-B adapter))))
     (if magnitude
         (list (cons (string path ".lora_magnitude_vector") magnitude))
         '()))))

(define (%embedding-parameters path layer)
  (list (cons (string path ".lora_embedding_A")
              (lora-embedding-lora-embedding-A layer))
        (cons (string path ".lora_embedding_B")
              (lora-embedding-lora-embedding-B layer))))

;; Merging.

(define (merge-lora! model)
  "Add the adapters to the layers' weights, so that calls cost no more than
  before; returns the model.  unmerge-lora! takes them out again;
  remove-lora! leaves only the weights, so that save-llm can save them.  A
  weight that another layer shares, as a head that is tied to the table of
  tokens, becomes the layer's own.  Weights of integers are an error: they
  cannot hold what an adapter adds."
  (let ((layers (%checked-adapters "merge-lora!" model)))
    (for-each (lambda (entry) (%check-floats "merge-lora!" entry)) layers)
    (for-each (lambda (entry) (%untie! model (cdr entry))) layers)
    (for-each (lambda (entry) (%merge! (cdr entry) #t)) layers)
    model))

(define (%check-floats who entry)
  "Raise an error if the weight below an adapter is one of integers."
  (unless (%float-layer? (%base-of (cdr entry)))
    (%error-with-hint
     (string who ": the weight below an adapter is quantized:")
     (list (car entry))
     "merge into the model of floats, then (quantize-model! model)")))

(define (%base-of layer)
  "The layer below an adapter, or the layer itself."
  (cond ((lora-embedding? layer) (lora-embedding-base layer))
        ((lora-linear? layer) (lora-linear-base layer))
        (else layer)))

(define (unmerge-lora! model)
  "Undo merge-lora!; returns the model."
  (let ((layers (%checked-adapters "unmerge-lora!" model)))
    (for-each (lambda (entry)
                (when (%merged? (cdr entry))
                  (%check-floats "unmerge-lora!" entry)))
              layers)
    (for-each (lambda (entry) (%merge! (cdr entry) #f)) layers)
    model))

(define (%merged? layer)
  "Whether the adapters of a layer are in its weight."
  (if (lora-embedding? layer)
      (lora-embedding-merged? layer)
      (lora-linear-merged? layer)))

(define (%untie! model layer)
  "Give a layer a weight of its own if others share it."
  (let* ((base (%base-of layer))
         (weight (%weight-of base)))
    (when (> (length (filter (lambda (entry) (eq? (cdr entry) weight))
                             (state-dict model)))
             1)
      (%set-weight! base (%copy-tensor weight)))))

(define (%weight-of layer)
  "The weight of a linear layer or an embedding."
  (if (embedding? layer) (embedding-weight layer) (linear-weight layer)))

(define (%set-weight! layer weight)
  (if (embedding? layer)
      (set-embedding-weight! layer weight)
      (set-linear-weight! layer weight)))

(define (%merge! layer on)
  "Add the adapters of a layer to its weight, or subtract them."
  (cond ((lora-embedding? layer)
         (unless (eq? (lora-embedding-merged? layer) on)
           (no-grad
             (tensor-add! (embedding-weight (lora-embedding-base layer))
                          (tensor-t
                           (@ (lora-embedding-lora-embedding-B layer)
                              (lora-embedding-lora-embedding-A layer)))
                          :alpha (* (if on 1 -1) (%embedding-scale layer))))
           (set-lora-embedding-merged?! layer on)))
        ((not (eq? (lora-linear-merged? layer) on))
         (no-grad
           (for-each (lambda (adapter)
                       (%merge-adapter! adapter (lora-linear-base layer) on))
                     (%layer-adapters layer)))
         (set-lora-linear-merged?! layer on))))

(define (%merge-adapter! adapter base on)
  "Add one adapter to its rows of the weight, or subtract it."
  (let ((rows (%adapter-rows adapter base))
        (magnitude (%lora-adapter-lora-magnitude-vector adapter))
        (change (lambda (sign)
                  (tensor-add! (%adapter-rows adapter base)
                               (%adapter-product adapter)
                               :alpha (* sign (%adapter-scale adapter))))))
    (when (and magnitude (not on))
      (tensor-mul! rows (tensor-unsqueeze (/ (%lora-adapter-norm adapter)
                                             magnitude)
                                          1)))
    (change (if on 1 -1))
    (when (and magnitude on)
      (set-%lora-adapter-norm! adapter (%row-norms rows))
      (tensor-mul! rows (tensor-unsqueeze (/ (detach magnitude)
                                             (%lora-adapter-norm adapter))
                                          1)))))

(define (remove-lora! model)
  "Put the layers without their adapters back, as they are: merged adapters
  stay in the weights; returns the model, all of which learns again."
  (for-each (lambda (entry)
              (replace-module! model (car entry)
                               (%base-of (cdr entry))))
            (%checked-adapters "remove-lora!" model))
  (unfreeze! model))

;; Without adapters.

(define (call-without-lora model thunk)
  "The result of thunk, during which the model's adapters do nothing: the model
  is what it was before lora!.  They must not be merged."
  (let ((layers (map cdr (%checked-adapters "call-without-lora" model))))
    (when (any %merged? layers)
      (error "call-without-lora: the adapters are merged; unmerge-lora! first"))
    (dynamic-wind
     (lambda () (%activate! layers #f))
     thunk
     (lambda () (%activate! layers #t)))))

(define (%activate! layers on)
  "Switch adapters on or off."
  (for-each (lambda (layer)
              (if (lora-embedding? layer)
                  (set-lora-embedding-active?! layer on)
                  (set-lora-linear-active?! layer on)))
            layers))
