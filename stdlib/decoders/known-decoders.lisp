;; known-decoders.lisp - the architectures of language models that the library
;; knows; each is a file of this folder.

(define (%known-decoders)
  "Entries (type class build): the \"model_type\" of config.json, the class of
  transformers that reads the model, and the procedure of the settings that
  builds it."
  (list (list "llama" "LlamaForCausalLM" %llama-of)
        (list "mistral" "MistralForCausalLM" %llama-of)
        (list "mixtral" "MixtralForCausalLM" %mixtral-of)
        (list "qwen2" "Qwen2ForCausalLM" %qwen2-of)
        (list "qwen3" "Qwen3ForCausalLM" %qwen3-of)
        (list "qwen2_moe" "Qwen2MoeForCausalLM" %qwen2-moe-of)
        (list "qwen3_moe" "Qwen3MoeForCausalLM" %qwen3-moe-of)
        (list "gemma" "GemmaForCausalLM" %gemma-of)
        (list "gemma2" "Gemma2ForCausalLM" %gemma2-of)
        (list "phi" "PhiForCausalLM" %phi-of)
        (list "phi3" "Phi3ForCausalLM" %phi3-of)
        (list "gpt2" "GPT2LMHeadModel" %gpt2-of)
        (list "gpt_neox" "GPTNeoXForCausalLM" %gpt-neox-of)
        (list "gptj" "GPTJForCausalLM" %gptj-of)
        (list "falcon" "FalconForCausalLM" %falcon-of)
        (list "opt" "OPTForCausalLM" %opt-of)
        (list "bloom" "BloomForCausalLM" %bloom-of)
        (list "mpt" "MptForCausalLM" %mpt-of)))

(define (%known-architectures)
  "The architectures that load-llm knows."
  (map (lambda (entry) (architecture (car entry) (caddr entry)))
       (%known-decoders)))
