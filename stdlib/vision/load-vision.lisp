;; load-vision.lisp - models of images from folders in Hugging Face's layout,
;; and new ones.

(define (load-vision-model folder :dtype #f :device #f :fold #f)
  "The model of images in a folder of Hugging Face's layout: config.json and
  safetensors files of ViT, DeiT, DINOv2 (also with registers), CLIP, SigLIP,
  ResNet, ConvNeXt, ConvNeXt V2 and YOLOS.

  A model with a head for labels returns logits, see vision-model; CLIP and SigLIP
  are modules of images and texts, see clip, and YOLOS finds objects, see
  detector.  load-image-processor reads how images become pixels.  Files are mapped, as by load-encoder.  dtype: that of the
  weights, float32 unless given.  The model is in evaluation mode; with fold, its
  norms over a batch are folded into the layers before them, for a model that is
  neither trained nor saved: see fold-batch-norm!.  A weight that
  is missing or of another shape is an error; others in the files are left out."
  (%check-string "load-vision-model" folder)
  (%check-model-folder "load-vision-model" folder "ImageClassification")
  (let ((config (%read-config "load-vision-model" folder))
        (table (load-tensors folder))
        (dtype (or dtype 'float32)))
    (parameterize ((%settings-source
                    (%settings-of-folder "load-vision-model" folder)))
      (%check-plausible config table #f)
      (%check-plausible-sizes config table)
      (let ((model (%blank-vision-model config dtype)))
        (when (vision-model? model)
          (%fit-vision-parts! model table config dtype))
        (%fill-encoder! "load-vision-model" folder model table dtype
                        (%vision-rules model table))
        (eval-mode! model)
        (when fold (fold-batch-norm! model))
        (when device (to! model device))
        model))))

(define (%check-plausible-sizes config table)
  "Raise an error for lists of sizes that are much larger than the files."
  (for-each (lambda (key)
              (for-each
               (lambda (size)
                 (when (> size 65536)
                   (%bad-setting key "sizes up to 65536" size)))
               (%config-list config key exact-integer? "a list of integers")))
            '("hidden_sizes"))
  (for-each (lambda (depth)
              (when (> depth (hash-size table))
                (%bad-setting "depths" "as many layers as the files have"
                              depth)))
            (%config-list config "depths" exact-integer?
                          "a list of integers")))

(define (%blank-vision-model config dtype)
  "The model of the settings, whose matrices have no values yet."
  (to! (parameterize ((%weight-dtype dtype))
         ((caddr (%vision-entry config)) config))
       dtype))

(define (%fit-vision-parts! model table config dtype)
  "Leave out the pooler that files lack, and give the model the head that they
  have."
  (let ((labels (%labels-of config)))
    (when (module? (vision-model-pooler model))
      (unless (%all-in-table? (filter (lambda (name)
                                        (string-prefix? "pooler." name))
                                      (map car (state-dict model)))
                              (%vision-rules model table) table)
        (set-vision-model-pooler! model %first-token-state)))
    (%give-head! model labels config dtype)
    (unless (%all-in-table? (filter (lambda (name)
                                      (string-prefix? "task_head." name))
                                    (map car (state-dict model)))
                            (vision-model-rules model) table)
      (%take-head! model))))

(define (%all-in-table? names rules table)
  "Whether a table has the tensors of all names."
  (and (pair? names)
       (every (lambda (name) (hash-has-key? table name))
              (%saved-names names rules))))

(define (%give-head! model labels config dtype)
  "Let a model have a new head, whose weights have no values yet."
  (let ((head (parameterize ((%weight-dtype dtype))
                ((vision-model-heads model) (length labels)))))
    (set-vision-model-task-head! model (to! (car head) dtype))
    (set-vision-model-labels! model labels)
    (set-vision-model-problem! model (%problem-of config labels))
    (set-vision-model-rules! model
                             (append (vision-model-rules model)
                                     (list (%head-names
                                            (%table-of (cdr head))))))))

(define (%take-head! model)
  "Let a model have no head."
  (set-vision-model-task-head! model #f)
  (set-vision-model-labels! model '()))

(define (%vision-rules model table)
  "The rules of loading from a table, or of saving, with #f for it: names lack
  the prefix if there is no head."
  (cond
    ((clip? model) (clip-rules model))
    ((detector? model) (detector-rules model))
    (else
      (let ((rules (vision-model-rules model))
            (prefix (vision-model-prefix model)))
        (if (if table
                (any (lambda (name) (string-prefix? prefix name))
                     (hash-keys table))
                (vision-model-task-head model))
            rules
            (append rules (list (%without-start prefix))))))))

(define (new-vision-model settings :labels #f :problem 'one :dtype #f)
  "A model of images with random weights, as before training, in training mode.
  settings: a hash table or an alist, as in config.json; its \"model_type\" names
  the family.  labels: the names of labels, a list of strings, or #f for a model
  without a head.  problem: one, many or number, as in new-classifier.  dtype: of
  the weights, float32 unless given."
  (let ((config (cond ((hash-table? settings) (hash-copy settings))
                      ((and (list? settings) (every pair? settings))
                       (%table-of settings))
                      (else (wrong-type "new-vision-model"
                                        "a hash table or an alist" settings))))
        (dtype (or dtype 'float32)))
    (unless (or (not labels) (and (list? labels) (every string? labels)))
      (wrong-type "new-vision-model" "a list of strings as the labels" labels))
    (parameterize ((%settings-source (or (%settings-source)
                                         "new-vision-model")))
      (let ((model (%blank-vision-model config dtype)))
        (when (and labels (vision-model? model))
          (%write-labels! config labels problem)
          (%give-head! model labels config dtype))
        (%initialized-vision! model config)
        (train-mode! model)))))

(define (%initialized-vision! model config)
  "Give matrices and kernels random values: of the deviation in the settings, or
  so that signals keep their size."
  (let ((deviation (%config-rate config "initializer_range" #f)))
    (if deviation
        (%initialize! model (inexact deviation))
        (no-grad
         (for-each (lambda (x)
                     (when (> (tensor-rank x) 1)
                       (tensor-kaiming-normal! (detach x) :mode "fan_out")))
                   (parameters model))))))
