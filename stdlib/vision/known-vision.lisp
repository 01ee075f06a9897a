;; known-vision.lisp - the models of images that the library knows; each family
;; is a file of this folder.

(define (%known-vision)
  "Entries (type class build head): the \"model_type\" of config.json, what the
  names of its classes in transformers begin with, the procedure of the settings
  that builds the model, and how the name of the class with labels ends."
  (list (list "vit" "ViT" %vit-of "ForImageClassification")
        (list "deit" "DeiT" %deit-of "ForImageClassificationWithTeacher")
        (list "dinov2" "Dinov2" %dinov2-of "ForImageClassification")
        (list "dinov2_with_registers" "Dinov2WithRegisters"
              %dinov2-with-registers-of "ForImageClassification")
        (list "clip" "CLIP" %clip-of "Model")
        (list "siglip" "Siglip" %siglip-of "Model")
        (list "resnet" "ResNet" %resnet-of "ForImageClassification")
        (list "convnext" "ConvNext" %convnext-of "ForImageClassification")
        (list "convnextv2" "ConvNextV2" %convnext-v2-of
              "ForImageClassification")
        (list "yolos" "Yolos" %yolos-of "ForObjectDetection")))

(define (%vision-entry config)
  "The entry of the settings, or an error."
  (let* ((type (config-ref config "model_type" 'null))
         (entry (assoc type (%known-vision))))
    (or entry
        (%bad-setting "model_type"
                      (string "one of "
                              (string-join (map car (%known-vision)) ", "))
                      type))))
