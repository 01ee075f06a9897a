;; A folder without a model.
(make-folder "/tmp/lambent-test-empty-folder")
(load-encoder "/tmp/lambent-test-empty-folder")

; error, status 70:
; encoder_without_config.lisp:3:1: load-encoder: "/tmp/lambent-test-empty-folder" is an empty folder
;   3 | (load-encoder "/tmp/lambent-test-empty-folder")
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: a model is a folder with config.json and model.safetensors, or a GGUF file
