; Brackets that do not line up; what tensors do at run time.
(define rows 2)
(print [[1 rows] [3]])
