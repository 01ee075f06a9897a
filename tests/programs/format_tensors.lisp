; ~f takes a tensor of one element for its element.
(print (format "~,3f ~f ~,1f" (tensor 0.25) (tensor-sum [1 2]) [2.0])) ; => 0.250 3 2.0
(print (format "~,2f ~a" (tensor-mean [1.0 2.0]) [1.0 2.0])) ; => 1.50 [1.0 2.0]
(print (guard (e (#t (error-object-message e))) (format "~,2f" [1.0 2.0]))) ; => format: expected a tensor of one element, got a tensor float32 (2)
(print (guard (e (#t (error-object-message e))) (format "~d" [1.0]))) ; => format: expected a number for ~d at index 0, got a tensor float32 (1)
