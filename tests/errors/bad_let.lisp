; A special form that is not well formed.
(let ((x)) x)
