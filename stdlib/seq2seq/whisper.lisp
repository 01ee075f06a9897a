;; whisper.lisp - Whisper (Radford et al. 2023), which writes what it hears: an
;; encoder of log-mel features, and BART's decoder with norms before each part.

(define-module (sound-encoder bins width count layers)
  "The encoder of sound: features [n, bins, 2 count] and the memory that is
  being made -> states [n, count, width]."
  ((conv1 (conv1d bins width 3 :padding 1))
   (conv2 (conv1d width width 3 :stride 2 :padding 1))
   (positions (learned-positions count width 0))
   (frames (* 2 count))
   (layers layers)
   (norm (layer-norm width)))
  (forward (features memory)
    (%check-features features (list (conv1d-in-channels conv1) frames))
    (let* ((x (tensor-to features (tensor-dtype (conv1d-weight conv1))))
           (x (tensor-gelu (conv2 (tensor-gelu (conv1 x)))))
           (x (tensor-transpose x 1 2))
           (x (+ x (positions (tensor-arange (tensor-size x 1)
                                             :device (tensor-device x))))))
      (norm (fold (lambda (layer x) (layer x memory)) x layers)))))

(define (%check-features features shape)
  "Raise an error unless they are features of sound, [n, bins, frames]."
  (unless (and (= (tensor-rank features) 3)
               (tensor-is-floating-point features)
               (equal? (cdr (tensor-shape features)) shape))
    (%error-with-hint
     (format "read-source: expected features [n, ~a, ~a] of sound, got"
             (car shape) (cadr shape))
     (list (tensor-shape features) (tensor-dtype features))
     "(log-mel-features samples) makes them")))

(define (%whisper-of config)
  "The model that the settings of Whisper describe."
  (let* ((width (%config-size config "d_model"))
         (table (blank-embedding (%config-size config "vocab_size") width))
         (context (%config-size config "max_target_positions" 448))
         (scale (and (%config-flag config "scale_embedding" #f)
                     (sqrt (inexact width)))))
    (seq2seq
     config
     :encoder (sound-encoder (%config-size config "num_mel_bins" 80) width
                             (%config-size config "max_source_positions" 1500)
                             (%bart-layers config #t #f :key-bias #f))
     :decoder (decoder (%decoder-settings config context)
                       :embed-tokens table :scale scale
                       :positions (learned-positions context width 0)
                       :layers (%bart-layers config #t #t :key-bias #f)
                       :norm (layer-norm width)
                       :lm-head (if (%config-flag config "tie_word_embeddings"
                                                  #t)
                                    (tied-head table)
                                    (blank-linear width (%config-size
                                                         config
                                                         "vocab_size"))))
     :rules (append '(("decoder.lm_head" :from proj_out))
                    %bart-names
                    (list (lambda (name)
                            (if (string-prefix? "proj_out." name)
                                name
                                (%bart-prefix name))))))))
