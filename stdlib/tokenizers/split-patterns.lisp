;; split-patterns.lisp - how families of models split texts into words, before the
;; model of the tokenizer sees them.
;;
;; They stand in the models' own tokenizer.json; GGUF files name them only.  A
;; family is its name, and regular expressions, each of which cuts the pieces of
;; those before it.

(define (%split-patterns)
  "The regular expressions of each family."
  (let* ((endings "(?i:'s|'t|'re|'ve|'m|'ll|'d)")
         (rest "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+")
         (marks "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|")
         (words (string endings "|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|"))
         (gpt2 "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+\
|\\s+(?!\\S)|\\s+")
         (upper "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]")
         (lower "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]")
         (cased (lambda (ending)
                  (string "[^\\r\\n\\p{L}\\p{N}]?" upper "*" lower "+" ending
                          "|[^\\r\\n\\p{L}\\p{N}]?" upper "+" lower "*" ending
                          "|")))
         (slashes "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|")
         (deepseek (string "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|\
[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\\r\\n]*|" rest)))
    `((gpt2 ,gpt2)
      (llama3 ,(string words "\\p{N}{1,3}" marks rest))
      (qwen2 ,(string words "\\p{N}" marks rest))
      (qwen35 ,(string endings "|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}\
| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|" rest))
      (gpt4o ,(string (cased (string endings "?")) "\\p{N}{1,3}" slashes rest))
      (tekken ,(string (cased "") "\\p{N}" slashes rest))
      (cl100k ,(string "'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}++|\
\\p{N}{1,3}+| ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*+|\\s++$|\\s*[\\r\\n]|\\s+(?!\\S)|\\s"))
      (digits "\\p{N}" ,gpt2)
      (falcon "[\\p{P}$+<=>^~|`]+" ,gpt2 "[0-9][0-9][0-9]")
      (plain "[\\p{P}$+<=>^~|]+" ,gpt2 "\\p{N}+" "[0-9][0-9][0-9]")
      (deepseek-llm "[\\r\\n]" "\\s?[\\p{Lu}\\p{Ll}\\p{Lt}]+"
                    "\\s?[!-/:-~\xff01;-\xff0f;\xff1a;-\xff5e;\x2018;-\x201f;\
\x3000;-\x3002;]+"
                    "\\s+$" "[\x4e00;-\x9fa5;\x800;-\x4e00;\xac00;-\xd7ff;]+"
                    "\\p{N}+")
      (deepseek-coder "[\\r\\n]" "\\s?\\p{L}+" "\\s?\\p{P}+"
                      "[\x4e00;-\x9fa5;\x800;-\x4e00;\xac00;-\xd7ff;]+"
                      "\\p{N}")
      (deepseek-v3 "\\p{N}{1,3}" "[\x4e00;-\x9fa5;\x3040;-\x309f;\x30a0;-\x30ff;]+"
                   ,deepseek)
      (bloom " ?[^(\\s|.,!?\x2026;\x3002;\xff0c;\x3001;\x964;\x6d4;\x60c;)]+")
      (viking " ?[^(\\s|.,!?\x2026;\x3002;\xff0c;\x3001;\x964;\x6d4;\x60c;)]+"
              "\\p{N}")
      (bailing ,(string "'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}+|\
\\p{N}| ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+"))
      (seed-coder ,(string words "\\p{N}{1}| ?[^\\s\\p{L}\\p{N}\\r\\n]+|" rest))
      (superbpe "\\p{N}+" "(?=(\\d{3})+(?!\\d))")
      (tiny-aya "\\d{1,3}(?=(?:\\d{3})*\\b)"
                ,(string (cased (string endings "?")) "\\p{N}{1,3}" slashes
                         rest))
      (exaone-moe ,(string endings "|[^\\r\\n\\p{L}\\p{N}]?\
(?:\\p{L}\\p{M}*(?: \\p{L}\\p{M}*)*)+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]?|\
\\s*[\\r\\n]|\\s+(?!\\S)|\\s+"))
      (minicpm5 "\\p{N}{1,3}"
                ,(string words "\\p{N}+" marks rest)))))

(define (%split-pattern who pattern)
  "The regular expressions that a name, a string or a list of strings stands for;
  #f for GPT-2's, which ctorch has."
  (let ((known (and (symbol? pattern) (assq pattern (%split-patterns)))))
    (cond ((eq? pattern 'gpt2) #f)
          (known (cdr known))
          ((and (string? pattern) (not (string=? pattern ""))) (list pattern))
          ((and (pair? pattern) (every string? pattern)) pattern)
          (else
           (wrong-type who "gpt2, llama3, qwen2 or a string as the pattern"
                       pattern)))))
