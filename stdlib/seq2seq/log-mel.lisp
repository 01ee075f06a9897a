;; log-mel.lisp - what Whisper hears of a sound: how loud each band of
;; frequencies is in each hundredth of a second.
;;
;;     samples [n]  =>  spectrum of windows of 400, each 160 later
;;                  =>  80 bands of the mel scale  =>  logarithm, scaled

(define %mel-rate 16000)        ; samples a second
(define %mel-window 400)
(define %mel-hop 160)

(define (log-mel-features samples :bins 80 :frames 3000)
  "The features of a sound for Whisper: float32 [bins, frames].

  samples: float tensor [n] from -1 to 1, 16000 a second (see load-wav and
  resample).  Silence follows them up to frames / 100 seconds; what is after that
  is left out.  Bands are Slaney's, from 0 to 8000 Hz; the quietest is 8 powers
  of ten below the loudest.  Source: Radford et al. 2023."
  (unless (and (tensor? samples) (= (tensor-rank samples) 1)
               (tensor-is-floating-point samples))
    (wrong-type "log-mel-features" "a float tensor [n] of samples" samples))
  (for-each (lambda (name x) (%positive "log-mel-features" name x))
            '("bins" "frames") (list bins frames))
  (let* ((size (* frames %mel-hop))
         (x (tensor-to samples 'float32))
         (n (tensor-size x 0))
         (x (if (> n size)
                (tensor-narrow x 0 0 size)
                (tensor-constant-pad-nd x (list 0 (- size n)))))
         (spectrum (tensor-stft x %mel-window %mel-hop %mel-window
                                (tensor-hann-window %mel-window
                                                    :device (tensor-device x))
                                #t "reflect" #f #t #t))
         (power (tensor-square (tensor-abs (tensor-narrow spectrum 1 0
                                                          frames))))
         (mel (tensor-matmul (tensor-to (%mel-bands bins)
                                        (tensor-device x))
                             power))
         (logs (tensor-log10 (tensor-clamp-min mel 1e-10)))
         (logs (tensor-maximum logs (- (tensor-max logs) 8.0))))
    (/ (+ logs 4.0) 4.0)))

(define (%mel-bands bins)
  "How much of each frequency of a spectrum a band has, [bins, 201]: triangles
  from the middle of the band before to that of the next, of the same area."
  (let* ((middles (%mel->hertz
                   (tensor-linspace 0.0 (%hertz->mel 8000.0) (+ bins 2)
                                    :dtype 'float64)))
         (hertz (tensor-linspace 0.0 (/ %mel-rate 2.0)
                                 (+ 1 (quotient %mel-window 2))
                                 :dtype 'float64))
         (column (lambda (start)
                   (tensor-unsqueeze (tensor-narrow middles 0 start bins) 1)))
         (low (column 0)) (middle (column 1)) (high (column 2))
         (rising (/ (- hertz low) (- middle low)))
         (falling (/ (- high hertz) (- high middle))))
    (tensor-to (* (tensor-clamp-min (tensor-minimum rising falling) 0)
                  (/ 2.0 (- high low)))
               'float32)))

;; Slaney's scale: even steps up to 1000 Hz, then factors.

(define %mel-knee 15.0)                          ; of 1000 Hz
(define %mel-step (/ 27.0 (log 6.4)))

(define (%hertz->mel hertz)
  (if (< hertz 1000.0)
      (* 3.0 (/ hertz 200.0))
      (+ %mel-knee (* %mel-step (log (/ hertz 1000.0))))))

(define (%mel->hertz mels)
  "Frequencies of a tensor of mels."
  (tensor-where (tensor-lt mels %mel-knee)
                (* mels (/ 200.0 3.0))
                (* 1000.0 (tensor-exp (/ (- mels %mel-knee) %mel-step)))))
