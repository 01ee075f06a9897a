; Another one.
(print (if))
