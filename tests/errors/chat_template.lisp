;; An error in a chat template names its line.
(apply-chat-template #f '((("role" . "user") ("content" . "Hi")))
                     :template "{{ messages[0].role }}\n{{ raise_exception('no users') }}")

; error, status 70:
; chat_template.lisp:2:1: apply-chat-template: line 2 of the template: no users
;   2 | (apply-chat-template #f '((("role" . "user") ("content" . "Hi")))
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
