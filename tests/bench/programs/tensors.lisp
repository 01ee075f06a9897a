;; What makes a program one that uses tensors, without a run that does.
(if (getenv "LAMBENT_BENCH_TENSORS") (print (tensor-sum (tensor-ones 2))))
