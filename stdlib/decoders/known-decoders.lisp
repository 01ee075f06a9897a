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
        (list "gemma3_text" "Gemma3ForCausalLM" %gemma3-of)
        (list "smollm3" "SmolLM3ForCausalLM" %smollm3-of)
        (list "olmo2" "Olmo2ForCausalLM" %olmo2-of)
        (list "olmo3" "Olmo3ForCausalLM" %olmo3-of)
        (list "granite" "GraniteForCausalLM" %granite-of)
        (list "granitemoe" "GraniteMoeForCausalLM" %granite-moe-of)
        (list "granitemoeshared" "GraniteMoeSharedForCausalLM"
              %granite-moe-of)
        (list "glm" "GlmForCausalLM" %glm-of)
        (list "glm4" "Glm4ForCausalLM" %glm4-of)
        (list "cohere" "CohereForCausalLM" %cohere-of)
        (list "cohere2" "Cohere2ForCausalLM" %cohere2-of)
        (list "starcoder2" "Starcoder2ForCausalLM" %starcoder2-of)
        (list "stablelm" "StableLmForCausalLM" %stablelm-of)
        (list "nemotron" "NemotronForCausalLM" %nemotron-of)
        (list "exaone4" "Exaone4ForCausalLM" %exaone4-of)
        (list "ernie4_5" "Ernie4_5ForCausalLM" %ernie-of)
        (list "ernie4_5_moe" "Ernie4_5_MoeForCausalLM" %ernie-moe-of)
        (list "seed_oss" "SeedOssForCausalLM" %seed-oss-of)
        (list "arcee" "ArceeForCausalLM" %arcee-of)
        (list "apertus" "ApertusForCausalLM" %apertus-of)
        (list "helium" "HeliumForCausalLM" %helium-of)
        (list "ministral" "MinistralForCausalLM" %ministral-of)
        (list "ministral3" "Ministral3ForCausalLM" %ministral3-of)
        (list "hunyuan_v1_dense" "HunYuanDenseV1ForCausalLM" %hunyuan-of)
        (list "phi" "PhiForCausalLM" %phi-of)
        (list "phi3" "Phi3ForCausalLM" %phi3-of)
        (list "gpt2" "GPT2LMHeadModel" %gpt2-of)))

(define (%known-architectures)
  "The architectures that load-llm knows."
  (map (lambda (entry) (architecture (car entry) (caddr entry)))
       (%known-decoders)))
