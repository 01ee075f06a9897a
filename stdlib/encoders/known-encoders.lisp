;; known-encoders.lisp - the encoders that the library knows; each family is a
;; file of this folder.

(define (%known-encoders)
  "Entries (type class build): the \"model_type\" of config.json, what the names
  of its classes in transformers begin with, and the procedure of the settings
  that builds the encoder."
  (list (list "bert" "Bert" %bert-of)
        (list "roberta" "Roberta" %roberta-of)
        (list "xlm-roberta" "XLMRoberta" %roberta-of)
        (list "camembert" "Camembert" %roberta-of)
        (list "roberta-prelayernorm" "RobertaPreLayerNorm"
              %roberta-prelayernorm-of)
        (list "distilbert" "DistilBert" %distilbert-of)
        (list "electra" "Electra" %electra-of)
        (list "albert" "Albert" %albert-of)
        (list "mpnet" "MPNet" %mpnet-of)
        (list "deberta-v2" "DebertaV2" %deberta-of)
        (list "modernbert" "ModernBert" %modernbert-of)
        (list "nomic_bert" "NomicBert" %nomic-of)
        (list "gte" "Gte" %gte-of)
        (list "jina_embeddings_v3" "JinaEmbeddingsV3" %jina-of)
        (list "eurobert" "EuroBert" %eurobert-of)))

(define (%encoder-entry type)
  "The entry of a model_type, or #f."
  (assoc type (%known-encoders)))

(define (%encoder-builder config architectures)
  "The procedure that builds an encoder from its settings.  architectures: those
  of the program, which come first."
  (let* ((type (config-ref config "model_type" 'null))
         (own (find (lambda (each) (equal? (%architecture-type each) type))
                    architectures))
         (entry (%encoder-entry type)))
    (cond (own (%architecture-build own))
          (entry (caddr entry))
          (else
           (%bad-setting "model_type"
                         (string "one of "
                                 (string-join (map car (%known-encoders)) ", "))
                         type)))))
