;; yolos.lisp - YOLOS (Fang et al. 2021): a ViT with more tokens, each of which
;; finds an object of an image, or none.

(define-module (detector config embeddings layers norm class-head box-head
                         labels :mid-positions #f :rules '())
  "A model that finds objects.  pixels [n, c, h, w] -> a list of logits [n, m,
  labels + 1], the last of which stands for no object, and boxes [n, m, 4]:
  middle across and down, width and height, as shares of the image.

  detect-objects returns what they say.  mid-positions: positions that are added
  between layers, or #f."
  ((config config)
   (embeddings embeddings)
   (layers layers)
   (norm norm)
   (class-head class-head)
   (box-head box-head)
   (mid-positions mid-positions :parameter)
   (labels labels)
   (rules rules))
  (forward (pixels)
    (let* ((x (embeddings pixels))
           (between (and mid-positions
                         (%positions-between embeddings mid-positions pixels)))
           (x (let loop ((x x) (layers layers) (k 0))
                (if (null? layers)
                    x
                    (loop (let ((y ((car layers) x)))
                            (if (and between (pair? (cdr layers)))
                                (+ y (tensor-select between 0 k))
                                y))
                          (cdr layers) (+ k 1)))))
           (count (tensor-size (patch-embeddings-last-tokens embeddings) 1))
           (states (norm (tensor-narrow x 1 (- (tensor-size x 1) count)
                                        count))))
      (list (class-head states) (tensor-sigmoid (box-head states))))))

(define (%positions-between embeddings table pixels)
  "The positions [layers - 1, t, width] between layers for pixels."
  (%positions-for (tensor-squeeze table 1) 1
                  (patch-embeddings-grid embeddings)
                  (map quotient (cddr (tensor-shape pixels))
                       (patch-embeddings-patch embeddings))))

(define-module (relu-layers sizes)
  "Linear layers with rectifiers between them: x [..., first size] -> [..., last
  size]."
  ((layers (map (lambda (in out) (blank-linear in out :bias #t))
                (take sizes (- (length sizes) 1)) (cdr sizes))))
  (forward (x)
    (let loop ((x x) (layers layers))
      (let ((y ((car layers) x)))
        (if (null? (cdr layers)) y (loop (tensor-relu y) (cdr layers)))))))

(define (%yolos-of config)
  "The model that the settings of YOLOS describe."
  (let-values (((image patch grid) (%image-grid config)))
    (let* ((width (%config-size config "hidden_size"))
           (count (%config-size config "num_detection_tokens" 100))
           (depth (%config-size config "num_hidden_layers"))
           (labels (%labels-of config)))
      (detector
       config
       (patch-embeddings (%config-size config "num_channels" 3) width grid patch
                         :last count
                         :drop-rate (%config-rate config "hidden_dropout_prob"
                                                  0.0))
       (map (lambda (k) (%vit-layer config)) (range depth))
       (layer-norm width :eps (%config-number config "layer_norm_eps" 1e-12))
       (relu-layers (list width width width (+ 1 (length labels))))
       (relu-layers (list width width width 4))
       labels
       :mid-positions
       (and (%config-flag config "use_mid_position_embeddings" #t)
            (> depth 1)
            (tensor-zeros (list (- depth 1) 1 (+ 1 count (apply * grid))
                                width)))
       :rules (list %yolos-name)))))

(define (%yolos-name name)
  "The name in files of a weight."
  (cond ((string-prefix? "class_head." name)
         (string-replace name "class_head." "class_labels_classifier."))
        ((string-prefix? "box_head." name)
         (string-replace name "box_head." "bbox_predictor."))
        ((string=? name "mid_positions")
         "vit.encoder.mid_position_embeddings")
        ((string=? name "embeddings.last_tokens")
         "vit.embeddings.detection_tokens")
        (else (%yolos-vit-name name))))

(define %yolos-vit-name (encoder-names "vit." %vit-names))

(define (detect-objects model processor image :threshold 0.5)
  "The objects in an image, the surest first: a list of (label score left top
  right bottom), in pixels of the image.

  model: of load-vision-model, such as YOLOS; processor: of load-image-processor;
  image: a path or an image [c, h, w].  threshold: the least score, a
  probability."
  (unless (detector? model)
    (wrong-type "detect-objects"
                "a model that finds objects, such as YOLOS" model))
  (unless (image-processor? processor)
    (wrong-type "detect-objects" "an image processor" processor))
  (let* ((image (if (string? image) (load-image image) image))
         (device (tensor-device (cdar (state-dict model))))
         (found (no-grad (model (tensor-to (processor image) device))))
         (shares (tensor-softmax (tensor-to (tensor-select (car found) 0 0)
                                            'float32)
                                 -1))
         (sure (tensor-narrow shares 1 0 (- (tensor-size shares 1) 1))))
    (let-list (((scores at) (tensor-max sure 1)))
      (sort (filter (lambda (object) (> (cadr object) threshold))
                    (map (lambda (score k box)
                           (cons* (list-ref (detector-labels model) k) score
                                  (%box-corners image box)))
                         (tensor->list scores) (tensor->list at)
                         (tensor->list (tensor-to (tensor-select (cadr found)
                                                                 0 0)
                                                  'float32))))
            (lambda (a b) (> (cadr a) (cadr b)))))))

(define (%box-corners image box)
  "The sides of a box in pixels: left, top, right and bottom."
  (let ((height (tensor-size image (- (tensor-rank image) 2)))
        (width (tensor-size image (- (tensor-rank image) 1))))
    (let-list (((x y w h) box))
      (list (* width (- x (/ w 2))) (* height (- y (/ h 2)))
            (* width (+ x (/ w 2))) (* height (+ y (/ h 2)))))))
