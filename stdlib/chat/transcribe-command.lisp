;; transcribe-command.lisp - the command transcribe, and what `lambent serve`
;; hears: the sound of a WAV file, one window after the other.
;;
;;     lambent transcribe speech.wav --model whisper-tiny --format srt

(define %transcribe-options
  (append
   (%command-options
    '("--model" :model text "the folder of Whisper")
    '("--format" :format name "text, srt, vtt or json (text)")
    '("--language" :language text "en, de ..., else it is detected")
    '("--task" :task text "transcribe, or translate into English")
    '("--prompt" :prompt text "as if that had been spoken before")
    '("--beams" :beams count "beam search of that width")
    '("--words" :words flag "with --format json: times of words, too")
    '("--temperature" :temperature level "sample; else the likeliest tokens"))
   %model-options))

(define (%run-transcribe command plain found)
  "The command transcribe: print a transcription as it comes, or as a file."
  (let ((kind (%option-ref found :format 'text))
        (folder (or (%option-ref found :model #f)
                    (%usage-error command "no --model is given"))))
    (unless (memq kind '(text srt vtt json))
      (%usage-error command (string "--format takes text, srt, vtt or json, got "
                                    kind)))
    (when (and (%option-ref found :words #f) (not (eq? kind 'json)))
      (%usage-error command "--words are in the format json: --format json"))
    (unless (folder? folder)
      (%end-command (%model-command-program command)
                    (string "cannot open " folder
                            ": No such file or directory")
                    "--model takes the folder of Whisper" 66))
    (let ((sound (%load-sound (car plain))))
      (let-values (((model tokenizer) (%open-listener folder found)))
        (let ((hearing (%begin-hearing model tokenizer sound
                                       (%hearing-arguments found))))
          (if (eq? kind 'text)
              (%print-heard hearing)
              (begin
                (%hear-all! hearing)
                (write-string (format-transcription
                               (%heard-transcription hearing) kind)))))))))

(define (%open-listener folder found)
  "Two values: the model of a folder that hears, and its tokenizer."
  (let ((threads (%option-ref found :threads #f)))
    (when threads (set-num-threads threads))
    (let ((model (load-seq2seq folder :dtype (%option-ref found :dtype #f)
                               :device (%option-ref found :device #f)
                               :bits (%option-ref found :bits #f)
                               :progress (terminal-port?
                                          (current-error-port)))))
      (%check-whisper "transcribe" model)
      (values model (load-tokenizer folder)))))

(define (%hearing-arguments found)
  "The options for transcribe-result as a list of keywords and values."
  (append (append-map (lambda (key)
                        (let ((value (%option-ref found key #f)))
                          (if value (list key value) '())))
                      '(:language :task :prompt :beams :temperature))
          (if (%option-ref found :words #f) '(:times words) '())))

(define (%hear-all! hearing)
  "Hear all windows."
  (unless (%hear-window! hearing)
    (%hear-all! hearing)))

(define (%print-heard hearing)
  "Print the text of each window as it comes."
  (let loop ((printed ""))
    (let* ((done (%hear-window! hearing))
           (text (transcription-text (%heard-transcription hearing))))
      (%print-piece (substring text (string-length printed)
                               (string-length text)))
      (if done (newline) (loop text)))))

;; What a server hears.

(define (%server-listen server path options)
  "Begin to hear a WAV file: what hear and heard take.  options: a JSON object of
  language, task, prompt, temperature, sure, whether segments know how sure the
  model was, and words, whether words have times."
  (let ((table (string->json options)))
    (define (option name key)
      (let ((value (hash-ref table name #f)))
        (if value (list key value) '())))
    (%begin-hearing (%server-model server) (%server-tokenizer server)
                    (%load-sound path)
                    (append (option "language" :language)
                            (option "task" :task)
                            (option "prompt" :prompt)
                            (option "temperature" :temperature)
                            (option "sure" :log-probabilities)
                            (if (hash-ref table "words" #f)
                                '(:times words)
                                '())))))

(define (%server-hear server hearing)
  "Hear one more window: whether all has been heard."
  (%hear-window! hearing))

(define (%server-heard server hearing kind)
  "What has been heard, as format-transcription writes it."
  (format-transcription (%heard-transcription hearing) (string->symbol kind)))
