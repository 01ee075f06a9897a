; A bracket closed by the other kind.
(print [1 2)
