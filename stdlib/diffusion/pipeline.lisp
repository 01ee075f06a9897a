;; pipeline.lisp - Stable Diffusion 1 and 2: from a text to an image.

(define-record-type diffusion-pipeline
  (%make-pipeline folder tokenizer text unet autoencoder)
  diffusion-pipeline?
  (folder %pipeline-folder)                     ; of the settings of its sampler
  (tokenizer diffusion-pipeline-tokenizer)
  (text diffusion-pipeline-text)                ; a clip-text-model
  (unet diffusion-pipeline-unet)
  (autoencoder diffusion-pipeline-autoencoder))

(define (load-diffusion-pipeline folder :dtype #f :device #f)
  "What makes images of texts, from a folder of diffusers' layout with a
  StableDiffusionPipeline: tokenizer, text_encoder, unet, vae and scheduler.
  generate-image asks it.  dtype: of the weights, float32 unless given."
  (%check-string "load-diffusion-pipeline" folder)
  (let ((index (%beside folder "model_index.json"))
        (part (lambda (name) (%beside folder name))))
    (unless (file-exists? index)
      (%error-with-hint
       (format "load-diffusion-pipeline: there is no file ~s" index) '()
       "a folder of diffusers' layout has one"))
    (let ((class (config-ref (read-json index) "_class_name" #f)))
      (unless (equal? class "StableDiffusionPipeline")
        (error (format "load-diffusion-pipeline: ~s: expected the class \
StableDiffusionPipeline, got ~s" index class))))
    (load-sampler (part "scheduler") 1)         ; its mistakes are found now
    (%make-pipeline folder
                    (load-tokenizer (part "tokenizer"))
                    (%load-network "load-diffusion-pipeline"
                                   (part "text_encoder") (or dtype 'float32)
                                   device %clip-text-of %text-encoder-rules)
                    (load-unet (part "unet") :dtype dtype :device device)
                    (load-autoencoder (part "vae") :dtype dtype
                                      :device device))))

(define (%text-encoder-rules table)
  "How the tensors of a text encoder are renamed: transformers 5 writes them
  without the part of their names that older ones have."
  (let ((prefix "text_model."))
    (if (any (lambda (name) (string-prefix? prefix name)) (hash-keys table))
        (list %clip-text-name)
        (list (lambda (name)
                (let ((theirs (%clip-text-name name)))
                  (substring theirs (string-length prefix)
                             (string-length theirs))))))))

(define (generate-image pipeline prompt :negative "" :guidance 7.5 :steps 50
                        :height #f :width #f :count 1 :noise #f :sampler #f
                        :done #f)
  "Images [count, c, height, width] from 0 to 1 that a text describes, such as
  save-image writes one by one: (save-image path (tensor-select images 0 0)).

  negative: a text of what they should not show.  guidance: how much more the
  prompt counts than the negative text (Ho and Salimans 2022); 1 for the prompt
  alone.  steps: how often the network is asked.  height, width: multiples of what
  the autoencoder needs, those of training unless given.  noise: the tensor
  [count, d, h, w] to begin with, instead of tensor-randn's.  sampler: one to use
  instead of the folder's, such as (load-sampler folder steps) returns.  done: a
  procedure of the number of steps that are done and the sample, or #f."
  (%check-generation pipeline prompt negative guidance steps count)
  (no-grad
    (let* ((unet (diffusion-pipeline-unet pipeline))
           (autoencoder (diffusion-pipeline-autoencoder pipeline))
           (sampler (or sampler
                        (load-sampler (%beside (%pipeline-folder pipeline)
                                               "scheduler")
                                      steps)))
           (noise (or noise
                      (%first-noise pipeline count height width)))
           (guided? (> guidance 1))
           (text (%prompt-states pipeline
                                 (if guided? (list negative prompt)
                                     (list prompt))
                                 (tensor-size noise 0)))
           (predict (if guided?
                        (lambda (x time)
                          (let ((halves (tensor-chunk
                                         (unet (tensor-cat (list x x) 0) time
                                               text)
                                         2 0)))
                            (+ (car halves)
                               (* (- (cadr halves) (car halves)) guidance))))
                        (lambda (x time) (unet x time text))))
           (code (denoise sampler
                          (lambda (x time)
                            (tensor-to (predict x time) (tensor-dtype x)))
                          noise :done done))
           (image (tensor-to (decode-image autoencoder code) 'float32)))
      (tensor-clamp (+ (/ image 2.0) 0.5) 0.0 1.0))))

(define (%check-generation pipeline prompt negative guidance steps count)
  "Check the arguments of generate-image."
  (unless (diffusion-pipeline? pipeline)
    (wrong-type "generate-image"
                "a pipeline, such as load-diffusion-pipeline returns" pipeline))
  (%check-string "generate-image" prompt)
  (%check-string "generate-image" negative)
  (unless (and (real? guidance) (>= guidance 1))
    (wrong-type "generate-image" "a number from 1 up as the guidance" guidance))
  (for-each (lambda (x what)
              (unless (and (exact-integer? x) (> x 0))
                (wrong-type "generate-image"
                            (string "a positive integer as the " what) x)))
            (list steps count) '("steps" "count")))

(define (%first-noise pipeline count height width)
  "The noise to begin with."
  (let* ((unet (diffusion-pipeline-unet pipeline))
         (config (unet-config unet))
         (step (%image-step (image-autoencoder-encoder
                             (diffusion-pipeline-autoencoder pipeline))))
         (size (lambda (given)
                 (cond ((not given) (%config-size config "sample_size" 64))
                       ((and (exact-integer? given) (> given 0)
                             (zero? (remainder given step)))
                        (quotient given step))
                       (else
                         (wrong-type "generate-image"
                                     (format "a multiple of ~a as the height \
and width" step)
                                     given))))))
    (tensor-randn (list count (conv2d-in-channels (unet-conv-in unet))
                        (size height) (size width))
                  :device (tensor-device (conv2d-weight
                                          (unet-conv-in unet))))))

(define (%prompt-states pipeline texts count)
  "The states of texts, each count times: [count * texts, t, width]."
  (let ((model (diffusion-pipeline-text pipeline)))
    (let-values (((ids mask)
                  (encode-batch (diffusion-pipeline-tokenizer pipeline) texts
                                :side 'right
                                :length (clip-text-model-context model))))
      (tensor-repeat-interleave
       (clip-text-states
        model
        (tensor-to ids (tensor-device
                        (embedding-weight (clip-text-model-words model)))))
       count 0))))
