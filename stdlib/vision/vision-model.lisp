;; vision-model.lisp - what all models of images have in common: pixels become
;; states of places in the image, and those features or labels of the whole.

(define-module (vision-model config :embeddings #f :layers '() :norm #f
                             :pooler #f :head-input #f :labels '()
                             :problem 'one :task-head #f :prefix ""
                             :rules '() :heads #f)
  "A model of images.  pixels [n, channels, h, w], floating-point numbers as an
  image processor returns them -> logits [n, labels]; without a head the states
  of the last layer, as image-states returns them.

  config is the table of its settings, as in config.json.  embeddings: a module
  of pixels, layers: modules of states, norm: the one after them or #f.  pooler:
  a module or a procedure of the states that returns features [n, width];
  head-input: what the head gets instead, or #f.  task-head: the layer of
  labels, or #f.  prefix: what names in files of models with a head begin with;
  rules say how they differ (load-state-dict!).  heads: a procedure of a number
  of labels that returns a new head."
  ((config config)
   (embeddings embeddings)
   (layers layers)
   (norm norm)
   (pooler pooler)
   (head-input head-input)
   (labels labels)
   (problem problem)
   (task-head task-head)
   (prefix prefix)
   (rules rules)
   (heads heads))
  (forward (pixels)
    (let ((states (image-states self pixels)))
      (if task-head
          (task-head ((or head-input pooler) states))
          states))))

(define (image-states model pixels)
  "The states of the last layer of a model of images: pixels [n, c, h, w] -> [n,
  t, width] for models of patches, whose first token stands for the whole image,
  and [n, width, h', w'] for convolutional ones."
  (let ((model (if (clip? model) (clip-image model) model)))
    (unless (vision-model? model)
      (wrong-type "image-states"
                  "a model of images, such as load-vision-model returns" model))
    (let ((x (fold (lambda (layer x) (layer x))
                   ((vision-model-embeddings model) pixels)
                   (vision-model-layers model)))
          (norm (vision-model-norm model)))
      (if norm (norm x) x))))

(define (image-features model pixels)
  "A vector for each image, by which images are compared: pixels [n, c, h, w] ->
  [n, width].  It is what transformers calls the pooler's output; for CLIP the
  projected one, which also compares with text-features."
  (cond ((clip? model)
         ((clip-image-projection model)
          (image-features (clip-image model) pixels)))
        ((vision-model? model)
         ((vision-model-pooler model) (image-states model pixels)))
        (else
         (wrong-type "image-features"
                     "a model of images, such as load-vision-model returns"
                     model))))

;; What becomes of states.

(define (%first-token-state states)
  "The state of the first token: [n, t, width] -> [n, width]."
  (tensor-select states 1 0))

(define (%mean-of-places states)
  "The mean over places: [n, c, h, w] -> [n, c]."
  (tensor-mean states '(2 3)))

(define (%mean-of-patches states first)
  "The mean over tokens after the first ones: [n, t, width] -> [n, width]."
  (tensor-mean (tensor-narrow states 1 first (- (tensor-size states 1) first))
               '(1)))

(define-module (token-pooler in out :activation tensor-tanh)
  "A layer of the first token's state: [n, t, in] -> [n, out]."
  ((dense (blank-linear in out :bias #t))
   (activation activation))
  (forward (states) (activation (dense (%first-token-state states)))))

(define-module (normed-pooler norm take)
  "The norm of what a procedure takes from states -> [n, width]."
  ((norm norm)
   (take take))
  (forward (states) (norm (take states))))

;; Settings.

(define (%image-grid config)
  "The sides of images and of patches that settings say: two lists of height and
  width, and the rows and columns of patches."
  (define (sides key default)
    (let ((value (config-ref config key default)))
      (cond ((and (exact-integer? value) (< 0 value 100000)) (list value value))
            ((and (list? value) (= (length value) 2)
                  (every (lambda (x) (and (exact-integer? x) (< 0 x 100000)))
                         value))
             value)
            (else (%bad-setting key "a positive integer, or two in a list"
                                value)))))
  (let* ((image (sides "image_size" 224))
         (patch (sides "patch_size" 16))
         (grid (map quotient image patch)))
    (unless (every positive? grid)
      (%bad-setting "patch_size" "a size up to image_size"
                    (config-ref config "patch_size" 16)))
    (values image patch grid)))

(define (%image-heads config input-width names)
  "The procedure of a number of labels that returns a linear head and its names
  in files."
  (lambda (count)
    (%new-head (blank-linear input-width count :bias #t) names)))
