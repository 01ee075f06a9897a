;; line-editing.lisp - lines that a person types, with a history that is kept.
;;
;;     (edit-line "you> " :history "chat")   the line, the end-of-file object,
;;                                           or #f after Ctrl-C
;;
;; The editor is the one of the REPL; in executables it is the machine's editing
;; library, which is opened if it is installed.  The history is a file of lines
;; in the folder of the user's state, which both share.

(define %longest-history 1000)   ; lines that are read from the file
(define %loaded-histories '())   ; names of those that the editor has

(define (edit-line prompt :history #f)
  "A line that the user types after the prompt, without its end.

  On a terminal it can be edited, and the arrow keys bring back earlier lines.
  history: a name; the lines are then kept for the next run under that name, in
  $XDG_STATE_HOME/lambent (~/.local/state/lambent).

  Returns the end-of-file object at the end of the input (Ctrl-D), and #f if
  Ctrl-C is pressed.  Elsewhere than on a terminal it is the next line of the
  standard input, and the prompt is not shown."
  (unless (string? prompt)
    (wrong-type "edit-line" "a string" prompt))
  (unless (or (not history) (string? history))
    (wrong-type "edit-line" "a string or #f as :history" history))
  (when history (%load-history history))
  (let ((line (%edit-line prompt)))
    (when (and (string? line) (not (string-null? (string-trim line))))
      (%remember-line line)
      (when history (%keep-line history line)))
    line))

(define (%history-folder)
  "Where histories are kept; #f without a folder of the user."
  (let ((state (getenv "XDG_STATE_HOME")) (user (getenv "HOME")))
    (cond ((and state (not (string-null? state))) (string state "/lambent"))
          ((and user (not (string-null? user)))
           (string user "/.local/state/lambent"))
          (else #f))))

(define (%history-path name)
  "The file of a history, or #f."
  (let ((folder (%history-folder)))
    (and folder (string folder "/" name "-history"))))

(define (%load-history name)
  "Give the lines of a history's file to the editor, once.  A file that cannot
  be read counts as empty."
  (unless (member name %loaded-histories)
    (set! %loaded-histories (cons name %loaded-histories))
    (when (%edits-lines?)
      (let ((lines (%history-lines (%history-path name))))
        (for-each %remember-line
                  (drop lines (max 0 (- (length lines) %longest-history))))))))

(define (%edits-lines?)
  "Whether a person types, and sees what is printed."
  (and (%terminal-columns (current-output-port)) #t))

(define (%history-lines path)
  "The lines of a file, or none."
  (guard (e (#t '()))
    (call-with-input-file path
      (lambda (port)
        (let loop ((lines '()))
          (let ((line (read-line port)))
            (if (eof-object? line)
                (reverse lines)
                (loop (cons line lines)))))))))

(define (%keep-line name line)
  "Add a line to a history's file, if that can be written."
  (when (%edits-lines?)
    (guard (e (#t #f))
      (make-folder (%history-folder))
      (call-with-port (open-output-file (%history-path name) :append #t)
        (lambda (port) (write-string line port) (newline port))))))
