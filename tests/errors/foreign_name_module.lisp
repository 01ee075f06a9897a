; A helper in a module of PyTorch's: no operator is called by the rule for names.
(torch.nn.utils.clip_grad_norm_ (list [1.0]) 1.0)

; error, status 70:
; foreign_name_module.lisp:2:2: unbound variable: torch.nn.utils.clip_grad_norm_
;   2 | (torch.nn.utils.clip_grad_norm_ (list [1.0]) 1.0)
;     |  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: write (clip-grad-norm! parameters max-norm)
