;; model-command.lisp - the commands generate, chat, quantize, bench, transcribe.
;;
;;     lambent generate FOLDER "Once upon"  =>  (language-model-command words)
;;
;; The interpreter's command and compiled programs call the same procedure, so
;; that both print the same bytes and end with the same status: 64 for words
;; that are wrong, 66 for a folder that does not exist, 70 for an error of the
;; work, 130 for Ctrl-C.

(define %model-options
  (%command-options
   '("--dtype" :dtype name "float32, bfloat16 or float16 instead of the folder's")
   '("--device" :device text "cpu, cuda ...")
   '("--bits" :bits bits "quantise the weights to 8 or 4 bits")
   '("--threads" :threads count "threads that LibTorch uses")))

(define %sampling-options
  (%command-options
   '("--max-tokens" :max-tokens count "the most new tokens (128, in a chat 512)")
   '("--temperature" :temperature level "0 takes the likeliest token (1)")
   '("--top-k" :top-k count "sample among the k likeliest tokens")
   '("--top-p" :top-p share "sample among those whose sum reaches p")
   '("--min-p" :min-p share "sample among those with this share of the best")
   '("--typical-p" :typical-p share "sample typical tokens of that sum")
   '("--greedy" :greedy flag "take the likeliest token")
   '("--repetition-penalty" :repetition-penalty positive "1 is none")
   '("--frequency-penalty" :frequency-penalty number "0 is none")
   '("--presence-penalty" :presence-penalty number "0 is none")
   '("--ignore-eos" :ignore-eos flag "the end token does not end the text")
   '("--stop" :stop text "end before this text; may be repeated")
   '("--seed" :seed whole "the same seed gives the same text")
   '("--cache-bits" :cache-bits bits "keep keys and values in 8 or 4 bits")
   '("--cache-window" :window count "see, and keep, only the last N tokens")
   '("--cache-sinks" :sinks whole "and the first N, for texts without an end")
   '("--json-text" :json-text flag "only tokens that continue valid JSON")
   '("--stats" :stats flag "then print tokens/s and memory on stderr")))

(define %generate-options
  (append
   (%command-options
    '("--chat" :chat flag "the prompt is a message of a chat")
    '("--system" :system text "the system's message of that chat")
    '("--count" :count count "that many texts")
    '("--beams" :beams count "beam search of that width")
    '("--draft" :draft text "ngrams, or a folder: a smaller model guesses ahead")
    '("--prompt-file" :prompt-file file "the prompt is the text of a file"))
   %sampling-options
   %model-options))

(define %chat-options
  (append
   (%command-options
    '("--system" :system text "the system's message")
    '("--load" :load file "continue a conversation that /save wrote"))
   %sampling-options
   %model-options))

(define %bench-options
  (append
   (%command-options
    '("--prompt-tokens" :prompt-tokens count "the length of the prompt (64)")
    '("--tokens" :tokens count "new tokens of each run (64)")
    '("--repeats" :repeats count "runs (5)")
    '("--json" :json file "write the figures as JSON"))
   %model-options))

(define (%model-commands program)
  "The commands, by name."
  (define (command name arguments options . doc)
    (cons name (%make-model-command program name arguments doc options)))
  (list
   (command "generate" "FOLDER [PROMPT]" %generate-options
            "Continue a text with the language model of a folder or a GGUF file."
            "Without a prompt, or for -, it is the standard input.")
   (command "chat" "FOLDER" %chat-options
            "Talk with the language model of a folder or a GGUF file."
            "/help lists what can be typed besides messages.")
   (command "quantize" "FOLDER NEW" %quantize-options
            "Write the model of a folder or a GGUF file with weights of fewer bits."
            "NEW is a folder, or a GGUF file if it ends with .gguf.")
   (command "bench" "FOLDER" %bench-options
            "Measure loading, first token, tokens/s and memory of a model.")
   (command "transcribe" "AUDIO --model FOLDER" %transcribe-options
            "Print what is spoken in a WAV file, by the Whisper of a folder.")))

(define (language-model-command words :program "lambent")
  "Run a command for language models, as `lambent` does: words is a list of
  strings, (\"generate\" \"folder\" \"Once upon\" \"--top-k\" \"5\").

  Commands are generate, chat, quantize, bench and transcribe; --help after one
  prints its options.
  Errors are printed, and end the program: with status 64 for wrong words, 66 if
  the folder does not exist, otherwise 70.  program: what messages call it."
  (let ((commands (%model-commands program)))
    (cond ((or (null? words) (member (car words) '("-h" "--help" "help")))
           (%print-commands commands))
          ((assoc (car words) commands)
           => (lambda (entry) (%run-model-command (cdr entry) (cdr words))))
          (else
           (%end-command program (string "unknown command: " (car words))
                         (string "usage: " program
                                 " generate, chat, quantize, bench or transcribe")
                         64)))))

(define (%print-commands commands)
  "Print a line for each command."
  (for-each (lambda (entry) (print (%command-usage (cdr entry)))) commands))

(define (%run-model-command command words)
  "Parse the words of a command, and do its work."
  (if (any (lambda (word) (member word '("-h" "--help"))) words)
      (%print-command-help command)
      (let-values (((plain found) (%parse-words command words)))
        (%check-plain command plain found)
        (%reporting-errors
         command
         (lambda ()
           (case (string->symbol (%model-command-name command))
             ((generate) (%run-generate command plain found))
             ((chat) (%run-chat plain found))
             ((quantize) (%run-quantize command plain found))
             ((bench) (%run-bench plain found))
             ((transcribe) (%run-transcribe command plain found))))))))

(define (%check-plain command plain found)
  "Refuse too few or too many words, and a folder that does not exist."
  (let ((most (if (member (%model-command-name command)
                          '("generate" "quantize"))
                  2
                  1))
        (hears? (equal? (%model-command-name command) "transcribe")))
    (when (null? plain)
      (%usage-error command (if hears?
                                "no audio is given"
                                "no folder is given")))
    (when (> (length plain) most)
      (%usage-error command
                    (string "unexpected argument: " (list-ref plain most))))
    (unless (or (folder? (car plain)) (file-exists? (car plain)))
      (%end-command (%model-command-program command)
                    (string "cannot open " (car plain)
                            ": No such file or directory")
                    (if hears?
                        "it takes a WAV file"
                        "it takes the folder of a model, or a GGUF file")
                    66))))

(define (%reporting-errors command thunk)
  "Call the thunk; an error is printed without a location, and ends the program
  with status 70."
  (guard (e (#t (%end-command (%model-command-program command)
                              (%error-text e (%model-command-options command))
                              (and (error-object? e) (error-object-hint e)
                                   (%naming-options
                                    (%model-command-options command)
                                    (error-object-hint e)))
                              70)))
    (thunk)))

(define (%error-text e options)
  "The message of what was raised, with its irritants; options: of the command."
  (if (error-object? e)
      (apply string (%naming-options options (error-object-message e))
             (append-map (lambda (x) (list " " (format "~s" x)))
                         (error-object-irritants e)))
      (format "uncaught raise: ~s" e)))

;; Models.

(define (%open-model path found)
  "Two values: the model of a folder or file, with the options applied, and its
  tokenizer."
  (let ((threads (%option-ref found :threads #f)))
    (when threads (set-num-threads threads))
    (let ((model (load-llm path :dtype (%option-ref found :dtype #f)
                           :device (%option-ref found :device #f)
                           :bits (%option-ref found :bits #f)
                           :progress (terminal-port? (current-error-port)))))
      (values model (load-tokenizer path)))))

(define %sampling-keys
  '(:max-tokens :temperature :top-k :top-p :min-p :typical-p :greedy
    :repetition-penalty :frequency-penalty :presence-penalty :ignore-eos :seed
    :cache-bits :window :sinks))

(define (%sampling-arguments found)
  "The options for generate as a list of keywords and values."
  (let ((stops (%option-all found :stop)))
    (append
     (append-map (lambda (key)
                   (let ((entry (assq key (reverse found))))
                     (if entry (list key (cdr entry)) '())))
                 %sampling-keys)
     (if (pair? stops) (list :stop stops) '())
     (if (%option-ref found :json-text #f)
         (list :grammar (json-grammar))
         '()))))

;; generate.

(define (%run-generate command plain found)
  "The command generate: print the text as it comes."
  (let*-values (((text) (%prompt-text command plain found))
                ((model tokenizer) (%open-model (car plain) found))
                ((prompt) (%prompt-for tokenizer text found)))
    (if (> (max (%option-ref found :count 1) (%option-ref found :beams 1)) 1)
        (%generate-at-end model tokenizer prompt found)
        (%generate-streaming model tokenizer prompt found))))

(define (%prompt-text command plain found)
  "The prompt: the word after the folder, a file, or the standard input."
  (let ((file (%option-ref found :prompt-file #f))
        (word (and (pair? (cdr plain)) (cadr plain))))
    (when (and file word)
      (%usage-error command "both a prompt and --prompt-file are given"))
    (cond (file (call-with-input-file file port->string))
          ((and word (not (string=? word "-"))) word)
          (else (%without-last-newline (port->string (current-input-port)))))))

(define (%without-last-newline text)
  "A text without the end of its last line, which echo adds."
  (if (string-suffix? "\n" text)
      (substring text 0 (- (string-length text) 1))
      text))

(define (%prompt-for tokenizer text found)
  "What generate takes: the text, or the ids of a chat with one message."
  (let ((system (%option-ref found :system #f)))
    (if (or system (%option-ref found :chat #f))
        (%chat-ids tokenizer (%messages-with system (list (%message "user" text))))
        text)))

(define (%generate-streaming model tokenizer prompt found)
  "Print one text while it is made."
  (let ((result (apply generate-result model tokenizer prompt
                       :stream %print-piece
                       :progress (terminal-port? (current-error-port))
                       (append (%draft-argument found)
                               (%sampling-arguments found)))))
    (newline)
    (when (%option-ref found :stats #f)
      (%print-statistics result))))

(define (%generate-at-end model tokenizer prompt found)
  "Print several texts, or the best of a beam search."
  (let* ((count (%option-ref found :count 1))
         (beams (%option-ref found :beams #f))
         (results (apply generate-result model tokenizer prompt
                         :count count :beams beams
                         (%sampling-arguments found)))
         (results (if (list? results) results (list results))))
    (for-each (lambda (result) (print (generation-text result))) results)
    (when (%option-ref found :stats #f)
      (for-each %print-statistics results))))

(define (%draft-argument found)
  "The model that guesses ahead, as an argument of generate."
  (let ((folder (%option-ref found :draft #f)))
    (cond ((not folder) '())
          ((equal? folder "ngrams") (list :draft 'ngrams))
          (else (list :draft (load-llm folder))))))

(define (%print-piece text)
  "Print a piece of a text at once."
  (write-string text)
  (flush-output-port (current-output-port)))

(define (%print-statistics result)
  "Print how fast a text was made, on stderr."
  (write-string (string (%statistics-text result) "\n") (current-error-port)))

(define (%statistics-text result)
  "42 tokens, first after 0.12 s, 85.1 tokens/s, cache 1.2 MB"
  (let ((statistics (generation-statistics result)))
    (define (statistic name) (cdr (assq name statistics)))
    (string (length (generation-ids result)) " tokens, first after "
            (%short-number (statistic 'first-token-seconds) 2) " s, "
            (%short-number (statistic 'tokens-per-second) 3) " tokens/s, cache "
            (%short-number (/ (statistic 'cache-bytes) 1e6) 2) " MB")))

;; Messages of a chat.

(define (%message role content)
  "A message as chat templates take it."
  (list (cons "role" role) (cons "content" content)))

(define (%messages-with system messages)
  "The messages, with that of the system before them, if there is one."
  (if system (cons (%message "system" system) messages) messages))

(define (%chat-ids tokenizer messages)
  "The tokens of a conversation that the assistant continues.  The template has
  written the special tokens already."
  (encode tokenizer
          (apply-chat-template tokenizer messages :generation-prompt #t)
          :special #f))
