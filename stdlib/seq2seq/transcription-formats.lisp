;; transcription-formats.lisp - transcriptions as files that players read.
;;
;;     (format-transcription result 'srt)
;;       =>  1
;;           00:00:00,000 --> 00:00:02,400
;;           He said no.

(define (format-transcription x kind)
  "A transcription as a text: kind is text; srt or vtt, subtitles of SubRip and
  WebVTT; or json, an object of text, language, duration and segments, and of
  words if these have times."
  (unless (transcription? x)
    (wrong-type "format-transcription" "a transcription, of transcribe-result"
                x))
  (case kind
    ((text) (string (transcription-text x) "\n"))
    ((srt) (%subtitles x "," (lambda (k) (string k "\n"))))
    ((vtt) (string "WEBVTT\n\n" (%subtitles x "." (lambda (k) ""))))
    ((json) (string (json->string (%transcription-table x)) "\n"))
    (else (wrong-type "format-transcription" "text, srt, vtt or json" kind))))

(define (%subtitles x point head)
  "The segments with their times, of which point separates the milliseconds."
  (string-join
   (map (lambda (segment k)
          (string (head k)
                  (%subtitle-time (sound-segment-start segment) point) " --> "
                  (%subtitle-time (sound-segment-end segment) point) "\n"
                  (%subtitle-text (sound-segment-text segment)) "\n\n"))
        (transcription-segments x)
        (range 1 (+ 1 (length (transcription-segments x)))))
   ""))

(define (%subtitle-time seconds point)
  "00:01:02,500 of 62.5."
  (let* ((all (exact (round (* 1000 seconds))))
         (minutes (quotient all 60000)))
    (define (digits x width)
      (string-pad-left (number->string x) width #\0))
    (string (digits (quotient minutes 60) 2) ":"
            (digits (modulo minutes 60) 2) ":"
            (digits (quotient (modulo all 60000) 1000) 2) point
            (digits (modulo all 1000) 3))))

(define (%subtitle-text text)
  "A text in one line, as subtitles may have it: an empty line would end it, and
  an arrow would be taken for times."
  (string-replace (string-join (string-split text) " ") "-->" "->"))

(define (%transcription-table x)
  "A transcription as an object of JSON."
  (let* ((segments (transcription-segments x))
         (table
          (%table-of
           (list (cons "text" (transcription-text x))
                 (cons "language" (or (transcription-language x) 'null))
                 (cons "duration" (transcription-duration x))
                 (cons "segments" (map %segment-table segments
                                       (range 0 (length segments))))))))
    (when (any sound-segment-words segments)
      (hash-set! table "words"
                 (append-map (lambda (segment)
                               (map %word-table (sound-segment-words segment)))
                             segments)))
    table))

(define (%word-table word)
  "A word as an object of JSON."
  (%table-of (list (cons "word" (string-trim (sound-word-text word)))
                   (cons "start" (sound-word-start word))
                   (cons "end" (sound-word-end word)))))

(define (%segment-table segment id)
  "A segment as an object of JSON; how sure the model was, if that is known."
  (let ((facts (%sound-segment-facts segment)))
    (define (fact name key)
      (let ((value (cdr (assq name facts))))
        (if value (list (cons key value)) '())))
    (%table-of
     (append
      (list (cons "id" id)
            (cons "start" (sound-segment-start segment))
            (cons "end" (sound-segment-end segment))
            (cons "text" (sound-segment-text segment))
            (cons "tokens" (sound-segment-ids segment)))
      (fact 'seek "seek")
      (fact 'log-probability "avg_logprob")
      (fact 'no-speech "no_speech_prob")))))
