;; save-vision.lisp - models of images in folders of Hugging Face's layout.

(define (save-vision-model model folder :processor #f :dtype #f
                           :shard-bytes 5000000000)
  "Write a model of images as a folder that load-vision-model and Hugging Face's
  transformers read.  processor: an image processor, whose settings are written,
  too.  dtype: of the weights, the model's unless given.  shard-bytes: the tensors
  are put in several files, with an index, if they take more."
  (unless (or (vision-model? model) (clip? model) (detector? model))
    (wrong-type "save-vision-model"
                "a model of images, such as load-vision-model returns" model))
  (%check-string "save-vision-model" folder)
  (unless (or (not processor) (image-processor? processor))
    (wrong-type "save-vision-model" "an image processor" processor))
  (%refuse-adapters "save-vision-model" model)
  (%refuse-folded model)
  (let ((saved (car (%once-each (%saved-tensors
                                 model (%vision-rules model #f) ""))))
        (config (hash-copy (%vision-config model))))
    (make-folder folder)
    (%save-in-dtype folder saved dtype shard-bytes)
    (let ((entry (%vision-entry config)))
      (hash-set! config "architectures"
                 (list (string (cadr entry)
                               (if (and (vision-model? model)
                                        (not (vision-model-task-head model)))
                                   "Model"
                                   (cadddr entry))))))
    (hash-set! config "dtype"
               (string (or dtype (tensor-dtype (cdar saved)))))
    (hash-delete! config "torch_dtype")
    (%write-json-file (%beside folder "config.json") config)
    (when processor (%save-processor processor folder))))

(define (%refuse-folded model)
  "Raise an error for a model whose norms have been folded into other layers."
  (when (any (lambda (entry)
               (and (normed-convolution? (cdr entry))
                    (not (normed-convolution-normalization (cdr entry)))))
             (named-modules model))
    (%error-with-hint "save-vision-model: the norms of the model have been folded into its convolutions, and files have both" '()
                      "load it without :fold, or save before fold-batch-norm!")))

(define (%vision-config model)
  "The settings of a model of images."
  (cond ((clip? model) (clip-config model))
        ((detector? model) (detector-config model))
        (else (vision-model-config model))))
