;; served-adapters.lisp - several LoRA adapters on one model, one of which works
;; at a time.
;;
;;     (%served-adapters model '("folder-a" "folder-b"))  => a set
;;     (%use-adapter! set 1)                              the second one works
;;
;; The weights of the model are there once.  A layer that any of them changes
;; becomes a lora-linear, and choosing sets what it adds.

(define-record-type %adapter-set
  (%make-adapter-set layers tables current)
  %adapter-set?
  (layers %adapter-set-layers)        ; alist of path and lora-linear
  (tables %adapter-set-tables)        ; a vector: path -> (adapter . parts)
  (current %current-adapter %set-current-adapter!))     ; its number, or #f

(define (%served-adapters model folders)
  "The adapters of folders on a model, none of which works yet."
  (let* ((tables (map (lambda (folder) (%taken-adapter! model folder)) folders))
         (paths (delete-duplicates (append-map hash-keys tables)))
         (layers (map (lambda (path)
                        (let ((layer (lora-linear (module-at model path)
                                                  :parts '())))
                          (set-lora-linear-active?! layer #f)
                          (replace-module! model path layer)
                          (cons path layer)))
                      paths)))
    (eval-mode! model)
    (%make-adapter-set layers (list->vector tables) #f)))

(define (%taken-adapter! model folder)
  "What an adapter adds to layers, by their paths; the model is left as it was."
  (%check-served-adapter folder)
  (load-adapters! folder model)
  (let ((table (make-hash-table)))
    (for-each
     (lambda (entry)
       (let ((layer (cdr entry)))
         (unless (lora-linear? layer)
           (%refuse-served-adapter folder "changes an embedding"))
         (hash-set! table (car entry)
                    (cons (lora-linear-adapter layer)
                          (lora-linear-adapters layer)))
         (replace-module! model (car entry) (lora-linear-base layer))))
     (%adapters model))
    table))

(define (%check-served-adapter folder)
  "Raise an error for an adapter that changes the weights of the model."
  (let* ((path (string folder "/adapter_config.json"))
         (config (read-json path)))
    (when (hash-table? config)
      (unless (member (hash-ref config "bias" "none") '("none" null))
        (%refuse-served-adapter folder "changes biases"))
      (unless (memq (hash-ref config "modules_to_save" 'null) '(null ()))
        (%refuse-served-adapter folder "replaces whole layers")))))

(define (%refuse-served-adapter folder what)
  (%error-with-hint
   (string "model-server: the adapter " folder " " what
           ", so it cannot share a model with others")
   '() "merge-lora! and save-llm make a model of its own"))

(define (%use-adapter! served number)
  "Let one adapter work, by its number; #f: none."
  (unless (eqv? number (%current-adapter served))
    (%set-current-adapter! served number)
    (for-each
     (lambda (entry)
       (let* ((layer (cdr entry))
              (own (and number
                        (hash-ref (vector-ref (%adapter-set-tables served)
                                              number)
                                  (car entry) #f))))
         (set-lora-linear-active?! layer (and own #t))
         (when own
           (set-lora-linear-adapter! layer (car own))
           (set-lora-linear-adapters! layer (cdr own)))))
     (%adapter-set-layers served))))
