;; unet.lisp - the network that predicts noise in Stable Diffusion 1 and 2: an
;; image gets smaller and larger again, and each size sees what came before it on
;; the way down (Ronneberger et al. 2015, Rombach et al. 2022).

(define-module (unet config conv-in time-embedding down-blocks mid-block
                     up-blocks conv-norm-out conv-out)
  "The network: x [n, in-channels, h, w], the time of training as a number or a
  tensor [n], and texts [n, s, width] -> what it says of the noise, [n,
  out-channels, h, w].  load-unet makes it."
  ((config config)
   (conv-in conv-in)
   (time-embedding time-embedding)
   (down-blocks down-blocks)
   (mid-block mid-block)
   (up-blocks up-blocks)
   (conv-norm-out conv-norm-out)
   (conv-out conv-out))
  (forward (x time text)
    (%check-unet-input self x text)
    (let* ((x (tensor-to x (tensor-dtype (conv2d-weight conv-in))))
           (time (time-embedding (%unet-time self x time)))
           (first (conv-in x))
           (seen (list first))
           (smallest (fold (lambda (block x)
                             (let ((states (block x time text)))
                               (set! seen (append (reverse states) seen))
                               (last states)))
                           first down-blocks))
           (x (mid-block smallest time text))
           (x (fold (lambda (block x)
                      (let ((count (length (noise-up-block-resnets block))))
                        (let ((y (block x (take seen count) time text)))
                          (set! seen (drop seen count))
                          y)))
                    x up-blocks)))
      (conv-out (tensor-silu (conv-norm-out x))))))

(define-module (noise-down-block resnets attentions downsamplers)
  "One size on the way down: x [n, c, h, w] -> the list of the states that the way
  up sees, the last one half as large if there is a downsampler."
  ((resnets resnets)
   (attentions attentions)
   (downsamplers downsamplers))
  (forward (x time text)
    (let loop ((x x) (resnets resnets) (attentions attentions) (states '()))
      (if (null? resnets)
          (reverse (if (null? downsamplers)
                       states
                       (cons ((car downsamplers) x) states)))
          (let* ((y ((car resnets) x time))
                 (y (if (null? attentions) y ((car attentions) y text))))
            (loop y (cdr resnets)
                  (if (null? attentions) '() (cdr attentions))
                  (cons y states)))))))

(define-module (noise-mid-block resnets attentions)
  "The smallest size: x [n, c, h, w] -> the same shape."
  ((resnets resnets)
   (attentions attentions))
  (forward (x time text)
    ((cadr resnets) ((car attentions) ((car resnets) x time) text) time)))

(define-module (noise-up-block resnets attentions upsamplers)
  "One size on the way up.  seen: the states of the way down, the latest first, one
  for each layer.  x [n, c, h, w] -> [n, c', h, w], or twice as large."
  ((resnets resnets)
   (attentions attentions)
   (upsamplers upsamplers))
  (forward (x seen time text)
    (let loop ((x x) (resnets resnets) (attentions attentions) (seen seen))
      (if (null? resnets)
          (if (null? upsamplers) x ((car upsamplers) x))
          (let* ((y ((car resnets) (tensor-cat (list x (car seen)) 1) time))
                 (y (if (null? attentions) y ((car attentions) y text))))
            (loop y (cdr resnets)
                  (if (null? attentions) '() (cdr attentions))
                  (cdr seen)))))))

(define (%unet-time model x time)
  "The waves of a time for each image of x."
  (let* ((config (unet-config model))
         (n (tensor-size x 0))
         (times (if (tensor? time)
                    (tensor-expand (tensor-reshape time '(-1)) (list n))
                    (tensor-full (list n) (inexact time)
                                 :device (tensor-device x))))
         (width (conv2d-out-channels (unet-conv-in model))))
    (tensor-to (%time-waves (tensor-to times (tensor-device x)) width
                            (%config-flag config "flip_sin_to_cos" #t)
                            (%config-count config "freq_shift" 0))
               (tensor-dtype x))))

(define (%check-unet-input model x text)
  "Raise an error unless x is an image that can be halved as often as there are
  sizes, and text the vectors of as many texts."
  (let* ((channels (conv2d-in-channels (unet-conv-in model)))
         (step (expt 2 (- (length (unet-down-blocks model)) 1))))
    (unless (and (tensor? x) (= (tensor-rank x) 4)
                 (= (tensor-size x 1) channels)
                 (every (lambda (size)
                          (and (> size 0) (zero? (remainder size step))))
                        (cddr (tensor-shape x))))
      (%error-with-hint
       (format "unet: expected x [n, ~a, h, w], with h and w multiples of ~a, \
got" channels step)
       (list (if (tensor? x) (tensor-shape x) x))
       "h and w are those of codes, an eighth of an image's in Stable \
Diffusion"))
    (unless (and (tensor? text) (= (tensor-rank text) 3)
                 (= (tensor-size text 0) (tensor-size x 0)))
      (error (format "unet: expected texts [~a, s, width], got"
                     (tensor-size x 0))
             (if (tensor? text) (tensor-shape text) text)))))

;; Settings.

;; Those of which only one value, or two, are supported.
(define %unet-settings
  '(("act_fn" "silu") ("mid_block_type" "UNetMidBlock2DCrossAttn")
    ("addition_embed_type") ("class_embed_type") ("encoder_hid_dim")
    ("encoder_hid_dim_type") ("center_input_sample" #f)
    ("dual_cross_attention" #f) ("only_cross_attention" #f)
    ("resnet_time_scale_shift" "default") ("time_embedding_type" "positional")
    ("time_embedding_act_fn") ("timestep_post_act") ("time_cond_proj_dim")
    ("conv_in_kernel" 3) ("conv_out_kernel" 3) ("num_class_embeds")
    ("attention_type" "default") ("resnet_skip_time_act" #f)
    ("resnet_out_scale_factor" 1 1.0) ("mid_block_scale_factor" 1 1.0)
    ("cross_attention_norm") ("reverse_transformer_layers_per_block")
    ("class_embeddings_concat" #f) ("downsample_padding" 1) ("dropout" 0 0.0)
    ("mid_block_only_cross_attention" #f)))

(define (load-unet folder :dtype #f :device #f)
  "The network of Stable Diffusion 1 or 2 in a folder of diffusers' layout, with
  config.json and safetensors files: a module, see unet, in evaluation mode.
  Files are mapped, as by load-encoder.  dtype: that of the weights, float32
  unless given."
  (%load-network "load-unet" folder (or dtype 'float32) device %unet-of
                 (lambda (table) '())))

(define (%load-network who folder dtype device build rules)
  "The model that build makes of the settings in a folder, with its tensors.
  rules: a procedure of the table of these that returns how they are renamed."
  (%check-string who folder)
  (%check-model-folder who folder "")
  (let ((config (%read-config who folder))
        (table (%network-tensors folder)))
    (parameterize ((%settings-source (%settings-of-folder who folder)))
      (%check-plausible config table #f)
      (%check-network-sizes config table)
      (let ((model (to! (parameterize ((%weight-dtype dtype)) (build config))
                        dtype)))
        (%fill-encoder! who folder model table dtype (rules table))
        (when device (to! model device))
        (eval-mode! model)))))

(define (%network-tensors folder)
  "The tensors of a folder; of those that it has twice, in halves, too, the whole
  ones."
  (let ((whole (%beside folder "diffusion_pytorch_model.safetensors")))
    (load-tensors (if (file-exists? whole) whole folder))))

(define (%check-network-sizes config table)
  "Raise an error for settings of more layers or channels than files may have."
  (let ((check (lambda (most expected)
                 (lambda (key)
                   (let ((value (config-ref config key '())))
                     (for-each (lambda (x)
                                 (when (and (exact-integer? x) (> x most))
                                   (%bad-setting key expected value)))
                               (if (list? value) value (list value))))))))
    (for-each (check 65536 "sizes up to 65536")
              '("block_out_channels" "cross_attention_dim" "latent_channels"
                "in_channels" "out_channels"))
    (for-each (check (hash-size table) "as many layers as the files have")
              '("layers_per_block" "transformer_layers_per_block"))))

(define (%unet-of config)
  "The network of the settings."
  (%refuse-settings config %unet-settings)
  (let* ((widths (%config-sizes config "block_out_channels"
                                '(320 640 1280 1280)))
         (time-width (* 4 (car widths)))
         (groups (%config-size config "norm_num_groups" 32))
         (eps (%config-number config "norm_eps" 1e-5))
         (parts (lambda (in out)
                  (time-conditioned-block in out groups eps time-width)))
         (context (%by-block config "cross_attention_dim" 1280 widths))
         (heads (%by-block config (if (%has-setting? config
                                                     "num_attention_heads")
                                      "num_attention_heads"
                                      "attention_head_dim")
                           8 widths))
         (depth (%by-block config "transformer_layers_per_block" 1 widths))
         (layers (%by-block config "layers_per_block" 2 widths))
         (linear? (%config-flag config "use_linear_projection" #f))
         (attend (lambda (width context heads depth)
                   (unless (zero? (remainder width heads))
                     (%settings-error
                      (format "attention_head_dim must divide \
block_out_channels, got ~a for ~a" heads width)))
                   (text-guided-block width context heads depth groups
                                      linear?)))
         (in (%config-size config "in_channels" 4)))
    (for-each (lambda (width)
                (unless (zero? (remainder width groups))
                  (%settings-error (format "norm_num_groups must divide \
block_out_channels, got ~a for ~a" groups width))))
              widths)
    (unet config
          (blank-conv2d in (car widths) 3 :padding 1)
          (time-mlp (car widths) time-width)
          (%unet-down-blocks config widths layers parts attend context heads
                             depth)
          (let ((width (last widths)))
            (noise-mid-block (list (parts width width) (parts width width))
                            (list (attend width (last context) (last heads)
                                          (last depth)))))
          (%unet-up-blocks config (reverse widths) (reverse layers) parts
                           attend (reverse context) (reverse heads)
                           (reverse depth))
          (group-norm groups (car widths) :eps eps)
          (blank-conv2d (car widths) (%config-size config "out_channels" 4) 3
                        :padding 1))))

(define (%has-setting? config key)
  "Whether a setting is there, and not null."
  (not (eq? (config-ref config key 'null) 'null)))

(define (%by-block config key default widths)
  "A setting that is a size, or a list of one for each block: such a list."
  (let* ((value (config-ref config key default))
         (value (if (eq? value 'null) default value))
         (count (length widths))
         (size? (lambda (x) (and (exact-integer? x) (< 0 x 1000000)))))
    (cond ((size? value) (map (lambda (width) value) widths))
          ((and (list? value) (= (length value) count) (every size? value))
           value)
          (else (%bad-setting key (format "a positive integer, or ~a of them"
                                          count)
                              value)))))

(define (%block-types config key default known count)
  "Whether each block sees texts."
  (let ((types (config-ref config key default)))
    (unless (and (list? types) (= (length types) count))
      (%bad-setting key (format "~a types of blocks" count) types))
    (map (lambda (type)
           (cond ((equal? type (car known)) #t)
                 ((equal? type (cadr known)) #f)
                 (else (%bad-setting key (string-join known " or ") type))))
         types)))

(define (%unet-down-blocks config widths layers parts attend context heads
                           depth)
  "The blocks of the way down."
  (let* ((count (length widths))
         (texts? (%block-types config "down_block_types"
                               '("CrossAttnDownBlock2D" "CrossAttnDownBlock2D"
                                 "CrossAttnDownBlock2D" "DownBlock2D")
                               '("CrossAttnDownBlock2D" "DownBlock2D") count)))
    (map (lambda (k in out layers text? context heads depth)
           (noise-down-block
            (map (lambda (j) (parts (if (= j 0) in out) out)) (range layers))
            (if text?
                (map (lambda (j) (attend out context heads depth))
                     (range layers))
                '())
            (if (< k (- count 1)) (list (halved-image out)) '())))
         (range count) (cons (car widths) widths) widths layers texts? context
         heads depth)))

(define (%unet-up-blocks config widths layers parts attend context heads depth)
  "The blocks of the way up, from the smallest size: the lists begin with what is
  for that."
  (let* ((count (length widths))
         (texts? (%block-types config "up_block_types"
                               '("UpBlock2D" "CrossAttnUpBlock2D"
                                 "CrossAttnUpBlock2D" "CrossAttnUpBlock2D")
                               '("CrossAttnUpBlock2D" "UpBlock2D") count)))
    (map (lambda (k before out below layers text? context heads depth)
           (let ((last (+ layers 1)))
             (noise-up-block
              (map (lambda (j)
                     (parts (+ (if (= j 0) before out)
                               (if (= j layers) below out))
                            out))
                   (range last))
              (if text?
                  (map (lambda (j) (attend out context heads depth))
                       (range last))
                  '())
              (if (< k (- count 1)) (list (doubled-image out)) '()))))
         (range count) (cons (car widths) widths) widths
         (append (cdr widths) (list (last widths))) layers texts? context heads
         depth)))
