;; save-pipeline.lisp - the networks of diffusion models in folders of diffusers'
;; layout, from which they are loaded again, here and there.

(define (save-unet model folder :dtype #f)
  "Write a network of load-unet as a folder that load-unet and diffusers read:
  config.json and a safetensors file.  dtype: of the weights, the model's unless
  given."
  (unless (unet? model)
    (wrong-type "save-unet" "a network, such as load-unet returns" model))
  (%save-network "save-unet" model (unet-config model) "UNet2DConditionModel"
                 folder dtype))

(define (save-autoencoder model folder :dtype #f)
  "Write an autoencoder of load-autoencoder as a folder that load-autoencoder and
  diffusers read: config.json and a safetensors file.  dtype: of the weights, the
  model's unless given."
  (%check-autoencoder "save-autoencoder" model)
  (%save-network "save-autoencoder" model (image-autoencoder-config model)
                 "AutoencoderKL" folder dtype))

(define (save-diffusion-pipeline pipeline folder :dtype #f)
  "Write a pipeline of load-diffusion-pipeline, whose networks may have learned, as
  a folder that load-diffusion-pipeline and diffusers read.  dtype: of the weights,
  the models' unless given.  Tokenizer and settings are those of the folder that
  the pipeline was loaded from, which must still exist."
  (unless (diffusion-pipeline? pipeline)
    (wrong-type "save-diffusion-pipeline"
                "a pipeline, such as load-diffusion-pipeline returns" pipeline))
  (%check-string "save-diffusion-pipeline" folder)
  (let ((from (%pipeline-folder pipeline))
        (text (diffusion-pipeline-text pipeline)))
    (unless (folder? from)
      (%error-with-hint
       (format "save-diffusion-pipeline: the folder ~s, which has the tokenizer \
and the settings, is gone" from)
       '() "save-unet and save-autoencoder do without it"))
    (%refuse-adapters "save-diffusion-pipeline" text)
    (make-folder folder)
    (for-each (lambda (part)
                (%copy-files (%beside from part) (%beside folder part)))
              '("tokenizer" "scheduler"))
    (make-folder (%beside folder "text_encoder"))
    (copy-file (%beside from "text_encoder/config.json")
               (%beside folder "text_encoder/config.json"))
    (%write-json-file (%beside folder "model_index.json")
                      (%written-index from))
    (%write-network (%beside folder "text_encoder/model.safetensors")
                    (%saved-tensors text (list %clip-text-name) "") dtype)
    (save-unet (diffusion-pipeline-unet pipeline) (%beside folder "unet")
               :dtype dtype)
    (save-autoencoder (diffusion-pipeline-autoencoder pipeline)
                      (%beside folder "vae") :dtype dtype)))

(define (%written-index from)
  "The table for model_index.json: the classes of the parts, and no others than
  those that are written."
  (let* ((index (read-json (%beside from "model_index.json")))
         (scheduler (read-json (%beside from
                                        "scheduler/scheduler_config.json"))))
    (for-each (lambda (row) (hash-set! index (car row) (cdr row)))
              `(("unet" "diffusers" "UNet2DConditionModel")
                ("vae" "diffusers" "AutoencoderKL")
                ("text_encoder" "transformers" "CLIPTextModel")
                ("tokenizer" "transformers" "CLIPTokenizer")
                ("scheduler" "diffusers"
                             ,(config-ref scheduler "_class_name"))
                ("safety_checker" null null) ("feature_extractor" null null)
                ("image_encoder" null null) ("requires_safety_checker" . #f)))
    index))

(define (%copy-files from to)
  "Copy the files of a folder."
  (make-folder to)
  (for-each (lambda (name)
              (unless (folder? (%beside from name))
                (copy-file (%beside from name) (%beside to name))))
            (list-folder from)))

(define (%save-network who model config class folder dtype)
  "Write a network and its settings, with the name of its class in diffusers."
  (%check-string who folder)
  (%refuse-adapters who model)
  (make-folder folder)
  (%write-network (%beside folder "diffusion_pytorch_model.safetensors")
                  (%saved-tensors model '() "") dtype)
  (let ((config (hash-copy config)))
    (hash-set! config "_class_name" class)
    (%write-json-file (%beside folder "config.json") config)))

(define (%write-network path entries dtype)
  "Write an alist of names and tensors as a safetensors file."
  (save-tensors path
                (map (lambda (entry)
                       (cons (car entry)
                             (tensor-contiguous
                              (detach (%in-dtype (cdr entry) dtype)))))
                     entries)
                :metadata '(("format" . "pt"))))
