;; reasoning.lisp - what a model thinks before it answers, apart from the answer.
;;
;;     <think>Tensors are arrays.</think>  A tensor is an array.
;;
;; The chat template may write the first mark itself; then the text begins
;; inside the reasoning.  Texts come in pieces, so what may yet become a mark,
;; and white space before one, is held back.

(define %reasoning-start "<think>")
(define %reasoning-end "</think>")

(define-record-type %reasoning-splitter
  (%make-reasoning-splitter state held)
  %reasoning-splitter?
  ; start, entered (inside, but no character yet), inside, gap (behind the mark,
  ; likewise), answer
  (state %splitter-state %set-splitter-state!)
  (held %splitter-held %set-splitter-held!))

(define (parse-reasoning text :begun #f)
  "The answer in the text of a model, and what it thought before: two values.
  The reasoning stands between <think> and </think> at the beginning, and is the
  empty string if there is none; begun: whether the chat template has written
  the first mark."
  (%check-string "parse-reasoning" text)
  (let-values (((reasoning answer)
                (%split-reasoning! (%new-reasoning-splitter begun) text #t)))
    (values answer reasoning)))

(define (%new-reasoning-splitter begun)
  (%make-reasoning-splitter (if begun 'entered 'start) ""))

(define (%split-reasoning! splitter piece last?)
  "The parts of one more piece of text that are certain: two values, reasoning
  and answer.  last?: whether no piece follows."
  (let loop ((text (string (%splitter-held splitter) piece)) (reasoning ""))
    (define (become state text)
      (%set-splitter-state! splitter state)
      (loop text reasoning))
    (define (hold certain held answer)
      (%set-splitter-held! splitter (if last? "" held))
      (values (string reasoning certain) answer))
    (let ((trimmed (string-trim-left text)))
      (case (%splitter-state splitter)
        ((start)
         (cond ((string-prefix? %reasoning-start trimmed)
                (become 'entered (%behind-mark trimmed %reasoning-start)))
               ((and (not last?) (string-prefix? trimmed %reasoning-start))
                (hold "" text ""))
               (else (become 'answer text))))
        ((entered)
         (if (string-null? trimmed) (hold "" "" "") (become 'inside trimmed)))
        ((inside)
         (let ((end (string-contains text %reasoning-end)))
           (cond (end
                  (%set-splitter-state! splitter 'gap)
                  (loop (string-drop text (+ end (string-length
                                                  %reasoning-end)))
                        (string reasoning
                                (string-trim-right (string-take text end)))))
                 (last? (hold (string-trim-right text) "" ""))
                 (else
                  (let ((safe (%reasoning-certain text)))
                    (hold (string-take text safe) (string-drop text safe)
                          ""))))))
        ((gap)
         (if (string-null? trimmed) (hold "" "" "") (become 'answer trimmed)))
        (else (hold "" "" text))))))

(define (%behind-mark text mark)
  "The text behind a mark at its beginning."
  (string-drop text (string-length mark)))

(define (%reasoning-certain text)
  "How many characters are certainly reasoning: not the beginning of the mark at
  the end, nor white space before it."
  (string-length
   (string-trim-right
    (string-drop-right text (%begun-length text %reasoning-end)))))
