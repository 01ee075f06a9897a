;; vae.lisp - a variational autoencoder that learns to draw digits.
;;
;;   lambent examples/vae.lisp [DIGITS.CSV [PICTURE.PNG]]
;;
;; The encoder turns an image into a normal distribution over four numbers, the
;; decoder turns numbers into an image.  The loss is how badly images come back
;; and how far the distributions are from the standard one, from which new
;; digits are drawn at the end.

(import "lib/digits-data.lisp")

(set-num-threads 1)
(manual-seed 1)

(define-module (vae latent)
  ((encoder (sequential (linear 64 128) (relu) (linear 128 (* 2 latent))))
   (decoder (sequential (linear latent 128) (relu) (linear 128 64)))
   (latent latent))
  (forward (x)
    "Logits of pixels, means and log-variances.  x [n, 64]."
    (let-list (((mean log-variance) (tensor-chunk (encoder x) 2 1)))
      (let ((z (+ mean (* (exp (/ log-variance 2))
                          (tensor-randn-like mean)))))       ; [n, latent]
        (values (decoder z) mean log-variance)))))

(define (loss-of model x)
  "The mean over the images of reconstruction loss and divergence."
  (receive (logits mean log-variance) (model x)
    (/ (+ (binary-cross-entropy-with-logits logits x :reduction 'sum)
          (* -0.5 (tensor-sum (- (+ 1 log-variance) (square mean)
                                 (exp log-variance)))))
       (tensor-size x 0))))

(define-values (training test) (digits-datasets))
(define loader (data-loader training :batch-size 64 :shuffle #t :seed 1))
(define model (vae 4))
(define optimizer (adam (parameters model) :lr 3e-3))

(dotimes (epoch 30)
  (do-batches ((x y) loader)
    (backward (loss-of model x))
    (optimizer-step optimizer)
    (zero-grad optimizer))
  (when (= 0 (remainder (+ epoch 1) 10))
    (print "epoch" (+ epoch 1) "test loss"
           (four-decimals
            (tensor-item
             (no-grad (loss-of model (car (dataset-tensors test)))))))))

;; A grid of new digits, in the terminal or in a file.
(define drawn
  (tensor-unflatten
   (no-grad (tensor-sigmoid ((vae-decoder model) (tensor-randn 16 4))))
   1 '(1 8 8)))                                       ; [16, 1, 8, 8]
(define grid (image-grid drawn :columns 8 :padding 1))

(if (> (length (command-line)) 2)
    (begin (save-image (caddr (command-line)) grid)
           (print "saved" (caddr (command-line))))
    (show-image grid))
