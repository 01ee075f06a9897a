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
  several languages detects that of each 30 seconds; :task, \"transcribe\", or
  \"translate\" into English; and those of generate, for each 30 seconds."
  (%check-whisper "transcribe" model)
  (unless (and (tensor? samples) (= (tensor-rank samples) 1)
               (tensor-is-floating-point samples))
    (wrong-type "transcribe" "a float tensor [n] of samples" samples))
  (%check-keyword-list options)
  (let ((language (%whisper-option options :language #f))
        (task (%whisper-option options :task "transcribe"))
        (settings (%settings-of
                   (%usual-options model
                                   (%without-options options
                                                     '(:language :task))))))
    (%check-source-settings settings)
    (string-trim
     (string-join
      (map (lambda (window)
             (generation-text
              (car (%heard model tokenizer window language task settings))))
           (%sound-windows model samples))
      ""))))

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

(define (%sound-windows model samples)
  "The parts of a sound that the model hears at once."
  (let ((size (* %mel-hop (sound-encoder-frames (seq2seq-encoder model)))))
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

(define (%heard model tokenizer samples language task settings)
  "The generations of a sound of one window."
  (%evaluating model
    (lambda ()
      (let ((memory (%sound-memory model samples)))
        (%generate-read model tokenizer memory
                        (%whisper-starts model memory language task)
                        settings)))))

(define (%whisper-starts model memory language task)
  "The tokens that the decoder starts with."
  (let ((start (%first-token model))
        (silent (%usual model "no_timestamps_token_id" #f)))
    (append (list start)
            (if (%several-languages? model)
                (list (%language-token
                       model (or language
                                 (%likeliest-language "transcribe" model
                                                      memory)))
                      (%task-token model task))
                (%refuse-choice language task))
            (if (exact-integer? silent) (list silent) '()))))

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
         (logits (no-grad (model memory (tensor (list (list (%first-token
                                                             model))))
                                 :last #t)))
         (scores (tensor-index-select (tensor-flatten logits) 0
                                      (tensor ids :dtype 'int64
                                              :device (tensor-device
                                                       logits)))))
    (%language-code (list-ref names (tensor-item (tensor-argmax scores))))))
