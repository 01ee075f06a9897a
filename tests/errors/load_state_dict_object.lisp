; A pickle that names what only Python can make.
(load-state-dict "data/counter.pt")

; error, status 70:
; load_state_dict_object.lisp:2:1: load-state-dict: "data/counter.pt", byte 128: it holds a collections.Counter, which only Python can create
;   2 | (load-state-dict "data/counter.pt")
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: in Python, save model.state_dict(), or use safetensors
