;; settings-errors.lisp - errors about the settings of a model, which say where
;; the settings are.

;; Errors name the file of the settings; its reader puts the name here.
(define %settings-source (make-parameter #f))

(define %settings-hint
  "config.json must be the one that was saved with the weights")

(define (%settings-error what . values)
  "Raise an error about settings: `what` after the name of their file."
  (let ((source (%settings-source)))
    (if source
        (%error-with-hint (string source ": " what) values %settings-hint)
        (apply error (string "language model: " what) values))))

(define (%bad-setting key expected value)
  "Raise the error for a setting with the wrong value."
  (%settings-error (format "expected ~a for the setting ~s, got ~a" expected key
                           (%shown-setting value))))

(define (%shown-setting value)
  "A value as messages show it: the beginning of its JSON text."
  (let ((text (guard (e (#t (format "~s" value)))     ; it is not from a file
                (call-with-output-string
                 (lambda (port) (write-json value port))))))
    (if (> (string-length text) 60)
        (string (substring text 0 60) "...")
        text)))
