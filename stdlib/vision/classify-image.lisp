;; classify-image.lisp - labels of images: those that a model was trained for,
;; or any texts, which CLIP compares with images.

(define (classify-image model processor images :labels #f :tokenizer #f
                        :prompt "a photo of ~a" :batch 16 :top #f)
  "The labels of images, each an alist of labels and probabilities, the likeliest
  first.  images: a path or an image [c, h, w], whose labels are returned, or a
  list of them, or a batch [n, c, h, w]: a list of their labels.

  model: of load-vision-model, with a head for labels, or CLIP.  processor: of
  load-image-processor.  For CLIP and SigLIP, labels is a list of strings, which
  the prompt makes texts of, and tokenizer that of the model; SigLIP's
  probabilities are each text's own, and their sum is not 1.  batch: how many images are
  computed at once.  top: how many labels are returned, all unless given."
  (%check-batch-and-top "classify-image" batch top)
  (unless (image-processor? processor)
    (wrong-type "classify-image" "an image processor" processor))
  (let* ((single (or (string? images)
                     (and (tensor? images) (< (tensor-rank images) 4))))
         (items (cond (single (list images))
                      ((tensor? images) (tensor-unbind images 0))
                      (else images)))
         (names (%names-for model labels tokenizer))
         (score (%image-scorer model processor labels tokenizer prompt))
         (rows (append-map
                (lambda (part) (tensor->list (no-grad (score part))))
                (if (null? items) '() (%in-batches items batch))))
         (answers (map (lambda (row) (%ranked-names names row top)) rows)))
    (if single (car answers) answers)))

(define (%names-for model labels tokenizer)
  "The names of the labels of a model."
  (cond ((clip? model)
         (unless (and (list? labels) (pair? labels) (every string? labels))
           (wrong-type "classify-image" "a list of strings as the labels"
                       labels))
         (unless tokenizer
           (wrong-type "classify-image" "the tokenizer of the model as \
:tokenizer" tokenizer))
         labels)
        ((and (vision-model? model) (vision-model-task-head model))
         (when labels
           (%error-with-hint
            "classify-image: the model has labels of its own" '()
            "only models of images and texts, such as CLIP, take :labels"))
         (vision-model-labels model))
        ((vision-model? model)
         (%error-with-hint
          "classify-image: the model has no head for labels" '()
          "image-features returns vectors of images"))
        (else
         (wrong-type "classify-image"
                     "a model of images, such as load-vision-model returns"
                     model))))

(define (%image-scorer model processor labels tokenizer prompt)
  "The procedure of images that returns probabilities [n, labels]."
  (let* ((device (tensor-device (cdar (state-dict model))))
         (pixels (lambda (images) (tensor-to (processor images) device))))
    (if (clip? model)
        (let ((texts (no-grad (%label-vectors model tokenizer labels prompt
                                              device))))
          (lambda (images)
            (let ((logits (tensor-to (%image-text-logits
                                      model
                                      (image-features model (pixels images))
                                      texts)
                                     'float32)))
              (if (clip-logit-bias model)
                  (tensor-sigmoid logits)
                  (tensor-softmax logits -1)))))
        (lambda (images)
          (let ((logits (tensor-to (model (pixels images)) 'float32)))
            (case (vision-model-problem model)
              ((one) (tensor-softmax logits -1))
              ((many) (tensor-sigmoid logits))
              (else logits)))))))

(define (%label-vectors model tokenizer labels prompt device)
  "The vectors of the texts of labels."
  (let-values (((ids mask)
                (encode-batch tokenizer
                              (map (lambda (label)
                                     (string-replace prompt "~a" label))
                                   labels)
                              :side 'right
                              :length (%text-context (clip-text model)))))
    (text-features model (tensor-to ids device))))

(define (%text-context texts)
  "The most tokens that a model of texts takes."
  ((if (clip-text-model? texts)
       clip-text-model-context
       siglip-text-model-context)
   texts))

(define (%ranked-names names row top)
  "The labels and their numbers, largest first."
  (let ((all (sort (map cons names row) (lambda (a b) (> (cdr a) (cdr b))))))
    (if top (%first-few all top) all)))
