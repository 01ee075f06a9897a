(DEFINE Part-Two 2)
(Define Folded '(A |B| #\C))
