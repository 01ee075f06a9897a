;; wav.lisp - sounds in WAV files, and other rates of samples.
;;
;; A file is chunks, each a name, a size and bytes: "fmt " says how the samples
;; of "data" are written.  Those become a tensor without passing through Lisp.

(define (load-wav path)
  "The sound in a WAV file: float32 [channels, n] from -1 to 1, and how many
  samples a second has; two values.

  Samples may be integers of 8, 16, 24 or 32 bits, or floats of 32 or 64;
  compressed ones are an error that names their format."
  (%check-string "load-wav" path)
  (unless (and (file-exists? path) (not (folder? path)))
    (error (format "load-wav: there is no file ~s" path)))
  (let ((size (file-size path)))
    (let-values (((fmt start count) (%wav-chunks path size)))
      (let* ((channels (%little-integer fmt 2 2))
             (rate (%little-integer fmt 4 4))
             (bits (%little-integer fmt 14 2))
             (bytes (quotient bits 8)))
        (%check-wav path fmt channels rate bits)
        (let ((frames (quotient count (* channels bytes))))
          (values (if (= frames 0)
                      (tensor-zeros channels 0)
                      (tensor-contiguous
                       (tensor-transpose
                        (tensor-view (%wav-samples
                                      (%file-bytes path size start
                                                   (* frames channels bytes))
                                      (%wav-format fmt) bits)
                                     frames channels)
                        0 1)))
                  rate))))))

(define (%wav-chunks path size)
  "The bytes of the chunk fmt, and where the samples begin and how many bytes
  they are: three values."
  (define (refuse what)
    (error (format "load-wav: ~s ~a" path what)))
  (call-with-port (open-binary-input-file path)
    (lambda (port)
      (let ((head (read-bytevector 12 port)))
        (unless (and (bytevector? head) (= (bytevector-length head) 12)
                     (equal? (bytevector-copy head 0 4) (string->utf8 "RIFF"))
                     (equal? (bytevector-copy head 8) (string->utf8 "WAVE")))
          (%refuse-sound path head))
        (let loop ((at 12) (fmt #f))
          (let ((chunk (read-bytevector 8 port)))
            (unless (and (bytevector? chunk) (= (bytevector-length chunk) 8))
              (refuse "has no samples"))
            (let ((name (bytevector-copy chunk 0 4))
                  (count (%little-integer chunk 4 4)) (at (+ at 8)))
              (cond ((equal? name (string->utf8 "data"))
                     (unless fmt (refuse "has samples without their format"))
                     (values fmt at (min count (- size at))))
                    ((equal? name (string->utf8 "fmt "))
                     (let ((bytes (read-bytevector (min count 64) port)))
                       (unless (and (bytevector? bytes)
                                    (>= (bytevector-length bytes) 16))
                         (refuse "has no format of samples"))
                       (%skip-bytes port (- (+ count (modulo count 2))
                                            (bytevector-length bytes)))
                       (loop (+ at count (modulo count 2)) bytes)))
                    (else
                     (%skip-bytes port (+ count (modulo count 2)))
                     (loop (+ at count (modulo count 2)) fmt))))))))))

(define (%refuse-sound path head)
  "Raise an error for a file that is not WAV, which names what it seems to be."
  (define (begins? at . bytes)
    (let ((end (+ at (length bytes))))
      (and (bytevector? head) (>= (bytevector-length head) end)
           (equal? (bytevector-copy head at end) (apply bytevector bytes)))))
  (let ((known (cond ((or (begins? 0 73 68 51) (begins? 0 255 251)
                          (begins? 0 255 243) (begins? 0 255 242))
                      "MP3")
                     ((begins? 0 102 76 97 67) "FLAC")
                     ((begins? 0 79 103 103 83) "Ogg")
                     ((begins? 4 102 116 121 112) "MP4")
                     ((begins? 0 26 69 223 163) "WebM")
                     ((begins? 0 70 79 82 77) "AIFF")
                     (else #f))))
    (%error-with-hint
     (format "load-wav: ~s ~a" path
             (if known
                 (string "is of the format " known ", not WAV")
                 "is not a WAV file"))
     '() "ffmpeg -i FILE -c:a pcm_s16le NEW.wav converts other formats")))

(define (%skip-bytes port count)
  "Read past so many bytes, or to the end."
  (when (and (> count 0)
             (bytevector? (read-bytevector (min count 65536) port)))
    (%skip-bytes port (- count 65536))))

(define (%little-integer bytes start count)
  "The integer of so many bytes, the smallest first."
  (let loop ((k (- count 1)) (sum 0))
    (if (< k 0)
        sum
        (loop (- k 1) (+ (* 256 sum) (bytevector-u8-ref bytes (+ start k)))))))

(define (%wav-format fmt)
  "1 for integers, 3 for floats, or another number; the extensible format names
  it later."
  (let ((tag (%little-integer fmt 0 2)))
    (if (and (= tag 65534) (>= (bytevector-length fmt) 26))
        (%little-integer fmt 24 2)
        tag)))

(define (%check-wav path fmt channels rate bits)
  "Raise an error for samples that load-wav does not read."
  (unless (memv bits (case (%wav-format fmt)
                       ((1) '(8 16 24 32))
                       ((3) '(32 64))
                       (else '())))
    (%error-with-hint
     (format "load-wav: ~s: cannot read samples of format ~a with ~a bits" path
             (%wav-format fmt) bits)
     '() "formats 1 (integers of 8, 16, 24, 32 bits) and 3 (floats) are read; \
ffmpeg -i FILE -c:a pcm_s16le NEW.wav converts others"))
  (unless (and (> channels 0) (> rate 0))
    (error (format "load-wav: ~s has ~a channels and ~a samples a second" path
                   channels rate))))

(define (%file-bytes path size start count)
  "Bytes of a file as a uint8 tensor of its own."
  (tensor-copy (tensor-narrow (tensor-from-file path #f size :dtype 'uint8)
                              0 start count)))

(define (%wav-samples bytes format bits)
  "The samples, float32 from -1 to 1."
  (define (from dtype scale)
    (tensor-to (/ (tensor-to (tensor-view bytes dtype) 'float64) scale)
               'float32))
  (if (= format 3)
      (tensor-to (tensor-view bytes (if (= bits 32) 'float32 'float64))
                 'float32)
      (case bits
        ((8) (/ (- (tensor-to bytes 'float32) 128.0) 128.0))
        ((16) (from 'int16 32768.0))
        ((32) (from 'int32 2147483648.0))
        (else
         ;; The three bytes become the upper ones of 32 bits, with their sign.
         (let* ((parts (tensor-view bytes -1 3))
                (zeros (tensor-zeros (tensor-size parts 0) 1 :dtype 'uint8))
                (whole (tensor-contiguous
                        (tensor-cat (list zeros parts) 1))))
           (tensor-to (/ (tensor-to (tensor-view (tensor-flatten whole) 'int32)
                                    'float64)
                         2147483648.0)
                      'float32))))))

(define (mono samples)
  "The mean of the channels [channels, n] of a sound: [n]."
  (if (= (tensor-rank samples) 1) samples (tensor-mean samples 0)))

(define %usual-rates '(4000 . 800000))  ; between which sounds have their rates

(define %loudest 16.0)          ; floats may be above 1, but not without end

(define (%load-sound path)
  "The sound of a WAV file as Whisper hears it: mono, 16000 samples a second."
  (let-values (((sound rate) (load-wav path)))
    (unless (<= (car %usual-rates) rate (cdr %usual-rates))
      (error (format "load-wav: ~s has ~a samples a second; ~a to ~a are usual"
                     path rate (car %usual-rates) (cdr %usual-rates))))
    (tensor-clamp (tensor-nan-to-num (resample (mono sound) rate %mel-rate) 0.0)
                  (- %loudest) %loudest)))

(define %sinc-zeros 6)          ; on each side of the middle
(define %sinc-share 0.99)       ; of the frequencies that the lower rate can have
(define %most-sinc-elements 2000000)

(define (resample samples from to)
  "A sound of `from` samples a second with `to` of them.  samples: float32 [n]
  or [channels, n]; the last size becomes n to / from, rounded up.

  Each new sample is a sum of those around it, weighed by a sinc with a window
  of Hann; frequencies that the new rate cannot have are left out."
  (for-each (lambda (name x) (%positive "resample" name x))
            '("from" "to") (list from to))
  (unless (and (tensor? samples) (memv (tensor-rank samples) '(1 2))
               (tensor-is-floating-point samples))
    (wrong-type "resample" "a float tensor [n] or [channels, n]" samples))
  (if (or (= from to) (= 0 (tensor-numel samples)))
      samples
      (let* ((unit (gcd from to))
             (old (quotient from unit)) (new (quotient to unit))
             (n (tensor-size samples -1))
             (base (* %sinc-share (min old new)))
             (width (exact (ceiling (/ (* %sinc-zeros old) base)))))
        (when (> (* new (+ old (* 2 width))) %most-sinc-elements)
          (error (format "resample: ~a to ~a has no small ratio; choose a rate \
with a common factor" from to)))
        (let* ((rows (tensor-view samples -1 1 n))
               (padded (tensor-constant-pad-nd rows (list width (+ width old))))
               (y (tensor-conv1d padded
                                 (tensor-to (%sinc-kernel old new base width)
                                            (tensor-dtype samples))
                                 #f old))                 ; [rows, new, steps]
               (y (tensor-flatten (tensor-transpose y 1 2) 1))
               (count (quotient (+ (* n new) (- old 1)) old))
               (y (tensor-narrow y 1 0 count)))
          (if (= (tensor-rank samples) 1) (tensor-select y 0 0) y)))))

(define (%sinc-kernel old new base width)
  "The weights of old samples for each of `new` new ones: [new, 1, old + 2
  width]."
  (let* ((pi 3.141592653589793)
         (places (/ (tensor-arange (- width) (+ width old) :dtype 'float64)
                    old))
         (shifts (/ (tensor-arange new :dtype 'float64) new))
         (t (tensor-clamp (* base (- places (tensor-unsqueeze shifts 1)))
                          (- %sinc-zeros) %sinc-zeros))
         (window (tensor-square (tensor-cos (* t (/ pi (* 2 %sinc-zeros)))))))
    (tensor-unsqueeze (* (tensor-sinc t) window (/ base old)) 1)))
