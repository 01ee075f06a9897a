;; A file that is not one of SentencePiece.
(call-with-output-file "/tmp/lambent-test-damaged.model"
  (lambda (port) (write-string "not a model" port)))
(load-tokenizer "/tmp/lambent-test-damaged.model")

; error, status 70:
; sentencepiece_damaged.lisp:4:1: load-sentencepiece: "/tmp/lambent-test-damaged.model": SentencePiece cannot read it: it is not a complete file of that format (byte 1)
;   4 | (load-tokenizer "/tmp/lambent-test-damaged.model")
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
