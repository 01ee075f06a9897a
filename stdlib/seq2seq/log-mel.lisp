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
         (n (tensor-size samples 0)))
    (%scaled-logs
     (%mel-logs (if (> n size)
                    (tensor-narrow samples 0 0 size)
                    (tensor-constant-pad-nd samples (list 0 (- size n))))
                bins))))

(define (%long-features samples bins)
  "The features of a whole sound that is longer than a window."
  (%scaled-logs (%mel-logs samples bins)))

(define (%scaled-logs logs)
  "Logarithms from 8 powers of ten below the loudest, about 1."
  (/ (+ (tensor-maximum logs (- (tensor-max logs) 8.0)) 4.0) 4.0))

(define %most-mel-frames 6000)  ; whose spectrum is in memory at once

(define (%mel-logs samples bins)
  "The logarithms of how loud the bands of all whole frames are, [bins, frames].
  At both ends the sound is reflected, so that the first window has the first
  sample in its middle."
  (let* ((edge (quotient %mel-window 2))
         (frames (quotient (tensor-size samples 0) %mel-hop))
         (x (tensor-flatten
             (tensor-pad (tensor-view (tensor-to samples 'float32) 1 -1)
                         (list edge edge) "reflect")))
         (mel (tensor-to (%mel-bands bins) (tensor-device x))))
    (tensor-cat
     (map (lambda (start)
            (let ((count (min %most-mel-frames (- frames start))))
              (%mel-part (tensor-narrow x 0 (* start %mel-hop)
                                        (+ (* (- count 1) %mel-hop)
                                           %mel-window))
                         mel)))
          (range 0 frames %most-mel-frames))
     1)))

(define (%mel-part x mel)
  "The logarithms of the bands of each window in x."
  (let* ((spectrum (tensor-stft x %mel-window %mel-hop %mel-window
                                (tensor-hann-window %mel-window
                                                    :device (tensor-device x))
                                #f "reflect" #f #t #t))
         (power (tensor-square (tensor-abs spectrum))))
    (tensor-log10 (tensor-clamp-min (tensor-matmul mel power) 1e-10))))

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
