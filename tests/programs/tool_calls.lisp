;; The calls of tools in answers, in the forms of Qwen, Llama and Mistral; and
;; what only looks like one.

(define tools
  (list (string->json "{\"type\": \"function\", \"function\": {\"name\": \"weather\"}}")
        '(("name" . "add"))))

(define (shown call)
  (string (hash-ref call "id") " " (tool-call-name call)
          (call-with-output-string
           (lambda (port) (write-json (tool-call-arguments call) port)))))

(define (calls-in text)
  (let-values (((content calls) (parse-tool-calls text :tools tools)))
    (write content)
    (display " ")
    (print (map shown calls))))

;; Qwen and Hermes.
(calls-in "<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>")
; => "" (call00000 weather{"city":"Paris"})
(calls-in "Let me see.\n<tool_call>{\"name\": \"add\", \"arguments\": {\"a\": 1}}</tool_call>
<tool_call>{\"name\": \"b\", \"arguments\": \"{\\\"c\\\": [2]}\"}</tool_call>")
; => "Let me see." (call00000 add{"a":1} call00001 b{"c":[2]})

;; Llama 3.1.
(calls-in " {\"name\": \"weather\", \"parameters\": {\"city\": \"Oslo\"}}")
; => "" (call00000 weather{"city":"Oslo"})
(calls-in "<|python_tag|>{\"name\": \"x\", \"parameters\": {}}; {\"type\": \"function\", \"function\": {\"name\": \"y\"}}")
; => "" (call00000 x{} call00001 y{})
(calls-in "<|python_tag|>brave_search.call(query=\"rain in Oslo\", most=3)")
; => "" (call00000 brave_search{"query":"rain in Oslo","most":3})

;; Mistral, also without its special tokens.
(calls-in "[TOOL_CALLS] [{\"name\": \"weather\", \"arguments\": {\"city\": \"Rome\"}}, {\"name\": \"add\", \"arguments\": {}}]")
; => "" (call00000 weather{"city":"Rome"} call00001 add{})
(calls-in "[TOOL_CALLS]weather[CALL_ID]abc[ARGS]{\"city\": \"Rome\"}[TOOL_CALLS]add{\"a\": 1}")
; => "" (call00000 weather{"city":"Rome"} call00001 add{"a":1})
(calls-in "[{\"name\": \"add\", \"arguments\": {\"a\": 1}}]")
; => "" (call00000 add{"a":1})
(calls-in "weather{\"city\": \"Rome\"}")
; => "" (call00000 weather{"city":"Rome"})

;; No calls: another name, other text beside it, damaged JSON, other types.
(calls-in "{\"name\": \"unknown\", \"parameters\": {}}")
; => "{\"name\": \"unknown\", \"parameters\": {}}" ()
(calls-in "{\"name\": \"add\", \"parameters\": {}} is how it goes")
; => "{\"name\": \"add\", \"parameters\": {}} is how it goes" ()
(calls-in "<tool_call>{\"name\": \"add\", \"arguments\": {</tool_call> sorry")
; => "<tool_call>{\"name\": \"add\", \"arguments\": {</tool_call> sorry" ()
(calls-in "<tool_call>{\"name\": 1}</tool_call>[TOOL_CALLS]")
; => "<tool_call>{\"name\": 1}</tool_call>[TOOL_CALLS]" ()
(calls-in "[TOOL_CALLS]weather[ARGS]") ; => "[TOOL_CALLS]weather[ARGS]" ()
(calls-in "[TOOL_CALLS][1, null]<|python_tag|>x.call(a)<|python_tag|>x.run()")
; => "[TOOL_CALLS][1, null]<|python_tag|>x.call(a)<|python_tag|>x.run()" ()
(calls-in "{\"a\": 1}") ; => "{\"a\": 1}" ()
(calls-in "") ; => "" ()
(calls-in (string "<tool_call>" (make-string 5 #\[))) ; => "<tool_call>[[[[[" ()
(print (call-with-values (lambda () (parse-tool-calls "{\"name\": \"add\"}")) list))
; => ({"name": "add"} ())

;; Calls go back into a conversation.
(define template
  "{% for m in messages %}{{ m.role }}:{% for c in m.tool_calls or [] %}{{ c.id }} {{ c.function.name }} {{ c.function.arguments | tojson }}{% endfor %}{{ m.content }};{% endfor %}")
(let-values (((content calls) (parse-tool-calls "[TOOL_CALLS]add{\"a\": 1}")))
  (print (apply-chat-template
          #f (list '(("role" . "user") ("content" . "1?"))
                   (list (cons "role" "assistant") (cons "content" content)
                         (cons "tool_calls" calls))
                   '(("role" . "tool") ("content" . "2")))
          :template template)))
; => user:1?;assistant:call00000 add {"a": 1};tool:2;

(define (message thunk)
  (guard (e (#t (print (error-object-message e))))
    (thunk)))
(message (lambda () (parse-tool-calls 3)))
; => parse-tool-calls: expected a string, got 3
(message (lambda () (tool-call-name '())))
; => tool-call-name: expected a call of parse-tool-calls, got ()
