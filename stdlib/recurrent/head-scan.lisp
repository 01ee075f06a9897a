;; head-scan.lisp - states of heads, each of which decays as a whole (Dao and Gu
;; 2024): a chunk of time is a few products of matrices.
;;
;;     state'  =  decay state + x (x) b         y  =  state' c

(define (%head-scan x decays b c state)
  "A list of y [n, t, heads, dim] and the last state.  x [n, t, heads, dim],
  logarithms of decays [n, t, heads], b and c [n, t, groups, size]; state [n,
  heads, dim, size] or #f."
  (%in-chunks %scan-chunk state (list x decays b c)))

(define (%scan-chunk state parts)
  "%head-scan of a chunk."
  (let* ((parts (map (lambda (x) (tensor-transpose x 1 2)) parts))
         (x (car parts))                            ; [n, heads, t, dim]
         (sums (tensor-cumsum (cadr parts) -1))              ; [n, heads, t]
         (heads (tensor-size x 1))
         (b (%for-each-head (caddr parts) heads))   ; [n, heads, t, size]
         (c (%for-each-head (cadddr parts) heads))
         (last (tensor-narrow sums -1 (- (tensor-size sums -1) 1) 1))
         (seen (* (tensor-matmul c (tensor-transpose b -2 -1))
                  (%decays-between sums)))
         (y (tensor-matmul seen x))
         (added (tensor-matmul
                 (tensor-transpose x -2 -1)
                 (* b (tensor-unsqueeze (tensor-exp (- last sums)) -1)))))
    (list (tensor-transpose
           (if state
               (+ y (* (tensor-matmul c (tensor-transpose state -2 -1))
                       (tensor-unsqueeze (tensor-exp sums) -1)))
               y)
           1 2)
          (if state
              (+ added (* state (tensor-unsqueeze (tensor-exp last) -1)))
              added))))

(define (%decays-between sums)
  "The decays [..., t, t] from each time to each later one, for sums of
  logarithms [..., t]; zero to earlier ones."
  (let ((differences (- (tensor-unsqueeze sums -1) (tensor-unsqueeze sums -2)))
        (t (tensor-size sums -1)))
    (tensor-exp
     (tensor-masked-fill differences
                         (tensor-triu (tensor-ones t t :dtype 'bool
                                                   :device (tensor-device sums))
                                      1)
                         -inf.0))))
