(export extra)
(begin (define extra 'extra))
