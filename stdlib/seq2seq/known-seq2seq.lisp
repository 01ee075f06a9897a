;; known-seq2seq.lisp - the models with an encoder and a decoder that the library
;; knows; each is a file of this folder.

(define (%known-seq2seq)
  "Entries (type class build): the \"model_type\" of config.json, the class of
  transformers that reads the model, and the procedure of the settings that
  builds it."
  (list (list "t5" "T5ForConditionalGeneration" %t5-of)
        (list "mt5" "MT5ForConditionalGeneration" %mt5-of)
        (list "bart" "BartForConditionalGeneration" %bart-of)
        (list "mbart" "MBartForConditionalGeneration" %mbart-of)
        (list "marian" "MarianMTModel" %marian-of)
        (list "pegasus" "PegasusForConditionalGeneration" %pegasus-of)
        (list "m2m_100" "M2M100ForConditionalGeneration" %m2m100-of)
        (list "whisper" "WhisperForConditionalGeneration" %whisper-of)))
