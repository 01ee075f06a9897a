;; What a model thinks stands apart from its answer.

(define (show text begun)
  (call-with-values (lambda () (parse-reasoning text :begun begun))
    (lambda (answer reasoning) (write (list answer reasoning)) (newline))))
(show "<think>\nA b\n</think>\n\nHi" #f)  ; => ("Hi" "A b")
(show "A b\n</think>\n\nHi" #t)  ; => ("Hi" "A b")
(show "Hi <think>x</think>" #f)  ; => ("Hi <think>x</think>" "")
(show " <thi" #f)  ; => (" <thi" "")
(show "<think>never" #f)  ; => ("" "never")
(show "" #t)  ; => ("" "")
(show "</think>x" #t)  ; => ("x" "")
(show "<think></think>\n" #f)  ; => ("" "")
