;; save-processor.lisp - image processors as preprocessor_config.json.

(define (%save-processor processor folder)
  "Write preprocessor_config.json."
  (%write-json-file
   (%beside folder "preprocessor_config.json")
   (or (image-processor-config processor) (%processor-settings processor))))

(define (%processor-settings processor)
  "The settings of a processor that was made by hand."
  (let* ((size (image-processor-size processor))
         (edge (image-processor-shortest processor))
         (longest (image-processor-longest processor))
         (crop (image-processor-crop processor))
         (scale (image-processor-scale processor))
         (mean (image-processor-mean processor))
         (share (image-processor-crop-share processor))
         (sides (lambda (sides)
                  (%table-of `(("height" . ,(car sides))
                               ("width" . ,(cadr sides)))))))
    (%table-of
     `(("image_processor_type"
        . ,(cond (share "ConvNextImageProcessor")
                 (longest "DetrImageProcessor")
                 (edge "CLIPImageProcessor")
                 (else "ViTImageProcessor")))
       ("do_resize" . ,(and (or size edge) #t))
       ("size" . ,(cond (longest (%table-of `(("shortest_edge" . ,edge)
                                              ("longest_edge" . ,longest))))
                        (edge (%table-of `(("shortest_edge" . ,edge))))
                        (size (sides size))
                        (else 'null)))
       ("resample" . ,(list-index (lambda (name)
                                    (equal? name
                                            (image-processor-resample
                                             processor)))
                                  %resampling-names))
       ("do_center_crop" . ,(and crop #t))
       ("crop_size" . ,(if crop (sides crop) 'null))
       ("crop_pct" . ,(or share 'null))
       ("do_rescale" . ,(and scale #t))
       ("rescale_factor" . ,(or scale (/ 1.0 255)))
       ("do_normalize" . ,(and mean #t))
       ("image_mean" . ,(or mean %halves))
       ("image_std" . ,(or (image-processor-deviation processor) %halves))
       ("do_pad" . ,(image-processor-pad processor))))))
