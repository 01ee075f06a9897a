;; expert-adapters.lisp - adapters of all experts of a layer in two tensors, as
;; Python's peft has them (target_parameters) since transformers keeps a
;; layer's experts in one tensor [experts, out, in].
;;
;;     model.layers.0.mlp.experts.base_layer.lora_A.weight  [experts * r, in]
;;     model.layers.0.mlp.experts.base_layer.lora_B.weight  [out, r * experts]
;;
;; Rows e r to e r + r of A are those of expert e, and columns e, e + experts and
;; so on of B.  Here, each expert has layers of its own, with adapters of their own.

;; The layers of one name in all experts of a mixture of experts.
(define-record-type %stack
  (%make-stack path field layers)
  %stack?
  (path %stack-path)                             ; of the mixture
  (field %stack-field)                           ; "gate_up_proj", "down_proj"
  (layers %stack-layers))                        ; with their adapters, if any

(define (%stacks model)
  "The stacks of a model."
  (append-map
   (lambda (entry)
     (map (lambda (field)
            (%make-stack
             (car entry) field
             (map (lambda (k) (module-at model
                                         (%expert-path (car entry) k field)))
                  (iota (length (mixture-of-experts-experts (cdr entry)))))))
          '("gate_up_proj" "down_proj")))
   (%mixtures model)))

(define (%mixtures model)
  "The alist of path and module for the mixtures of experts of a decoder."
  (if (decoder? model)
      (filter (lambda (entry) (mixture-of-experts? (cdr entry)))
              (named-modules model))
      '()))

(define (%expert-path path k field)
  "The path of a layer of expert k."
  (string path ".experts." k "." field))

(define (%stack-key stack)
  "The name of the tensor of all experts in transformers."
  (string "model." (%stack-path stack) ".experts." (%stack-field stack)))

(define (%stack-shape stack)
  "The shape of an expert's matrix."
  (%layer-shape (%base-of (car (%stack-layers stack)))))

;; Saving.

(define (%adapted-stacks model)
  "The stacks whose adapters can be written as two tensors: some expert has one,
  and none learns the lengths of rows."
  (filter (lambda (stack)
            (let ((own (append-map %layer-adapters
                                   (filter lora-linear? (%stack-layers stack)))))
              (and (pair? own)
                   (not (any %lora-adapter-lora-magnitude-vector own)))))
          (%stacks model)))

(define (%stack-rank stack)
  "The rank that holds the adapters of each expert."
  (apply max (map %rank-of-layer (%stack-layers stack))))

(define (%rank-of-layer layer)
  "The sum of the ranks of a layer's adapters."
  (if (lora-linear? layer)
      (apply + (map %lora-adapter-rank (%layer-adapters layer)))
      0))

(define (%stack-first stack)
  "Some adapter of the stack, whose scale is that of all in a file."
  (car (%layer-adapters (find lora-linear? (%stack-layers stack)))))

(define (%stack-alpha stack)
  "The alpha with which the stack's rank gives the scale of its adapters."
  (let* ((first (%stack-first stack))
         (alpha (%lora-adapter-alpha first))
         (ratio (/ (%stack-rank stack) (%lora-adapter-rank first))))
    (cond ((= ratio 1) alpha)
          ((%lora-adapter-rslora first) (* alpha (sqrt ratio)))
          (else (* alpha ratio)))))

(define (%stack-tensors stack inner?)
  "The two tensors of a stack by their names in a file; inner?: whether another
  stack of the mixture is written, too, around this one."
  (let* ((rank (%stack-rank stack))
         (shape (%stack-shape stack))
         (scale (%adapter-scale (%stack-first stack)))
         (path (string "model." (%stack-path stack) ".experts"
                       (if inner? ".base_layer" "")))
         (pairs (map (lambda (layer) (%whole-adapter layer shape rank scale
                                                     (%stack-first stack)))
                     (%stack-layers stack))))
    (list (cons (string path ".lora_A.weight") (tensor-cat (map car pairs) 0))
          (cons (string path ".lora_B.weight")
                (tensor-reshape (tensor-stack (map cdr pairs) 2)
                                (list (car shape) -1))))))

(define (%whole-adapter layer shape rank scale like)
  "The pair a [rank, in], b [out, rank] of what the adapters of a layer add,
  divided by scale; zeros without any."
  (let ((a (tensor-new-zeros (%a-of like) (list rank (cadr shape))))
        (b (tensor-new-zeros (%a-of like) (list (car shape) rank))))
    (let loop ((left (if (lora-linear? layer) (%layer-adapters layer) '()))
               (row 0))
      (if (null? left)
          (cons a b)
          (let* ((adapter (car left)) (own (%lora-adapter-rank adapter))
                 (ratio (/ (%adapter-scale adapter) scale)))
            (tensor-copy! (tensor-narrow a 0 row own) (%a-of adapter))
            (tensor-copy! (tensor-narrow
                           (tensor-narrow b 0 (%lora-adapter-start adapter)
                                          (%lora-adapter-size adapter))
                           1 row own)
                          (if (= ratio 1)
                              (%b-of adapter)
                              (* ratio (%b-of adapter))))
            (loop (cdr left) (+ row own)))))))

(define (%a-of adapter)
  (detach (linear-weight (%lora-adapter-lora-A adapter))))

(define (%b-of adapter)
  (detach (linear-weight (%lora-adapter-lora-B adapter))))

;; Loading.

;; Where the adapter of a layer of the file came from.
(define-record-type %origin
  (%make-origin key rank)
  %origin?
  (key %origin-key)                              ; the name for alpha's patterns
  (rank %origin-rank))                           ; of the whole layer

(define (%split-experts! model groups)
  "Replace the groups of the file that are of all experts by those of each, by
  the names that layers have in the model's files; returns a table of their
  origins by these names."
  (let ((origins (make-hash-table))
        (stacks (%stacks model))
        (ranges (%saved-ranges model)))
    (for-each
     (lambda (path)
       (let* ((bare (%without-part path "base_layer"))
              (own (filter (lambda (stack)
                             (%same-end? bare (string "model."
                                                      (%stack-path stack)
                                                      ".experts")))
                           stacks))
              (gate (find (lambda (entry)
                            (%same-end? bare (string "model." (car entry)
                                                     ".gate")))
                          (%mixtures model))))
         (cond ((pair? own)
                (%split-group! groups path own ranges origins))
               (gate
                (%rename-group! groups path
                                (caadr (assoc (string (car gate) ".gate")
                                              ranges)))))))
     (hash-keys groups))
    origins))

(define (%same-end? path name)
  "Whether one of two paths is the other, or the end of it."
  (or (%path-ends? path name) (%path-ends? name path)))

(define (%rename-group! groups path name)
  (let ((group (hash-ref groups path)))
    (hash-delete! groups path)
    (hash-set! groups name group)))

(define (%split-group! groups path stacks ranges origins)
  "Replace one group: of the stacks at its path, it is the one of its shape."
  (let* ((group (hash-ref groups path))
         (a (hash-ref group "lora_A.weight" #f))
         (b (hash-ref group "lora_B.weight" #f))
         (stack (and a b (find (lambda (stack) (%fits-stack? stack (cdr a)
                                                             (cdr b)))
                               stacks))))
    (unless stack
      (error (format "load-adapters!: no tensor of the model's experts fits the \
adapter ~a, of shapes" (string %peft-prefix path))
             (map (lambda (entry) (and entry (tensor-shape (cdr entry))))
                  (list a b))))
    (hash-delete! groups path)
    (let* ((count (length (%stack-layers stack)))
           (rank (quotient (tensor-size (cdr a) 0) count))
           (origin (%make-origin (%stack-key stack) rank))
           (all (tensor-reshape (cdr b) (list (tensor-size (cdr b) 0)
                                              rank count))))
      (for-each
       (lambda (k layer)
         (%add-parts! groups
                      (assoc (%expert-path (%stack-path stack) k
                                           (%stack-field stack))
                             ranges)
                      layer a (tensor-narrow (cdr a) 0 (* k rank) rank)
                      b (tensor-select all 2 k) origin origins))
       (iota count) (%stack-layers stack)))))

(define (%fits-stack? stack a b)
  "Whether tensors of a file are an adapter of a stack's shape."
  (let ((shape (%stack-shape stack)) (count (length (%stack-layers stack))))
    (and (= (tensor-rank a) 2) (= (tensor-rank b) 2)
         (= (tensor-size a 0) (tensor-size b 1))
         (> (tensor-size a 0) 0)
         (zero? (remainder (tensor-size a 0) count))
         (= (tensor-size a 1) (cadr shape))
         (= (tensor-size b 0) (car shape)))))

(define (%add-parts! groups range-entry layer a whole-a b whole-b origin
                     origins)
  "Add an expert's adapter as those of the layers that the file of the model
  has.  a, b: the entries of the file, for their names."
  (for-each
   (lambda (range)
     (let* ((rows (tensor-narrow whole-b 0 (cadr range) (caddr range)))
            (own (%part-of-rank layer (car range) (tensor-size whole-a 0)))
            (table (hash-table
                    "lora_A.weight"
                    (cons (car a)
                          (if own (tensor-narrow whole-a 0 (car own) (cdr own))
                              whole-a))
                    "lora_B.weight"
                    (cons (car b)
                          (if own (tensor-narrow rows 1 (car own) (cdr own))
                              rows)))))
       (when (and own (%nonzero-beside? rows own))
         (%error-with-hint
          (string "load-adapters!: the file's adapter joins layers that the "
                  "model's adapters keep apart, in")
          (list (string %peft-prefix (car range)))
          "load it into a model without adapters"))
       (hash-set! groups (car range) table)
       (hash-set! origins (car range) origin)))
   (cdr range-entry)))

(define (%part-of-rank layer name rank)
  "If the adapters of a layer are of ranges, and their ranks add up to that of
  the file: the pair of the first row of the one of that name, and its rank."
  (and (lora-linear? layer)
       (not (lora-linear-adapter layer))
       (= (%rank-of-layer layer) rank)
       (let loop ((left (%layer-adapters layer)) (row 0))
         (cond ((null? left) #f)
               ((equal? (%lora-adapter-name (car left)) name)
                (cons row (%lora-adapter-rank (car left))))
               (else (loop (cdr left)
                           (+ row (%lora-adapter-rank (car left)))))))))

(define (%nonzero-beside? rows own)
  "Whether other columns than those of the pair have elements that are not 0."
  (let ((others (tensor-copy rows)))
    (tensor-zeros! (tensor-narrow others 1 (car own) (cdr own)))
    (tensor-item (tensor-any others))))
