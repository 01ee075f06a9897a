;; timed-transcription.lisp - texts of sounds with the times of their segments,
;; by Whisper's tokens of times.
;;
;;     <|0.00|> He said no.<|2.40|><|2.40|> Then<|3.10|>  =>  two segments
;;
;; The decoder writes a time before and after each segment.  The window moves to
;; the end of the last segment that is whole, so no word is cut, except where
;; none is.  What hears is a value, and each step of it one window, so that a
;; server may do something else in between.

(define %time-step 0.02)        ; seconds between tokens of times
(define %frames-a-time 2)       ; frames of features between them

(define-record-type <transcription>
  (%make-transcription language duration segments)
  transcription?
  (language %transcription-language)
  (duration %transcription-duration)
  (segments %transcription-segments))

(define-record-type <sound-segment>
  (%make-sound-segment start end text ids words facts)
  sound-segment?
  (start %sound-segment-start)
  (end %sound-segment-end)
  (text %sound-segment-text)
  (ids %sound-segment-ids)
  (words %sound-segment-words)           ; a list, or #f if they have no times
  (facts %sound-segment-facts))          ; of its window: an alist

(define (transcribe-result model tokenizer samples . options)
  "The text that is spoken in a sound, in segments with their times: see
  transcription-segments, transcription-text and format-transcription.

  model, samples and options are those of transcribe; the language is detected
  once, at the beginning, and :stream gets the texts of segments.  With
  :log-probabilities #t segments also know how sure the model was, with :times
  'words when each word is spoken: see sound-segment-words.  Source:
  Radford et al. 2023, and the rules of tokens of times that transformers has in
  WhisperTimeStampLogitsProcessor."
  (%check-hearing "transcribe-result" model samples options)
  (%check-timestamps model)
  (let ((hearing (%begin-hearing model tokenizer samples options)))
    (let loop ()
      (if (%hear-window! hearing) (%heard-transcription hearing) (loop)))))

(define (transcription-text x)
  "All that was spoken."
  (string-trim (string-join (map %sound-segment-text
                                 (transcription-segments x))
                            "")))

(define (transcription-segments x)
  "The segments of a transcription, a list: see sound-segment-text,
  sound-segment-start, sound-segment-end and sound-segment-ids."
  (%of-transcription "transcription-segments" x %transcription-segments))

(define (transcription-language x)
  "The code of the language, such as \"en\"; #f if the model knows only one."
  (%of-transcription "transcription-language" x %transcription-language))

(define (transcription-duration x)
  "How many seconds the sound lasts."
  (%of-transcription "transcription-duration" x %transcription-duration))

(define (%of-transcription who x field)
  (%checked-field who x transcription? "a transcription, of transcribe-result"
             field))

(define (%checked-field who x is-one? noun field)
  "A field of a record that a procedure was given, or an error that says what it
  expects."
  (if (is-one? x) (field x) (wrong-type who noun x)))

(define (sound-segment-text x)
  "The text of a segment of a transcription."
  (%of-segment "sound-segment-text" x %sound-segment-text))

(define (sound-segment-start x)
  "When a segment begins, in seconds."
  (%of-segment "sound-segment-start" x %sound-segment-start))

(define (sound-segment-end x)
  "When a segment ends, in seconds."
  (%of-segment "sound-segment-end" x %sound-segment-end))

(define (sound-segment-ids x)
  "The tokens of a segment, with those of times."
  (%of-segment "sound-segment-ids" x %sound-segment-ids))

(define (sound-segment-words x)
  "The words of a segment, a list: see sound-word-text, sound-word-start and
  sound-word-end; #f unless :times was 'words."
  (%of-segment "sound-segment-words" x %sound-segment-words))

(define (%of-segment who x field)
  (%checked-field who x sound-segment? "a segment of a transcription" field))

;; A sound that is being heard.

(define-record-type <hearing>
  (%make-hearing model tokenizer features content duration settings options
                 starts language seek segments)
  %hearing?
  (model %hearing-model)
  (tokenizer %hearing-tokenizer)
  (features %hearing-features)      ; [bins, frames], or #f without any
  (content %hearing-content)        ; frames that are not silence added at the end
  (duration %hearing-duration)
  (settings %hearing-settings-of)
  (options %hearing-options)
  (starts %hearing-starts %set-hearing-starts!)    ; #f before the first window
  (language %hearing-language %set-hearing-language!)
  (seek %hearing-seek %set-hearing-seek!)                     ; frames heard
  (segments %hearing-segments %set-hearing-segments!))        ; latest first

(define (%begin-hearing model tokenizer samples options)
  "A sound of which nothing has been heard."
  (%check-choice model tokenizer options)
  (let* ((settings (%hearing-settings model
                                      (%without-options options '(:stream))))
         (begin-id (%timestamps-begin model))
         (n (tensor-size samples 0)))
    (%make-hearing model tokenizer (and (> n 0) (%whole-features model samples))
                   (quotient (+ n (- %mel-hop 1)) %mel-hop)
                   (/ n (inexact %mel-rate))
                   (if begin-id
                       (%with-times model settings begin-id)
                       settings)
                   options #f (%whisper-option options :language #f) 0 '())))

(define (%check-choice model tokenizer options)
  "Raise an error for a language, task or prompt that the model does not take."
  (let ((language (%whisper-option options :language #f))
        (task (%whisper-option options :task "transcribe")))
    (%prompt-starts model tokenizer options)
    (when (%wants-words? options) (%alignment-heads model))
    (if (%several-languages? model)
        (begin
          (when language (%language-token model language))
          (%task-token model task))
        (%refuse-choice language task))))

(define (%wants-words? options)
  (eq? 'words (%whisper-option options :times 'segments)))

(define (%whole-features model samples)
  "The features of a whole sound, at least of one window."
  (let ((bins (conv1d-in-channels (sound-encoder-conv1
                                   (seq2seq-encoder model)))))
    (inference-mode
      (if (<= (tensor-size samples 0) (%window-samples model))
          (log-mel-features samples :bins bins
                            :frames (sound-encoder-frames
                                     (seq2seq-encoder model)))
          (%long-features samples bins)))))

(define (%hear-window! hearing)
  "Hear one more window; #t if there is none left."
  (or (%all-heard? hearing)
      (let ((model (%hearing-model hearing)))
        (%evaluating model
          (lambda ()
            (let ((memory (inference-mode
                            (read-source model (%next-window hearing)))))
              (%ensure-starts! hearing memory)
              (%add-window! hearing
                            (%generate-window hearing memory)
                            (%silence hearing memory)
                            memory))))
        (%all-heard? hearing))))

(define (%all-heard? hearing)
  (>= (%hearing-seek hearing)
      (min (%hearing-content hearing)
           (if (%hearing-features hearing)
               (tensor-size (%hearing-features hearing) 1)
               0))))

(define (%next-window hearing)
  "The features of what is heard next, [1, bins, frames]; zeros are at their end
  where the sound has ended."
  (let* ((features (%hearing-features hearing))
         (seek (%hearing-seek hearing))
         (frames (sound-encoder-frames (seq2seq-encoder (%hearing-model
                                                         hearing))))
         (count (min frames (- (tensor-size features 1) seek))))
    (tensor-unsqueeze
     (tensor-constant-pad-nd (tensor-narrow features 1 seek count)
                             (list 0 (- frames count)))
     0)))

(define (%ensure-starts! hearing memory)
  "Know the tokens that the decoder starts with, which need the first memory."
  (unless (%hearing-starts hearing)
    (let* ((model (%hearing-model hearing))
           (options (%hearing-options hearing))
           (language (or (%hearing-language hearing)
                         (and (%several-languages? model)
                              (%likeliest-language "transcribe" model
                                                   memory)))))
      (%set-hearing-language! hearing language)
      (%set-hearing-starts!
       hearing
       (append (%prompt-starts model (%hearing-tokenizer hearing) options)
               (%task-starts model memory language
                             (%whisper-option options :task
                                              "transcribe")))))))

(define (%generate-window hearing memory)
  "The generation of a window."
  (car (%generate-read (%hearing-model hearing) (%hearing-tokenizer hearing)
                       memory (%hearing-starts hearing)
                       (%hearing-settings-of hearing))))

(define (%silence hearing memory)
  "How likely it is that nobody speaks, if segments are to know it; else #f."
  (let* ((model (%hearing-model hearing))
         (begin-id (%timestamps-begin model)))
    (and begin-id
         (%settings-log-probabilities (%hearing-settings-of hearing))
         (tensor-item (tensor-select (tensor-softmax
                                      (tensor-to (%first-logits model memory)
                                                 'float32)
                                      0)
                                     0 (- begin-id 2))))))

(define (%add-window! hearing generation silence memory)
  "Add the segments of a window, and move to where the next one begins."
  (let*-values (((seek) (%hearing-seek hearing))
                ((model) (%hearing-model hearing))
                ((left) (min (sound-encoder-frames (seq2seq-encoder model))
                             (- (%hearing-content hearing) seek)))
                ((ids) (%without-end-token model (generation-ids generation)))
                ((slices moved) (%time-slices ids (%timestamps-begin model)
                                              left))
                ((facts) (list (cons 'seek seek) (cons 'no-speech silence)
                               (cons 'log-probability
                                     (%mean-log-probability generation))))
                ((times) (if (%wants-words? (%hearing-options hearing))
                             (%token-times model memory
                                           (%hearing-starts hearing)
                                           (generation-ids generation)
                                           (- (%hearing-content hearing) seek))
                             #f))
                ((new) (map (lambda (slice times)
                              (%segment-of hearing slice times seek facts))
                            slices (%times-of-slices slices times))))
    (%set-hearing-segments! hearing
                            (append-reverse new (%hearing-segments hearing)))
    (%set-hearing-seek! hearing (+ seek (max 1 moved)))
    (%stream-segments hearing new)))

(define (%stream-segments hearing segments)
  "Pass the texts of segments to the procedure that wants them, if there is one."
  (let ((stream (%whisper-option (%hearing-options hearing) :stream #f)))
    (when stream
      (for-each (lambda (segment) (stream (%sound-segment-text segment)))
                segments))))

(define (%without-end-token model ids)
  "The tokens before the one that ends a text."
  (let ((ends (%rule-ids model "eos_token_id")))
    (if (and (pair? ids) (memv (last ids) ends)) (drop-right ids 1) ids)))

(define (%mean-log-probability generation)
  (let ((found (generation-log-probabilities generation)))
    (and (pair? found)
         (/ (apply + (map car found)) (length found)))))

(define (%times-of-slices slices times)
  "The times of the tokens of each slice, which follow each other; #f for each
  without times."
  (let loop ((slices slices) (times times) (found '()))
    (if (null? slices)
        (reverse found)
        (let ((n (length (caar slices))))
          (loop (cdr slices) (and times (drop times n))
                (cons (and times (take times n)) found))))))

(define (%segment-of hearing slice times seek facts)
  "The segment of tokens and times in a window that begins at a frame."
  (let* ((begin-id (%timestamps-begin (%hearing-model hearing)))
         (spoken (filter (lambda (id) (or (not begin-id) (< id begin-id)))
                         (car slice))))
    (define (seconds time)        ; whole hundredths, not 0.060000000000000005
      (/ (round (* 100 (+ (* seek 0.01) (* time %time-step)))) 100))
    (%make-sound-segment (seconds (cadr slice))
                         (seconds (caddr slice))
                         (decode (%hearing-tokenizer hearing) spoken)
                         (car slice)
                         (and times
                              (%spoken-words
                               hearing (car slice)
                               (map (lambda (time) (+ time (* seek 0.01)))
                                    times)
                               (seconds (cadr slice))))
                         facts)))

(define (%heard-transcription hearing)
  "What has been heard."
  (%make-transcription (%hearing-language hearing) (%hearing-duration hearing)
                       (reverse (%hearing-segments hearing))))

;; Tokens of times.

(define (%timestamps-begin model)
  "The token of the time 0, which all tokens of times follow; #f if there is
  none."
  (let ((silent (%usual model "no_timestamps_token_id" #f)))
    (and (exact-integer? silent) (+ silent 1))))

(define (%check-timestamps model)
  (unless (%timestamps-begin model)
    (%error-with-hint
     "transcribe-result: the model's settings have no no_timestamps_token_id"
     '() "its folder needs the generation_config.json of Whisper; transcribe \
returns the text without times")))

(define (%time-slices ids begin-id frames)
  "What a window of so many frames has written: lists of tokens, and the times
  of their beginning and end; and how many frames further the next one begins.
  Two values."
  (define (time? id) (and begin-id (>= id begin-id)))
  (let ((cuts (%cuts-between-times ids time?)))
    (if (null? cuts)
        (values (if (null? ids)
                    '()
                    (list (list ids 0 (%last-time ids time? begin-id frames))))
                frames)
        (let* ((single? (%single-time-ends? ids time?))
               (ends (if single?
                         (append cuts (list (length ids)))
                         cuts))
               (slices (map (lambda (start end) (drop (take ids end) start))
                            (cons 0 (drop-right ends 1)) ends)))
          (values (map (lambda (slice)
                         (list slice (- (car slice) begin-id)
                               (- (last slice) begin-id)))
                       slices)
                  (if single?
                      frames
                      (* %frames-a-time (- (last (last slices))
                                           begin-id))))))))

(define (%cuts-between-times ids time?)
  "The places after a token of a time that another one follows."
  (filter (lambda (k) k)
          (map (lambda (a b k) (and (time? a) (time? b) k))
               (if (null? ids) '() (drop-right ids 1))
               (if (null? ids) '() (cdr ids))
               (range 1 (max 1 (length ids))))))

(define (%single-time-ends? ids time?)
  "Whether the last token is a time after one that is none: nothing is spoken
  after it."
  (let ((n (length ids)))
    (and (>= n 2)
         (time? (last ids))
         (not (time? (list-ref ids (- n 2)))))))

(define (%last-time ids time? begin-id frames)
  "When the only segment of a window ends."
  (let ((times (filter time? ids)))
    (if (and (pair? times) (> (last times) begin-id))
        (- (last times) begin-id)
        (quotient frames %frames-a-time))))

(define (%with-times model settings begin-id)
  "The settings with the rule of tokens of times before their own processor."
  (let ((ends (%rule-ids model "eos_token_id"))
        (latest (%usual model "max_initial_timestamp_index" #f))
        (own (%settings-processor settings)))
    (%settings-with-processor settings
      (lambda (logits ids)
        (let ((timed (%timed-logits logits ids begin-id
                                    (if (pair? ends) (car ends) begin-id)
                                    latest)))
          (if own (own timed ids) timed))))))

(define (%timed-logits logits ids begin-id end-id latest)
  "The logits without tokens that may not come next: times come in pairs, and
  never decrease; the first token is a time, at most `latest` steps after 0.
  Without text as likely as all times together, a time comes."
  (let* ((x (tensor-clone logits))
         (size (tensor-size x 0))
         (last-two (take-right ids (min 2 (length ids))))
         (time-last? (and (pair? ids) (>= (last ids) begin-id)))
         (pair-last? (and time-last? (every (lambda (id) (>= id begin-id))
                                            last-two)))
         (times (filter (lambda (id) (>= id begin-id)) ids)))
    (define (forbid! start end)
      (let ((end (min end size)))
        (when (< start end)
          (tensor-fill! (tensor-narrow x 0 start (- end start)) -inf.0))))
    (forbid! (- begin-id 1) begin-id)
    (cond (pair-last? (forbid! begin-id size))
          (time-last? (forbid! 0 end-id)))
    (when (pair? times)
      (forbid! begin-id (+ (last times)
                           (if (and time-last? (not pair-last?)) 0 1))))
    (when (null? ids)
      (forbid! 0 begin-id)
      (when (exact-integer? latest)
        (forbid! (+ begin-id latest 1) size)))
    (when (%times-likelier? x begin-id)
      (forbid! 0 begin-id))
    x))

(define (%times-likelier? logits begin-id)
  "Whether all times together are likelier than each other token."
  (let ((logits (tensor-to logits 'float32))
        (size (tensor-size logits 0)))
    (> (tensor-item (tensor-logsumexp
                     (tensor-narrow logits 0 begin-id (- size begin-id)) 0))
       (tensor-item (tensor-max (tensor-narrow logits 0 0 begin-id))))))
