;; transcribe.lisp - texts of sounds by Whisper.
;;
;; A sound is heard in windows of 30 seconds.  The decoder starts each with
;; tokens that name the language and the task:
;;
;;     <|startoftranscript|> <|en|> <|transcribe|> <|notimestamps|>

(define (transcribe model tokenizer samples . options)
  "The text that is spoken in a sound.

  model: Whisper, of load-seq2seq.  samples: float tensor [n] from -1 to 1, 16000
  a second.  options: :language, a code such as \"en\", without which a model of
  several languages detects that of the beginning; :task, \"transcribe\", or
  \"translate\" into English; :prompt, a text as if it had been spoken before; and
  those of generate, for each window.  A sound that is longer than a window is
  heard by its segments, as transcribe-result does."
  (%check-hearing "transcribe" model samples options)
  (if (and (> (tensor-size samples 0) (%window-samples model))
           (%timestamps-begin model))
      (transcription-text
       (apply transcribe-result model tokenizer samples options))
      (let ((settings (%hearing-settings model options)))
        (string-trim
         (string-join
          (map (lambda (window)
                 (generation-text
                  (car (%heard model tokenizer window options settings))))
               (%sound-windows model samples))
          "")))))

(define (%check-hearing who model samples options)
  "Raise an error unless a model can hear samples."
  (%check-whisper who model)
  (unless (and (tensor? samples) (= (tensor-rank samples) 1)
               (tensor-is-floating-point samples))
    (wrong-type who "a float tensor [n] of samples" samples))
  (%check-keyword-list options)
  (let ((times (%whisper-option options :times 'segments)))
    (unless (memq times '(segments words))
      (wrong-type who "segments or words for :times" times))))

(define (%hearing-settings model options)
  "The settings of generation of the options of a call."
  (let ((settings (%settings-of
                   (%usual-options model
                                   (%without-options options
                                                     '(:language :task
                                                       :prompt :times))))))
    (%check-source-settings settings)
    settings))

(define (%whisper-option options key default)
  "The value of a keyword in a list of options."
  (let ((found (memq key options)))
    (if (and found (pair? (cdr found))) (cadr found) default)))

(define (%without-options options keys)
  "The options but for those of some keywords."
  (cond ((or (null? options) (null? (cdr options))) options)
        ((memq (car options) keys) (%without-options (cddr options) keys))
        (else (cons* (car options) (cadr options)
                     (%without-options (cddr options) keys)))))

(define (detect-language model samples)
  "The code of the language that is spoken at the beginning of a sound, such as
  \"en\", by a Whisper of several languages."
  (%check-whisper "detect-language" model)
  (%likeliest-language "detect-language" model
                       (%sound-memory model (car (%sound-windows model
                                                                 samples)))))

(define (%check-whisper who model)
  (unless (and (seq2seq? model) (sound-encoder? (seq2seq-encoder model)))
    (wrong-type who "a model that hears, such as Whisper of load-seq2seq"
                model)))

(define (%window-samples model)
  "How many samples the model hears at once."
  (* %mel-hop (sound-encoder-frames (seq2seq-encoder model))))

(define (%sound-windows model samples)
  "The parts of a sound that the model hears at once."
  (let ((size (%window-samples model)))
    (if (<= (tensor-size samples 0) size)
        (list samples)
        (tensor-split samples size 0))))

(define (%sound-memory model samples)
  "The memory of a sound."
  (let ((encoder (seq2seq-encoder model)))
    (inference-mode
      (read-source model
                   (tensor-unsqueeze
                    (log-mel-features
                     samples
                     :bins (conv1d-in-channels (sound-encoder-conv1 encoder))
                     :frames (sound-encoder-frames encoder))
                    0)))))

(define (%heard model tokenizer samples options settings)
  "The generations of a sound of one window."
  (%evaluating model
    (lambda ()
      (let ((memory (%sound-memory model samples)))
        (%generate-read model tokenizer memory
                        (append (%prompt-starts model tokenizer options)
                                (%whisper-starts
                                 model memory
                                 (%whisper-option options :language #f)
                                 (%whisper-option options :task "transcribe")))
                        settings)))))

(define (%whisper-starts model memory language task)
  "The tokens that the decoder starts with if it is to write no times."
  (let ((silent (%usual model "no_timestamps_token_id" #f)))
    (append (%task-starts model memory language task)
            (if (exact-integer? silent) (list silent) '()))))

(define (%task-starts model memory language task)
  "The tokens that name the language, #f for the likeliest, and the task."
  (cons (%first-token model)
        (if (%several-languages? model)
            (list (%language-token
                   model (or language
                             (%likeliest-language "transcribe" model memory)))
                  (%task-token model task))
            (%refuse-choice language task))))

(define (%prompt-starts model tokenizer options)
  "The tokens of the text that is as if it had been spoken before: its end, if it
  is long."
  (let ((text (%whisper-option options :prompt #f))
        (most (- (quotient (model-context (seq2seq-decoder model)) 2) 1)))
    (cond ((not text) '())
          ((not (string? text))
           (wrong-type "transcribe" "a string as :prompt" text))
          (else
           (let* ((ids (encode tokenizer (string " " (string-trim text))
                               :special #f))
                  (count (min (length ids) (max 0 (- most 1)))))
             (cons (%prompt-token model tokenizer) (take-right ids count)))))))

(define (%prompt-token model tokenizer)
  "The token before a prompt."
  (let ((known (%usual model "prev_sot_token_id" #f)))
    (or (and (exact-integer? known) known)
        (token->id tokenizer "<|startofprev|>")
        (error "transcribe: the model takes no :prompt: it has no token \
<|startofprev|>"))))

(define (%several-languages? model)
  (hash-table? (%usual model "lang_to_id" #f)))

(define (%refuse-choice language task)
  "No tokens, or an error if the model, of one language, is to do otherwise."
  (when (or language (not (equal? task "transcribe")))
    (error "transcribe: the model has no lang_to_id in generation_config.json, \
so it takes no :language or :task"))
  '())

(define (%language-token model language)
  "The token of the code of a language."
  (or (hash-ref (%usual model "lang_to_id" #f) (string "<|" language "|>") #f)
      (error (format "transcribe: unknown language ~s; known are ~a" language
                     (string-join (map %language-code (%languages model))
                                  ", ")))))

(define (%languages model)
  (sort (hash-keys (%usual model "lang_to_id" #f)) string<?))

(define (%language-code token)
  "en of <|en|>."
  (substring token 2 (- (string-length token) 2)))

(define (%task-token model task)
  "The token of a task."
  (let ((tasks (%usual model "task_to_id" (make-hash-table))))
    (or (hash-ref tasks task #f)
        (error (format "transcribe: unknown task ~s; known are ~a" task
                       (string-join (sort (hash-keys tasks) string<?)
                                    ", "))))))

(define (%likeliest-language who model memory)
  "The code of the likeliest language after the first token."
  (unless (%several-languages? model)
    (error (string who ": the model knows one language")))
  (let* ((names (%languages model))
         (ids (map (lambda (name)
                     (hash-ref (%usual model "lang_to_id" #f) name))
                   names))
         (logits (%first-logits model memory))
         (scores (tensor-index-select logits 0
                                      (tensor ids :dtype 'int64
                                              :device (tensor-device
                                                       logits)))))
    (%language-code (list-ref names (tensor-item (tensor-argmax scores))))))

(define (%first-logits model memory)
  "The logits [vocabulary] after the first token, which name the language."
  (tensor-flatten
   (no-grad (model memory (tensor (list (list (%first-token model))))
                   :last #t))))
