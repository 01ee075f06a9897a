;; load-processor.lisp - image processors from preprocessor_config.json, of old
;; and new versions of transformers.

(define (load-image-processor folder)
  "The image processor in a folder of Hugging Face's layout: what
  preprocessor_config.json says, or processor_config.json.

  (define processor (load-image-processor \"vit-base-patch16-224\"))
  (image-features model (processor \"cat.jpg\"))"
  (%check-string "load-image-processor" folder)
  (let ((path (find (lambda (path) (file-exists? path))
                    (map (lambda (name) (%beside folder name))
                         '("preprocessor_config.json"
                           "processor_config.json")))))
    (unless path
      (%error-with-hint
       (format "load-image-processor: ~s has no preprocessor_config.json" folder)
       '() "(image-processor :size '(224 224)) makes a processor by hand"))
    (let ((table (read-json path)))
      (parameterize ((%settings-source
                      (format "load-image-processor: ~s" path)))
        (unless (hash-table? table)
          (%settings-error "expected an object"))
        (%processor-of (hash-ref table "image_processor" table))))))

;; What the classes of transformers do unless files say otherwise: how images
;; are resized, the size, the cut, and the mean and deviation.

(define %clip-mean '(0.48145466 0.4578275 0.40821073))
(define %clip-deviation '(0.26862954 0.26130258 0.27577711))
(define %imagenet-mean '(0.485 0.456 0.406))
(define %imagenet-deviation '(0.229 0.224 0.225))
(define %halves '(0.5 0.5 0.5))

(define (%processor-defaults name)
  "A list of resampling, size, cut, mean and deviation of a class."
  (let ((square (lambda (side) (%table-of `(("height" . ,side)
                                            ("width" . ,side)))))
        (edge (lambda (side) (%table-of `(("shortest_edge" . ,side))))))
    (cond ((member name '("ViT" "Dpt"))
           (list 2 (square 224) #f %halves %halves))
          ((equal? name "DeiT")
           (list 3 (square 256) (square 224) %halves %halves))
          ((member name '("CLIP" "Bit"))
           (list 3 (edge 224) (square 224) %clip-mean %clip-deviation))
          ((member name '("ConvNext"))
           (list 3 (edge 384) #f %halves %halves))
          ((equal? name "Siglip")
           (list 3 (square 224) #f %halves %halves))
          ((member name '("Yolos" "Detr"))
           (list 2 (%table-of '(("shortest_edge" . 800)
                                ("longest_edge" . 1333)))
                 #f %imagenet-mean %imagenet-deviation))
          (else
           (%settings-error
            (format "the image processor ~s is not known; ViT, DeiT, CLIP, \
Bit, ConvNext, Siglip, Yolos and Detr are" name))))))

(define (%processor-name config)
  "The family of the processor: ViT for ViTImageProcessorFast."
  (let* ((name (%config-name config "image_processor_type"
                             (%config-name config "feature_extractor_type"
                                           "ViTImageProcessor")))
         (end (find (lambda (end) (string-suffix? end name))
                    '("ImageProcessorFast" "ImageProcessorPil"
                      "ImageProcessor" "FeatureExtractor"))))
    (if end
        (substring name 0 (- (string-length name) (string-length end)))
        name)))

(define (%processor-of config)
  "The processor of settings."
  (let* ((name (%processor-name config))
         (defaults (%processor-defaults name))
         (wide? (member name '("Yolos" "Detr")))
         (resizes? (%config-flag config "do_resize" #t))
         (size (%size-setting config "size" (cadr defaults)
                              (member name '("ViT" "DeiT" "Siglip" "Dpt"))))
         (edge (and resizes? (%side-of size "shortest_edge")))
         (crop (%size-setting config "crop_size" (caddr defaults) #t)))
    (image-processor
     :size (and resizes? (not edge)
                (%height-and-width "size" size))
     :shortest edge
     :longest (and edge (or (%side-of size "longest_edge")
                            (and wide? (%config-size config "max_size" 1333))))
     :multiple (if (equal? name "Yolos") 16 1)
     :crop (and crop
                (%config-flag config "do_center_crop"
                              (and (caddr defaults) #t))
                (%height-and-width "crop_size" crop))
     :crop-share (and (equal? name "ConvNext") resizes?
                      (%config-number config "crop_pct" 0.875))
     :resample (%resampling-of config (car defaults))
     :scale (and (%config-flag config "do_rescale" #t)
                 (%config-number config "rescale_factor" (/ 1.0 255)))
     :mean (and (%config-flag config "do_normalize" #t)
                (%three-numbers config "image_mean" (cadddr defaults)))
     :deviation (%three-numbers config "image_std" (list-ref defaults 4))
     :pad (%config-flag config "do_pad" (and wide? #t))
     :config config)))

(define (%size-setting config key default square?)
  "A table of sides: old files have a number."
  (let ((value (config-ref config key (or default 'null))))
    (cond ((eq? value 'null) #f)
          ((hash-table? value) value)
          ((and (exact-integer? value) (> value 0))
           (%table-of (if square?
                          `(("height" . ,value) ("width" . ,value))
                          `(("shortest_edge" . ,value)))))
          ((and (list? value) (= (length value) 2))
           (%table-of `(("height" . ,(car value)) ("width" . ,(cadr value)))))
          (else (%bad-setting key "a size" value)))))

(define (%side-of size key)
  "A side in a table of them, or #f."
  (and size (%config-size size key #f)))

(define (%height-and-width key size)
  "The list of both sides."
  (let ((sides (list (%side-of size "height") (%side-of size "width"))))
    (unless (every (lambda (side) side) sides)
      (%bad-setting key "height and width, or shortest_edge" size))
    sides))

(define (%resampling-of config default)
  "The name of how images are resized: files have Pillow's numbers."
  (let ((value (config-ref config "resample" default)))
    (unless (and (exact-integer? value) (<= 0 value 5))
      (%bad-setting "resample" "an integer from 0 to 5" value))
    (list-ref %resampling-names value)))

(define (%three-numbers config key default)
  "Three numbers in settings; one stands for three."
  (let ((value (config-ref config key default)))
    (cond ((real? value) (list value value value))
          ((and (list? value) (= (length value) 3) (every real? value)) value)
          (else (%bad-setting key "three numbers" value)))))
