;; char-gpt.lisp - a GPT that learns to write from this project's own
;; documentation, character by character.
;;
;;   lambent examples/char-gpt.lisp [STEPS [FILE]]
;;   lambent compile examples/char-gpt.lisp -o char-gpt && ./char-gpt 3000
;;
;; After 300 steps, a few seconds, words have shapes; after 3,000, half a
;; minute, many of them exist.  FILE is where the model is saved, for
;; adapt.lisp.

(import "lib/gpt.lisp")

(define arguments (cdr (command-line)))
(define steps (if (pair? arguments) (string->number (car arguments)) 2000))

(define text (read-folder (folder-beside-program "docs") ".md"))
(define vocabulary (char-vocabulary text))
(define tokens (encode-text vocabulary text))                   ; [characters]

(manual-seed 1)
(define model (gpt (vocabulary-size vocabulary) 64))
(define optimizer (adamw (parameters model) :lr 2e-3))

(print (vocabulary-size vocabulary) "characters,"
       (parameter-count model) "parameters")
(train-gpt model optimizer tokens steps :every (max 1 (quotient steps 10)))
(print "loss of the whole text" (two-decimals (text-loss model tokens)))
(print (continue-text model vocabulary "A tensor is " 200))

(when (> (length arguments) 1)
  (save-model (cadr arguments) model)
  (print "saved" (cadr arguments)))
