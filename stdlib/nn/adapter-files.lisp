;; adapter-files.lisp - adapters in the files of Python's peft.
;;
;;     adapters/adapter_config.json        rank, alpha, which layers ...
;;     adapters/adapter_model.safetensors  base_model.model.PATH.lora_A.weight ...
;;
;; Paths are those of the model's own files, in which layers may be apart that
;; the model joins, and may have other names: its rules of loading say how.
;; What else a file has, biases and whole layers that learned, too, goes into
;; the model itself, and learns on: so it is saved again.

;; Names.

(define %peft-prefix "base_model.model.")

(define (%file-rules model)
  "How the names of a model's tensors differ in its files."
  (cond ((decoder? model) (decoder-rules model))
        ((text-encoder? model) (%rules-for-table model (make-hash-table)))
        (else '())))

(define (%saved-ranges model)
  "What the layers that may have adapters are in files: an alist from path to a
  list of (saved-path start size), ranges of the output."
  (let* ((layers (filter (lambda (entry)
                           (and (or (%matrix-layer? (cdr entry))
                                    (%table-layer? (cdr entry)))
                                (not (string-suffix? "lora_A" (car entry)))
                                (not (string-suffix? "lora_B" (car entry)))))
                         (named-modules model)))
         (shapes (%table-of
                  (map (lambda (entry)
                         (cons (%join-path (car entry) "weight")
                               (%layer-shape (cdr entry))))
                       layers))))
    (map (lambda (link)
           (cons (%layer-of-weight (car (%link-names link)))
                 (%ranges-of link shapes)))
         (filter (lambda (link) (null? (cdr (%link-names link))))
                 (%links "load-adapters!"
                         (map (lambda (entry) (%join-path (car entry) "weight"))
                              layers)
                         (%file-rules model) "")))))

(define (%ranges-of link shapes)
  "The saved paths of a link, and where each is in the output."
  (let ((saved (map %layer-of-weight (%link-saved link)))
        (shape (hash-ref shapes (car (%link-names link)))))
    (if (null? (cdr saved))
        (list (list (car saved) 0 (car shape)))
        (let loop ((saved saved) (sizes (%part-sizes link shape)) (start 0))
          (if (null? saved)
              '()
              (cons (list (car saved) start (car sizes))
                    (loop (cdr saved) (cdr sizes)
                          (+ start (car sizes)))))))))

(define (%layer-of-weight name)
  "The path of the layer of a weight."
  (cond ((string-suffix? ".weight" name)
         (substring name 0 (- (string-length name) 7)))
        ((equal? name "weight") "")
        (else name)))

(define (%transposed-layers model)
  "The saved paths of the layers whose matrices files have the other way round."
  (let ((names (map (lambda (entry) (%join-path (car entry) "weight"))
                    (filter (lambda (entry) (%matrix-layer? (cdr entry)))
                            (named-modules model)))))
    (map (lambda (link) (%layer-of-weight (car (%link-saved link))))
         (filter %link-transpose
                 (%links "save-adapters" names (%file-rules model) "")))))

(define (%base-links model)
  "The links of a model's own tensors, without those of adapters and weights of
  integers."
  (let ((integers
         (%table-of
          (append-map (lambda (entry) (%integer-names (car entry) (cdr entry)))
                      (named-modules model)))))
    (%links "load-adapters!"
            (remove (lambda (name)
                      (or (string-contains name "lora_")
                          (hash-has-key? integers name)))
                    (map car (state-dict model)))
            (%file-rules model) "")))

(define (%integer-names path module)
  "An alist of the names of a quantized layer's tensors, without its bias."
  (if (and (or (%matrix-layer? module) (%table-layer? module))
           (not (%float-layer? module)))
      (map (lambda (entry) (cons (%join-path path (car entry)) #t))
           (remove (lambda (entry) (equal? (car entry) "bias"))
                   (state-dict module)))
      '()))

;; Saving.

(define (save-adapters folder model)
  "Write the adapters of a model into a folder, which is created: the files
  adapter_model.safetensors and adapter_config.json of Python's peft.

  Names are those of the model's files.  What else of the model requires grad
  is written, too: biases, and layers that peft calls modules_to_save."
  (let* ((layers (%checked-adapters "save-adapters" model))
         (adapters (%adapters-to-save model layers))
         (learned (%learned-links model))
         (whole (%learned-layers learned))
         (stacks (if (any %dora-of adapters) '() (%adapted-stacks model)))
         (single (%outside-stacks adapters stacks))
         (gates (%gate-paths model)))
    (when (any (lambda (entry) (%merged? (cdr entry))) layers)
      (%error-with-hint "save-adapters: the adapters are merged" '()
                        "(unmerge-lora! model) takes them out of the weights"))
    (make-folder folder)
    (save-tensors
     (string folder "/adapter_model.safetensors")
     (map (lambda (entry)
            (cons (string %peft-prefix (car entry))
                  (tensor-contiguous (detach (cdr entry)))))
          (append (append-map (lambda (entry)
                                (%saved-adapter
                                 entry (any %dora-of adapters)
                                 (%current-path gates (%file-path entry))))
                              single)
                  (append-map (lambda (stack)
                                (%stack-tensors stack
                                                (%inner-stack? stack stacks)))
                              stacks)
                  (%learned-tensors model learned whole adapters))))
    (call-with-output-file (string folder "/adapter_config.json")
      (lambda (port)
        (write-json (%adapter-config model single stacks gates learned
                                     whole)
                    port)))))

(define (%outside-stacks adapters stacks)
  "The adapters whose layers are in none of the stacks."
  (let ((layers (%make-identity-table)))
    (for-each (lambda (stack)
                (for-each (lambda (layer) (hash-set! layers layer #t))
                          (%stack-layers stack)))
              stacks)
    (remove (lambda (entry) (hash-has-key? layers (%file-layer entry)))
            adapters)))

(define (%inner-stack? stack stacks)
  "Whether peft wraps another stack of the mixture around this one: it goes
  through tensors in the order in which the model has them."
  (and (equal? (%stack-field stack) "gate_up_proj")
       (any (lambda (other)
              (and (not (eq? other stack))
                   (equal? (%stack-path other) (%stack-path stack))))
            stacks)))

(define (%gate-paths model)
  "The paths of the gates of experts in the model's files, with those in today's
  transformers, where they are parameters of no linear layer: an alist."
  (let ((ranges (if (null? (%mixtures model)) '() (%saved-ranges model))))
    (map (lambda (entry)
           (let ((path (string (car entry) ".gate")))
             (cons (caadr (assoc path ranges)) (string "model." path))))
         (%mixtures model))))

(define (%current-path gates path)
  "The path of a layer of the file in today's transformers."
  (cdr (or (assoc path gates) (cons #f path))))

;; An adapter of one layer of the file: a range of an adapter of the model.
(define-record-type %file-adapter
  (%make-file-adapter path layer adapter start size)
  %file-adapter?
  (path %file-path)
  (layer %file-layer)
  (adapter %file-adapter-of)                     ; #f for an embedding
  (start %file-start)                            ; in the adapter's output
  (size %file-size))

(define (%adapters-to-save model layers)
  "The adapters of a model by the layers of its files."
  (let ((ranges (%saved-ranges model)))
    (append-map
     (lambda (entry)
       (let ((layer (cdr entry))
             (own (cdr (or (assoc (car entry) ranges)
                           (list #f (list (car entry) 0 #f))))))
         (cond ((lora-embedding? layer)
                (list (%make-file-adapter (caar own) layer #f 0 #f)))
               ((lora-linear-adapter layer)
                => (lambda (adapter)
                     (map (lambda (range)
                            (%make-file-adapter (car range) layer adapter
                                                (cadr range)
                                                (or (caddr range)
                                                    (%lora-adapter-size
                                                     adapter))))
                          own)))
               (else
                (map (lambda (adapter)
                       (%make-file-adapter (%lora-adapter-name adapter) layer
                                           adapter 0
                                           (%lora-adapter-size adapter)))
                     (lora-linear-adapters layer))))))
     layers)))

(define (%saved-adapter entry dora? path)
  "The tensors of an adapter by their names in the file, which begin with path;
  dora?: whether some adapter has a magnitude, which peft expects of all then."
  (let ((adapter (%file-adapter-of entry))
        (narrow (lambda (x) (tensor-narrow x 0 (%file-start entry)
                                           (%file-size entry)))))
    (if (not adapter)
        (%embedding-parameters path (%file-layer entry))
        (append
         (list (cons (string path ".lora_A.weight")
                     (linear-weight (%lora-adapter-lora-A adapter)))
               (cons (string path ".lora_B.weight")
                     (narrow (linear-weight (%lora-adapter-lora-B adapter)))))
         (if dora?
             (list (cons (string path ".lora_magnitude_vector")
                         (narrow (or (%lora-adapter-lora-magnitude-vector
                                      adapter)
                                     (%adapted-norms adapter
                                                     (lora-linear-base
                                                      (%file-layer entry)))))))
             '())))))

(define (%dora-of entry)
  "Whether an adapter learns the lengths of rows."
  (and (%file-adapter-of entry)
       (%lora-adapter-lora-magnitude-vector (%file-adapter-of entry))))

(define (%learned-links model)
  "The links of the model's own tensors that require grad."
  (let ((own (%table-of (state-dict model))))
    (filter (lambda (link)
              (any (lambda (name) (requires-grad? (hash-ref own name)))
                   (%link-names link)))
            (%base-links model))))

(define (%learned-layers links)
  "The saved paths of the layers of which more than the bias learned."
  (%distinct
   (append-map (lambda (link)
                 (map %holder-of
                      (remove (lambda (name) (string-suffix? ".bias" name))
                              (%link-saved link))))
               links)))

(define (%holder-of name)
  "The path of the layer that a tensor belongs to."
  (string-join (drop-right (string-split name ".") 1) "."))

(define (%distinct names)
  "The names, each once."
  (let ((seen (make-hash-table)))
    (filter (lambda (name)
              (and (not (hash-has-key? seen name))
                   (begin (hash-set! seen name #t) #t)))
            names)))

(define (%learned-tensors model links whole adapters)
  "The model's own tensors for the file: those that learned, and the rest of
  their layers."
  (let ((own (%table-of (state-dict model)))
        (adapted (map %file-path adapters)))
    (define (wanted? name)
      (or (member (%holder-of name) whole)
          (any (lambda (link) (member name (%link-saved link))) links)))
    (if (null? links)
        '()
        (map (lambda (entry)
               (if (and (member (%holder-of (car entry)) adapted)
                        (not (member (%holder-of (car entry)) whole)))
                   (cons (string (%holder-of (car entry)) ".base_layer."
                                 (last (string-split (car entry) ".")))
                         (cdr entry))
                   entry))
             (filter (lambda (entry) (wanted? (car entry)))
                     (append-map (lambda (link) (%saved-parts link own))
                                 (%base-links model)))))))

(define (%adapter-config model adapters stacks gates links whole)
  "What adapter_config.json says: a hash table."
  (let* ((ranks (append (map %file-rank adapters) (map %stack-rank stacks)))
         (alphas (append (map %file-alpha adapters) (map %stack-alpha stacks)))
         (paths (map (lambda (entry) (%current-path gates (%file-path entry)))
                     adapters))
         (gates (map cdr gates))
         (keys (append (map (lambda (path)
                              (if (member path gates)
                                  (string path ".weight")
                                  path))
                            paths)
                       (map %stack-key stacks)))
         (modules (remove (lambda (path) (member path gates)) paths))
         (parameters (remove (lambda (key) (member key modules)) keys))
         (first (find %file-adapter-of adapters))
         (transposed (%transposed-layers model))
         (biases (remove (lambda (path) (member path whole))
                         (map %holder-of (append-map %link-saved links)))))
    (define (others usual values)
      (let ((table (make-hash-table)))
        (for-each (lambda (key value)
                    (unless (= value usual) (hash-set! table key value)))
                  keys values)
        table))
    (hash-table
     "peft_type" "LORA"
     "r" (car ranks)
     "lora_alpha" (car alphas)
     "rank_pattern" (others (car ranks) ranks)
     "alpha_pattern" (others (car alphas) alphas)
     "use_rslora" (if (pair? adapters)
                      (%file-rslora? (car adapters))
                      (%lora-adapter-rslora (%stack-first (car stacks))))
     "use_dora" (and (any %dora-of adapters) #t)
     ;; peft has no dropout beside adapters of parameters.
     "lora_dropout" (if (and first (null? parameters))
                        (%lora-adapter-probability (%file-adapter-of first))
                        0.0)
     "target_modules" modules
     "target_parameters" (if (null? parameters) 'null parameters)
     "modules_to_save" (if (null? whole) 'null whole)
     "bias" (cond ((null? biases) "none")
                  ((every (lambda (path) (member path paths)) biases)
                   "lora_only")
                  (else "all"))
     "fan_in_fan_out" (and (any (lambda (path) (member path transposed)) paths)
                           #t)
     "task_type" (if (decoder? model) "CAUSAL_LM" 'null)
     "base_model_name_or_path" 'null
     "inference_mode" #t)))

(define (%file-rank entry)
  (if (%file-adapter-of entry)
      (%lora-adapter-rank (%file-adapter-of entry))
      (lora-embedding-rank (%file-layer entry))))

(define (%file-alpha entry)
  (if (%file-adapter-of entry)
      (%lora-adapter-alpha (%file-adapter-of entry))
      (lora-embedding-alpha (%file-layer entry))))

(define (%file-rslora? entry)
  (if (%file-adapter-of entry)
      (%lora-adapter-rslora (%file-adapter-of entry))
      (lora-embedding-rslora (%file-layer entry))))

;; Loading.

(define (load-adapters! folder model)
  "Read adapters that save-adapters or Python's peft wrote; returns the model.
  A model without adapters gets those that the folder describes; one that has
  some must have the same.

  Biases and layers that learned with the adapters replace the model's own.
  A file that asks for anything else is an error that names it."
  (%check-module "load-adapters!" model)
  (let* ((config (call-with-input-file (string folder "/adapter_config.json")
                   read-json))
         (saved (%adapter-file folder)))
    (%check-config folder config)
    (let* ((groups (make-hash-table)) (extras (make-hash-table))
           (fresh? (null? (%adapters model))))
      (%sort-saved! saved groups extras)
      (let* ((origins (%split-experts! model groups))
             (places (%places model (hash-keys groups) fresh?)))
        (for-each (lambda (place) (%check-saved! groups place)) places)
        (%float-layers! model extras)
        (let ((copies (%extra-copies model extras)))
          (when fresh? (freeze! model))
          (%load-extras! model copies)
          (when fresh?
            (%install-adapters! model groups places config origins))
          (%fill-adapters! model groups config origins)
          model)))))

(define (%adapter-file folder)
  "The tensors of a folder's adapters, by name."
  (let ((path (string folder "/adapter_model.safetensors"))
        (pickled (string folder "/adapter_model.bin")))
    (if (and (not (file-exists? path)) (file-exists? pickled))
        (load-state-dict pickled)
        (load-tensors path))))

(define (%check-config folder config)
  "Raise an error for a configuration that asks for what is not available."
  (define (refuse name value only)
    (error (format "load-adapters!: ~a/adapter_config.json has ~a ~s; only this \
can be loaded:" folder name value)
           only))
  (unless (hash-table? config)
    (error (format "load-adapters!: expected an object in \
~a/adapter_config.json, got" folder)
           config))
  (for-each
   (lambda (name usual)
     (let ((value (hash-ref config name usual)))
       (unless (or (equal? value usual) (memq value '(null #f))
                   (equal? value '())
                   (and (hash-table? value) (= (hash-size value) 0)))
         (refuse name value usual))))
   '("peft_type" "lora_bias" "layer_replication" "alora_invocation_tokens"
     "trainable_token_indices" "use_qalora" "use_bdlora" "arrow_config"
     "kasa_config" "velora_config" "monteclora_config")
   '("LORA" #f null null null #f null null null null null))
  (let ((start (hash-ref config "init_lora_weights" #t)))
    (when (and (string? start)
               (any (lambda (name) (string-prefix? name start))
                    '("pissa" "olora" "corda" "loftq" "lora_ga")))
      (%error-with-hint
       (format "load-adapters!: ~a/adapter_config.json has init_lora_weights \
~s, which changes the model's own weights" folder start)
       '() "peft's save_pretrained can convert such adapters to plain ones")))
  (for-each (lambda (name)
              (unless (real? (hash-ref config name #f))
                (error (format "load-adapters!: ~a/adapter_config.json has no \
number" folder)
                       name)))
            '("r" "lora_alpha")))

(define %adapter-endings
  '((".lora_A.weight" . "lora_A.weight") (".lora_B.weight" . "lora_B.weight")
    (".lora_embedding_A" . "lora_embedding_A")
    (".lora_embedding_B" . "lora_embedding_B")
    (".lora_magnitude_vector" . "lora_magnitude_vector")
    (".lora_magnitude_vector.weight" . "lora_magnitude_vector")))

(define (%sort-saved! saved groups extras)
  "Sort the tensors of a file: groups by layer, each a table from ending to
  (name . tensor), and extras by name."
  (for-each
   (lambda (name)
     (let* ((x (hash-ref saved name))
            (path (%without-part (%without-part (%after-prefix name) "default")
                                 "modules_to_save"))
            (ending (find (lambda (each) (string-suffix? (car each) path))
                          %adapter-endings)))
       (cond (ending
              (let* ((end (- (string-length path)
                             (string-length (car ending))))
                     (layer (substring path 0 end))
                     (group (or (hash-ref groups layer #f)
                                (make-hash-table))))
                (hash-set! groups layer group)
                (hash-set! group (cdr ending) (cons name x))))
             ((string-contains path "lora_")
              (error "load-adapters!: the file has a tensor of an unknown kind:"
                     name))
             (else
              (hash-set! extras (%without-part path "base_layer")
                         (cons name x))))))
   (hash-keys saved)))

(define (%after-prefix name)
  (if (string-prefix? %peft-prefix name)
      (substring name (string-length %peft-prefix) (string-length name))
      name))

(define (%without-part name part)
  "The name without a component."
  (string-join (remove (lambda (each) (equal? each part))
                       (string-split name "."))
               "."))

;; Where an adapter of the file belongs: the path of the model's layer, and the
;; range of its output.
(define-record-type %place
  (%make-place saved path start size)
  %place?
  (saved %place-saved)                           ; the path in the file
  (path %place-path)
  (start %place-start)
  (size %place-size))

(define (%places model layers fresh?)
  "The places of the file's layers; a layer that the model lacks is an error."
  (let* ((ranges (append-map (lambda (entry)
                               (map (lambda (range) (cons (car range)
                                                          (cons (car entry)
                                                                (cdr range))))
                                    (cdr entry)))
                             (%saved-ranges model)))
         (known (%table-of ranges))
         (adapted (if fresh?
                      #f
                      (map %file-path
                           (%adapters-to-save model (%adapters model))))))
    (define (refuse layer)
      (error "load-adapters!: the model has no adapter for"
             (string %peft-prefix layer)))
    (let ((places
           (map (lambda (layer)
                  (let ((name (if (hash-has-key? known layer)
                                  layer
                                  (%only-near-path layer (hash-keys known)))))
                    (unless (and name (or fresh? (member name adapted)))
                      (refuse layer))
                    (apply %make-place layer (hash-ref known name))))
                layers)))
      (unless fresh?
        (for-each
         (lambda (path)
           (unless (any (lambda (layer) (or (equal? layer path)
                                            (%path-ends? path layer)
                                            (%path-ends? layer path)))
                        layers)
             (error "load-adapters!: the file has no tensor"
                    (string %peft-prefix path ".lora_A.weight"))))
         adapted))
      places)))

(define (%only-near-path layer names)
  "The only name that differs by what stands before it, or #f: peft names the
  class around a model in its paths."
  (let ((near (filter (lambda (name) (or (%path-ends? name layer)
                                         (%path-ends? layer name)))
                      names)))
    (and (pair? near) (null? (cdr near)) (car near))))

(define (%check-saved! groups place)
  "Raise an error unless a group has what an adapter of its place needs; its
  layer is checked when it is filled."
  (let ((group (hash-ref groups (%place-saved place))))
    (define (need ending)
      (unless (hash-has-key? group ending)
        (error "load-adapters!: the file has no tensor"
               (string %peft-prefix (%place-saved place) "." ending))))
    (if (hash-has-key? group "lora_embedding_A")
        (need "lora_embedding_B")
        (begin (need "lora_A.weight") (need "lora_B.weight")))))

(define (%install-adapters! model groups places config origins)
  "Put adapters of the file's ranks on the layers of a model."
  (let ((by-path (make-hash-table)) (ranges (%saved-ranges model))
        (dropout (hash-ref config "lora_dropout" 0.0)))
    (define (group-of place) (hash-ref groups (%place-saved place)))
    (define (rank-of place)
      (tensor-size (cdr (or (hash-ref (group-of place) "lora_A.weight" #f)
                            (hash-ref (group-of place) "lora_embedding_A")))
                   0))
    (define (dora? place)
      (hash-has-key? (group-of place) "lora_magnitude_vector"))
    (for-each (lambda (place)
                (hash-set! by-path (%place-path place)
                           (cons place (hash-ref by-path (%place-path place)
                                                 '()))))
              places)
    (for-each
     (lambda (path)
       (let* ((layer (module-at model path))
              (own (sort (hash-ref by-path path)
                         (lambda (a b) (< (%place-start a) (%place-start b)))))
              (whole (car own)))
         (when (and (%table-layer? layer) (dora? whole))
           (error "load-adapters!: DoRA of an embedding cannot be loaded:"
                  (%place-saved whole)))
         (replace-module!
          model path
          (cond ((%table-layer? layer)
                 (lora-embedding layer :rank (rank-of whole)))
                ((hash-ref origins (%place-saved whole) #f)
                 => (lambda (origin)
                      (lora-linear layer :rank (%origin-rank origin)
                                   :dropout dropout)))
                ((null? (cddr (assoc path ranges)))
                 (lora-linear layer :rank (rank-of whole) :dropout dropout
                              :dora (dora? whole)))
                (else
                 (lora-linear
                  layer
                  :parts (map (lambda (place)
                                (%new-adapter
                                 layer
                                 :name (%range-name (assoc path ranges) place)
                                 :start (%place-start place)
                                 :size (%place-size place)
                                 :rank (rank-of place) :dropout dropout
                                 :dora (dora? place)))
                              own)))))))
     (%distinct (map %place-path places)))))

(define (%range-name entry place)
  "The saved path of the range at a place."
  (car (find (lambda (range) (= (cadr range) (%place-start place)))
             (cdr entry))))

(define (%fill-adapters! model groups config origins)
  "Copy the tensors of a file into adapters."
  (let ((filled (%make-identity-table))
        (slots (%adapters-to-save model (%adapters model))))
    (define checked
      (map (lambda (saved)
             (let ((slot (or (find (lambda (slot)
                                     (equal? (%file-path slot) saved))
                                   slots)
                             (find (lambda (slot)
                                     (or (%path-ends? (%file-path slot) saved)
                                         (%path-ends? saved
                                                      (%file-path slot))))
                                   slots))))
               (for-each (lambda (entry) (%check-shape groups saved entry))
                         (%slot-tensors slot))
               (cons saved slot)))
           (hash-keys groups)))
    (no-grad
      (for-each
       (lambda (entry)
         (let* ((saved (car entry)) (slot (cdr entry))
                (group (hash-ref groups saved)))
           (for-each
            (lambda (tensor)
              (let ((found (hash-ref group (car tensor) #f)))
                (when found
                  (%fill! filled (cdr tensor) (cdr found) (car tensor)
                          saved))))
            (%slot-tensors slot))
           (%set-scale! slot
                        (%slot-alpha config slot saved
                                     (hash-ref origins saved #f))
                        (eq? (hash-ref config "use_rslora" #f) #t))))
       checked))))

(define (%slot-tensors slot)
  "The tensors of an adapter, by ending."
  (let ((adapter (%file-adapter-of slot)) (layer (%file-layer slot))
        (narrow (lambda (x) (tensor-narrow (detach x) 0 (%file-start slot)
                                           (%file-size slot)))))
    (if (not adapter)
        (list (cons "lora_embedding_A" (lora-embedding-lora-embedding-A layer))
              (cons "lora_embedding_B"
                    (lora-embedding-lora-embedding-B layer)))
        (append
         (list (cons "lora_A.weight"
                     (linear-weight (%lora-adapter-lora-A adapter)))
               (cons "lora_B.weight"
                     (narrow (linear-weight (%lora-adapter-lora-B adapter)))))
         (let ((magnitude (%lora-adapter-lora-magnitude-vector adapter)))
           (if magnitude
               (list (cons "lora_magnitude_vector" (narrow magnitude)))
               '()))))))

(define (%check-shape groups saved entry)
  "Raise an error unless the file has a tensor of the adapter's shape."
  (let ((found (hash-ref (hash-ref groups saved) (car entry) #f)))
    (unless found
      (error "load-adapters!: the file has no tensor"
             (string %peft-prefix saved "." (car entry))))
    (unless (equal? (tensor-shape (cdr found)) (tensor-shape (cdr entry)))
      (error (format "load-adapters!: tensor ~s has shape ~s, the model's has"
                     (car found) (tensor-shape (cdr found)))
             (tensor-shape (cdr entry))))))

(define (%fill! filled own saved ending path)
  "Copy a tensor into an adapter's; an adapter of several layers of the file has
  one A."
  (when (and (equal? ending "lora_A.weight")
             (hash-ref filled own #f)
             (not (tensor-equal own (tensor-to saved (tensor-dtype own)))))
    (%error-with-hint
     (string "load-adapters!: the model's adapter joins layers whose adapters "
             "differ in the file, as")
     (list path)
     "load them into a model without adapters"))
  (hash-set! filled own #t)
  (tensor-copy! (detach own) saved))

(define (%set-scale! slot alpha rslora)
  (let ((adapter (%file-adapter-of slot)) (layer (%file-layer slot)))
    (cond (adapter
           (set-%lora-adapter-alpha! adapter alpha)
           (set-%lora-adapter-rslora! adapter rslora))
          (else
           (set-lora-embedding-alpha! layer alpha)
           (set-lora-embedding-rslora! layer rslora)))))

(define (%slot-alpha config slot saved origin)
  "The alpha of an adapter; if it is a part of one of all experts, that which
  gives it the same scale."
  (if origin
      (let ((alpha (%config-alpha config (%origin-key origin)))
            (ratio (/ (%file-rank slot) (%origin-rank origin))))
        (cond ((= ratio 1) alpha)
              ((eq? (hash-ref config "use_rslora" #f) #t)
               (* alpha (sqrt ratio)))
              (else (* alpha ratio))))
      (%config-alpha config saved)))

(define (%config-alpha config path)
  "The alpha of a layer: that of the first pattern that its path ends with."
  (let ((patterns (hash-ref config "alpha_pattern" 'null)))
    (let loop ((keys (if (hash-table? patterns) (hash-keys patterns) '())))
      (cond ((null? keys) (hash-ref config "lora_alpha"))
            ((%pattern-matches? (car keys) path)
             (hash-ref patterns (car keys)))
            (else (loop (cdr keys)))))))

(define (%pattern-matches? pattern path)
  "Whether a path ends with what a pattern of peft, a regular expression,
  matches."
  (if (every %plain-in-pattern? (string->list pattern))
      (%path-ends? path pattern)
      (%procedure "pattern-matches?" (string "^(?:.*\\.)?(?:" pattern ")$")
                  path)))

(define (%plain-in-pattern? c)
  (or (char-alphabetic? c) (char-numeric? c) (memv c '(#\_ #\- #\.))))

;; What else a file has.

(define (%float-layers! model extras)
  "Replace the quantized layers of which a file has the whole weight by layers
  of floats, which the file fills."
  (let ((wanted (map %layer-of-weight
                     (filter (lambda (name) (string-suffix? ".weight" name))
                             (hash-keys extras)))))
    (for-each
     (lambda (entry)
       (let ((layer (assoc (car entry) (named-modules model))))
         (when (and layer (not (%float-layer? (cdr layer)))
                    (or (%matrix-layer? (cdr layer))
                        (%table-layer? (cdr layer)))
                    (any (lambda (range)
                           (any (lambda (name) (%same-end? name (car range)))
                                wanted))
                         (cdr entry)))
           (replace-module! model (car entry) (%as-floats (cdr layer))))))
     (if (null? wanted) '() (%saved-ranges model)))))

(define (%as-floats layer)
  "The layer of floats like a quantized one."
  (let ((weight (no-grad (%matrix-of layer))))
    (if (%table-layer? layer)
        (let ((new (embedding (tensor-size weight 0) (tensor-size weight 1))))
          (set-embedding-weight! new (tensor-to weight
                                                (quantized-embedding-dtype
                                                 layer)))
          new)
        (let ((new (linear (tensor-size weight 1) (tensor-size weight 0)
                           :bias (tensor? (%bias-of layer)))))
          (set-linear-weight! new weight)
          (when (%bias-of layer)
            (set-linear-bias! new (tensor-to (%bias-of layer) 'float32)))
          new))))

(define (%extra-copies model extras)
  "The pairs of a link and (saved-name . tensor) for the model's own tensors
  that a file has, other than they are."
  (let ((by-name (make-hash-table)) (own (%table-of (state-dict model))))
    (for-each (lambda (link)
                (for-each (lambda (entry)
                            (hash-set! by-name (car entry)
                                       (cons link (cdr entry))))
                          (%saved-parts link own)))
              (if (= (hash-size extras) 0) '() (%base-links model)))
    (append-map
     (lambda (name)
       (let* ((given (hash-ref extras name))
              (known (if (hash-has-key? by-name name)
                         name
                         (%only-near-path name (hash-keys by-name))))
              (found (and known (hash-ref by-name known))))
         (unless found
           (error "load-adapters!: the model has no tensor for" (car given)))
         (unless (equal? (tensor-shape (cdr found)) (tensor-shape (cdr given)))
           (error (format "load-adapters!: tensor ~s has shape ~s, the model's \
has" (car given) (tensor-shape (cdr given)))
                  (tensor-shape (cdr found))))
         (if (tensor-equal (detach (cdr found))
                           (tensor-to (cdr given) (tensor-dtype (cdr found))))
             '()
             (list (list (car found) known (cdr given))))))
     (hash-keys extras))))

(define (%load-extras! model copies)
  "Copy biases and layers of a file into the model's own, which learn on."
  (for-each
   (lambda (copy)
     (for-each (lambda (name)
                 (when (string-suffix? ".weight" name)
                   (%untie-at! model (%layer-of-weight name))))
               (%link-names (car copy))))
   copies)
  (let ((own (%table-of (state-dict model))))
    (for-each
     (lambda (copy)
       (let ((part (cdr (assoc (cadr copy) (%saved-parts (car copy) own)))))
         (no-grad (tensor-copy! (detach part) (caddr copy)))
         (for-each (lambda (name) (requires-grad! (hash-ref own name)))
                   (%link-names (car copy)))))
     copies)))

(define (%untie-at! model path)
  "Give the layer at a path a weight of its own if others share it."
  (let ((found (assoc path (reverse (named-modules model)))))
    (when (and found (or (linear? (cdr found)) (embedding? (cdr found))))
      (%untie! model (cdr found)))))
