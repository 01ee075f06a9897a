;; vae.lisp - the autoencoder of Stable Diffusion: images in few numbers, and back
;; (Kingma and Welling 2014, Rombach et al. 2022).

(define-module (image-autoencoder config encoder decoder quant-conv
                                  post-quant-conv)
  "An autoencoder of images: pixels [n, c, h, w] from -1 to 1 -> the pixels that
  its own code of them gives.  encode-image and decode-image are its halves;
  load-autoencoder makes it."
  ((config config)
   (encoder encoder)
   (decoder decoder)
   (quant-conv quant-conv)
   (post-quant-conv post-quant-conv))
  (forward (pixels)
    (decode-image self (encode-image self pixels))))

(define (encode-image autoencoder pixels :sample #f)
  "The code of images: pixels [n, c, h, w] from -1 to 1 -> [n, d, h / f, w / f], of
  deviation 1 or so, as a diffusion model sees it.  sample: whether it is drawn
  from the distribution that the encoder says, as in training, or its mean."
  (%check-autoencoder "encode-image" autoencoder)
  (let* ((encoder (image-autoencoder-encoder autoencoder))
         (x (encoder (%for-network "encode-image" pixels
                                   (half-encoder-conv-in encoder)
                                   (%image-step encoder))))
         (quant (image-autoencoder-quant-conv autoencoder))
         (halves (tensor-chunk (if quant (quant x) x) 2 1))
         (mean (car halves))
         (code (if sample
                   (+ mean (* (tensor-exp (* 0.5 (tensor-clamp (cadr halves)
                                                               -30.0 20.0)))
                              (tensor-randn-like mean)))
                   mean)))
    (* (- code (%code-shift autoencoder)) (%code-scale autoencoder))))

(define (decode-image autoencoder code)
  "The images of codes: [n, d, h, w] as of encode-image -> pixels [n, c, f h, f w]
  from about -1 to 1."
  (%check-autoencoder "decode-image" autoencoder)
  (let* ((decoder (image-autoencoder-decoder autoencoder))
         (post (image-autoencoder-post-quant-conv autoencoder))
         (x (%for-network "decode-image" code
                          (or post (half-decoder-conv-in decoder)) 1))
         (x (+ (/ x (%code-scale autoencoder)) (%code-shift autoencoder))))
    (decoder (if post (post x) x))))

(define (%check-autoencoder who x)
  "Raise an error unless it is one."
  (unless (image-autoencoder? x)
    (wrong-type who "an autoencoder, such as load-autoencoder returns" x)))

(define (%for-network who x first step)
  "x in the dtype of a network; an error unless it has the channels of its first
  convolution, and sizes that are multiples of step."
  (let ((channels (conv2d-in-channels first)))
    (unless (and (tensor? x) (= (tensor-rank x) 4)
                 (tensor-is-floating-point x)
                 (= (tensor-size x 1) channels)
                 (every (lambda (size)
                          (and (> size 0) (zero? (remainder size step))))
                        (cddr (tensor-shape x))))
      (error (format "~a: expected a floating-point tensor [n, ~a, h, w], with \
h and w multiples of ~a, got" who channels step)
             (if (tensor? x) (tensor-shape x) x)))
    (tensor-to x (tensor-dtype (conv2d-weight first)))))

(define (%image-step encoder)
  "How many pixels in each direction have one code."
  (expt 2 (- (length (half-encoder-down-blocks encoder)) 1)))

(define (%code-scale autoencoder)
  (%config-number (image-autoencoder-config autoencoder) "scaling_factor"
                  0.18215))

(define (%code-shift autoencoder)
  "What the mean of codes is, before they are scaled."
  (let ((shift (config-ref (image-autoencoder-config autoencoder)
                           "shift_factor" 'null)))
    (if (number? shift) (inexact shift) 0.0)))

;; The halves.

(define-module (half-encoder conv-in down-blocks mid-block conv-norm-out
                             conv-out)
  "From pixels to means and logarithms of variances."
  ((conv-in conv-in)
   (down-blocks down-blocks)
   (mid-block mid-block)
   (conv-norm-out conv-norm-out)
   (conv-out conv-out))
  (forward (x)
    (let* ((x (fold (lambda (block x) (block x)) (conv-in x) down-blocks))
           (x (conv-norm-out (mid-block x))))
      (conv-out (tensor-silu x)))))

(define-module (half-decoder conv-in mid-block up-blocks conv-norm-out
                             conv-out)
  "From codes to pixels."
  ((conv-in conv-in)
   (mid-block mid-block)
   (up-blocks up-blocks)
   (conv-norm-out conv-norm-out)
   (conv-out conv-out))
  (forward (x)
    (let* ((x (fold (lambda (block x) (block x)) (mid-block (conv-in x))
                    up-blocks))
           (x (conv-norm-out x)))
      (conv-out (tensor-silu x)))))

(define-module (autoencoder-block resnets :downsamplers '() :upsamplers '())
  "The layers of one size."
  ((resnets resnets)
   (downsamplers downsamplers)
   (upsamplers upsamplers))
  (forward (x)
    (let ((x (fold (lambda (layer x) (layer x #f)) x resnets)))
      (fold (lambda (layer x) (layer x)) x
            (append downsamplers upsamplers)))))

(define-module (autoencoder-mid-block resnets attentions)
  "Two layers, and attention between the places of the image, if there is any."
  ((resnets resnets)
   (attentions attentions))
  (forward (x)
    (let ((x ((car resnets) x #f)))
      ((cadr resnets) (if (null? attentions) x ((car attentions) x)) #f))))

(define-module (place-attention width groups eps)
  "Attention between the places of an image, added to it: x [n, width, h, w] -> the
  same shape.  Names in files are those of projected-attention."
  ((group-norm (group-norm groups width :eps eps))
   (to-q (blank-linear width width :bias #t))
   (to-k (blank-linear width width :bias #t))
   (to-v (blank-linear width width :bias #t))
   (to-out (list (blank-linear width width :bias #t))))
  (forward (x)
    (let* ((row (tensor-transpose (tensor-flatten (group-norm x) 2) 1 2))
           (one-head (lambda (y) (tensor-unsqueeze y 1)))
           (y (tensor-scaled-dot-product-attention
               (one-head (to-q row)) (one-head (to-k row))
               (one-head (to-v row))))
           (y ((car to-out) (tensor-squeeze y 1))))
      (+ x (tensor-unflatten (tensor-transpose y 1 2) 2
                             (cddr (tensor-shape x)))))))

;; Settings.

(define %autoencoder-settings
  '(("act_fn" "silu") ("latents_mean") ("latents_std")))

(define (load-autoencoder folder :dtype #f :device #f)
  "The autoencoder of images (diffusers' AutoencoderKL) in a folder with
  config.json and safetensors files: a module, see image-autoencoder, in
  evaluation mode.  Files are mapped, as by load-encoder.  dtype: that of the
  weights, float32 unless given."
  (%load-network "load-autoencoder" folder (or dtype 'float32) device
                 %autoencoder-of
                 (lambda (table)
                   (if (any (lambda (name)
                              (string-suffix? "attentions.0.query.weight" name))
                            (hash-keys table))
                       (list %old-attention-name)
                       '()))))

(define (%old-attention-name name)
  "The name in files of before diffusers 0.18."
  (fold (lambda (pair name) (string-replace name (car pair) (cdr pair)))
        name
        '((".to_q." . ".query.") (".to_k." . ".key.") (".to_v." . ".value.")
          (".to_out.0." . ".proj_attn."))))

(define (%autoencoder-of config)
  "The autoencoder of the settings."
  (%refuse-settings config %autoencoder-settings)
  (let* ((widths (%config-sizes config "block_out_channels" '(64)))
         (count (length widths))
         (layers (%config-size config "layers_per_block" 1))
         (groups (%config-size config "norm_num_groups" 32))
         (code (%config-size config "latent_channels" 4))
         (part (lambda (in out)
                 (time-conditioned-block in out groups 1e-6 #f)))
         (chain (lambda (in out count)
                  (map (lambda (j) (part (if (= j 0) in out) out))
                       (range count))))
         (middle (lambda ()
                   (let ((width (last widths)))
                     (autoencoder-mid-block
                      (list (part width width) (part width width))
                      (if (%config-flag config "mid_block_add_attention" #t)
                          (list (place-attention width groups 1e-6))
                          '())))))
         (inner? (lambda (k) (< k (- count 1)))))
    (%block-types config "down_block_types" '("DownEncoderBlock2D")
                  '("DownEncoderBlock2D" "DownEncoderBlock2D") count)
    (%block-types config "up_block_types" '("UpDecoderBlock2D")
                  '("UpDecoderBlock2D" "UpDecoderBlock2D") count)
    (for-each (lambda (width)
                (unless (zero? (remainder width groups))
                  (%settings-error (format "norm_num_groups must divide \
block_out_channels, got ~a for ~a" groups width))))
              widths)
    (image-autoencoder
     config
     (half-encoder
      (blank-conv2d (%config-size config "in_channels" 3) (car widths) 3
                    :padding 1)
      (map (lambda (k in out)
             (autoencoder-block
              (chain in out layers)
              :downsamplers (if (inner? k)
                                (list (halved-image out :padding 0))
                                '())))
           (range count) (cons (car widths) widths) widths)
      (middle)
      (group-norm groups (last widths) :eps 1e-6)
      (blank-conv2d (last widths) (* 2 code) 3 :padding 1))
     (half-decoder
      (blank-conv2d code (last widths) 3 :padding 1)
      (middle)
      (let ((widths (reverse widths)))
        (map (lambda (k in out)
               (autoencoder-block
                (chain in out (+ layers 1))
                :upsamplers (if (inner? k) (list (doubled-image out)) '())))
             (range count) (cons (car widths) widths) widths))
      (group-norm groups (car widths) :eps 1e-6)
      (blank-conv2d (car widths) (%config-size config "out_channels" 3) 3
                    :padding 1))
     (and (%config-flag config "use_quant_conv" #t)
          (blank-conv2d (* 2 code) (* 2 code) 1))
     (and (%config-flag config "use_post_quant_conv" #t)
          (blank-conv2d code code 1)))))
