;; steps.lisp - the steps around a tokenizer's model, for vocabularies that do not
;; come with them.
;;
;; Steps are the text of a tokenizer.json without vocabulary, merges and added
;; tokens; ctorch reads them as it reads such files.

(define (%steps normalizer splitter decoder model)
  "Steps of the JSON texts of each; #f for none."
  (format "{\"normalizer\": ~a, \"pre_tokenizer\": ~a, \"decoder\": ~a, \
\"model\": ~a}"
          (or normalizer "null") (or splitter "null") (or decoder "null")
          model))

(define (%in-sequence name steps)
  "Several steps one after the other; name is the key of the list."
  (format "{\"type\": \"Sequence\", ~s: [~a]}" name (string-join steps ", ")))

(define (%byte-steps patterns prefix-space ignore-merges)
  "The steps of byte-level BPE.  patterns: regular expressions, each of which cuts
  the pieces of those before it, or #f for GPT-2's."
  (%steps
   #f
   (if patterns
       (%in-sequence "pretokenizers"
                     (append (if prefix-space
                                 (list (%byte-split #t #f))
                                 '())
                             (map %split-step patterns)
                             (list (%byte-split #f #f))))
       (%byte-split prefix-space #t))
   "{\"type\": \"ByteLevel\"}"
   (format "{\"type\": \"BPE\", \"ignore_merges\": ~a}"
           (json->string (if ignore-merges #t #f)))))

(define (%clip-steps end)
  "The steps of CLIP: lower case, words whose last pieces have a mark.  end: the
  token after a text, which stands for unknown ones, too."
  (%steps
   (%in-sequence
    "normalizers"
    '("{\"type\": \"NFC\"}"
      "{\"type\": \"Replace\", \"pattern\": {\"Regex\": \"\\\\s+\"}, \
\"content\": \" \"}"
      "{\"type\": \"Lowercase\"}"))
   (%in-sequence
    "pretokenizers"
    (list (format "{\"type\": \"Split\", \"pattern\": {\"Regex\": ~a}, \
\"behavior\": \"Removed\", \"invert\": true}"
                  (json->string %clip-pattern))
          (%byte-split #f #t)))
   "{\"type\": \"ByteLevel\"}"
   (format "{\"type\": \"BPE\", \"unk_token\": ~a, \
\"end_of_word_suffix\": \"</w>\"}" (json->string end))))

(define %clip-pattern
  "<\\|startoftext\\|>|<\\|endoftext\\|>|'s|'t|'re|'ve|'m|'ll|'d|[\\p{L}]+|\
[\\p{N}]|[^\\s\\p{L}\\p{N}]+")

(define (%byte-split prefix-space regex)
  "The step that sees a text as bytes."
  (format "{\"type\": \"ByteLevel\", \"add_prefix_space\": ~a, \
\"use_regex\": ~a}"
          (json->string (if prefix-space #t #f)) (json->string regex)))

(define (%split-step pattern)
  "The step that cuts at what a regular expression matches, and between."
  (format "{\"type\": \"Split\", \"pattern\": {\"Regex\": ~a}, \
\"behavior\": \"Isolated\"}"
          (json->string pattern)))

(define (%bert-steps lower accents chinese unknown)
  "The steps of BERT.  lower: whether letters become small; accents: whether they
  are removed; chinese: whether ideographs are words."
  (%steps
   (format "{\"type\": \"BertNormalizer\", \"lowercase\": ~a, \
\"strip_accents\": ~a, \"handle_chinese_chars\": ~a}"
           (json->string lower) (json->string accents) (json->string chinese))
   "{\"type\": \"BertPreTokenizer\"}"
   "{\"type\": \"WordPiece\"}"
   (format "{\"type\": \"WordPiece\", \"unk_token\": ~a}"
           (json->string unknown))))

(define (%spaced-steps)
  "The steps of BPE over characters, where a letter stands for spaces, as Gemma
  has it."
  (%steps
   "{\"type\": \"Replace\", \"pattern\": {\"String\": \" \"}, \
\"content\": \"\x2581;\"}"
   #f
   (%in-sequence "decoders"
                 '("{\"type\": \"Replace\", \"pattern\": \
{\"String\": \"\x2581;\"}, \"content\": \" \"}"
                   "{\"type\": \"ByteFallback\"}"
                   "{\"type\": \"Fuse\"}"))
   "{\"type\": \"BPE\", \"byte_fallback\": true, \"fuse_unk\": true, \
\"unk_token\": \"<unk>\"}"))

(define (%word-steps lower unknown)
  "The steps of words and marks."
  (%steps (and lower "{\"type\": \"Lowercase\"}")
          "{\"type\": \"Whitespace\"}"
          #f
          (format "{\"type\": \"WordLevel\", \"unk_token\": ~a}"
                  (json->string unknown))))
