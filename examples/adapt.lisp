;; adapt.lisp - fine-tuning with low-rank adapters: the GPT that has read this
;; project's documentation learns to write Lisp.
;;
;;   lambent examples/char-gpt.lisp 3000 gpt.safetensors
;;   lambent examples/adapt.lisp 500 gpt.safetensors
;;
;; Without the file, a small model reads the documentation first.  Only the
;; adapters learn: a fraction of the model, saved in a folder of its own.

(import "lib/gpt.lisp")

(define arguments (cdr (command-line)))
(define steps (if (pair? arguments) (string->number (car arguments)) 500))

(define docs (read-folder (folder-beside-program "docs") ".md"))
(define programs (read-folder (folder-beside-program "examples") ".lisp"))
(define vocabulary (char-vocabulary docs))
(define space (tensor-item (encode-text vocabulary " ")))
(define lisp (encode-text vocabulary programs :unknown space))

(manual-seed 1)
(define model (gpt (vocabulary-size vocabulary) 64))
(if (> (length arguments) 1)
    (load-model! (cadr arguments) model)
    (train-gpt model (adamw (parameters model) :lr 2e-3)
               (encode-text vocabulary docs) steps :every 100))

(print "before: loss on programs" (two-decimals (text-loss model lisp)))

(lora! model :targets '("qkv" "out" "mlp.0" "mlp.2") :rank 4 :alpha 8)
(define adapters (filter requires-grad? (parameters model)))
(print "learning" (fold + 0 (map tensor-numel adapters)) "of"
       (parameter-count model) "parameters")
(train-gpt model (adam adapters :lr 5e-3) lisp steps :every 100)

(print "after: loss on programs" (two-decimals (text-loss model lisp)))
(merge-lora! model)
(print (continue-text model vocabulary "(define (" 120))
