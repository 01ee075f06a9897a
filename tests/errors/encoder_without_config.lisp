;; A folder without a model.
(make-folder "/tmp/lambent-test-empty-folder")
(load-encoder "/tmp/lambent-test-empty-folder")

; error, status 70:
; encoder_without_config.lisp:3:1: load-encoder: "/tmp/lambent-test-empty-folder" has no config.json
;   3 | (load-encoder "/tmp/lambent-test-empty-folder")
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: a folder in Hugging Face's layout has config.json and model.safetensors
