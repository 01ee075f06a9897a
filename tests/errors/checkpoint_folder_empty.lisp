; A folder without checkpoints.
(load-checkpoint! "data" :model (linear 2 1))

; error, status 70:
; checkpoint_folder_empty.lisp:2:1: load-checkpoint!: "data" has no undamaged checkpoint
;   2 | (load-checkpoint! "data" :model (linear 2 1))
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: latest-checkpoint returns #f for such a folder
