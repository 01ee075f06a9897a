; The losses, called as programs call them, and what they say about wrong
; arguments.
(define logits [[1.0 2.0 3.0] [3.0 2.0 1.0]])

; One loss of each family; equality with PyTorch is tested elsewhere.
(print (cross-entropy logits [2 0]))  ; => 0.4076
(print (cross-entropy logits [2 0] :reduction 'none))  ; => [0.4076 0.4076]
(print (cross-entropy logits [2 1] :ignore-index 1 :label-smoothing 0.1))  ; => 0.5076
(print (cross-entropy [1.0 2.0] (tensor 1) :reduction "sum"))  ; => 0.3133
(print (nll-loss (tensor-log-softmax logits 1) [2 0]))  ; => 0.4076
(print (mse-loss [1.0 2.0] [2.0 4.0]))  ; => 2.5
(print (l1-loss [1.0 2.0] [2.0 4.0] :weight [1.0 3.0]))  ; => 1.75
(print (gaussian-nll-loss [1.0] [2.0] 1.0))  ; => 0.5
(print (kl-div [[-1.0 -1.0]] [[0.5 0.5]] :reduction 'batchmean))  ; => 0.3069
(print (ctc-loss (tensor-log-softmax logits 1) [1] 2 1))  ; => 1.4076
(print (ctc-loss (tensor-unsqueeze (tensor-log-softmax logits 1) 1) [[1]] '(2) '(1)))  ; => 1.4076
(print (triplet-margin-with-distance-loss
        [[0.0]] [[1.0]] [[3.0]] :margin 4.0
        :distance-function (lambda (x y) (tensor-sum (abs (- x y)) 1))))  ; => 2.0

; Wrong arguments.
(define-syntax fails
  (syntax-rules ()
    ((_ expression)
     (guard (e (#t (apply print (error-object-message e)
                          (error-object-irritants e))))
       (print expression)))))
(fails (cross-entropy logits [0 7]))  ; => cross-entropy: target 7 is out of range for 3 classes: got logits float32 (2 3), targets int64 (2)
(fails (cross-entropy logits [0 -1] :ignore-index 0))  ; => cross-entropy: target -1 is out of range for 3 classes: got logits float32 (2 3), targets int64 (2)
(fails (cross-entropy logits [0 1 2]))  ; => cross-entropy: expected targets of shape (2) for logits float32 (2 3), got (3)
(fails (cross-entropy (tensor-ones 2 4 3) (tensor-ones 2 4 :dtype 'int64)))  ; => cross-entropy: expected targets of shape (2 3) for logits float32 (2 4 3), got (2 4)
(fails (cross-entropy logits [0.0 1.0]))  ; => cross-entropy: expected indices of classes, of int64, got targets float32 (2)
(fails (cross-entropy [2 0] logits))  ; => cross-entropy: logits and targets are swapped: got logits int64 (2), targets float32 (2 3)
(fails (cross-entropy logits [[0 0 1] [1 0 0]]))  ; => cross-entropy: expected indices of classes in shape (2), got targets int64 (2 3) for logits float32 (2 3)
(fails (cross-entropy logits [[0] [1]]))  ; => cross-entropy: expected targets without a dimension of classes, got targets int64 (2 1) for logits float32 (2 3)
(fails (cross-entropy logits [[0.5 0.5] [1.0 0.0]]))  ; => cross-entropy: logits (2 3) and targets (2 2), probabilities of classes, differ in shape
(fails (cross-entropy logits [0 1] :weight [1.0 2.0]))  ; => cross-entropy: expected weight of shape (3), got (2)
(fails (cross-entropy logits [0 1] :reduction 'average))  ; => cross-entropy: expected 'none, 'mean or 'sum for :reduction, got average
(fails (cross-entropy logits [0 1] :label-smoothing 2))  ; => cross-entropy: expected a number from 0 to 1 for :label-smoothing, got 2
(fails (cross-entropy logits '(0 1)))  ; => cross-entropy: expected a tensor for targets, got (0 1)
(fails (cross-entropy (tensor 1.0) (tensor 1)))  ; => cross-entropy: expected logits with a dimension of classes, got a tensor of one number
(fails (nll-loss logits [3 0]))  ; => nll-loss: target 3 is out of range for 3 classes: got log-probabilities float32 (2 3), targets int64 (2)
(fails (mse-loss (tensor-ones 4 1) (tensor-ones 4)))  ; => mse-loss: predictions (4 1) and targets (4) differ in shape
(fails (mse-loss [1.0 2.0] [1 2]))  ; => mse-loss: expected floating-point numbers for targets, got int64 (2)
(fails (huber-loss [1.0] [2.0] :delta 0))  ; => huber-loss: expected a positive number for :delta, got 0
(fails (binary-cross-entropy [0.5 3.0] [0.0 1.0]))  ; => binary-cross-entropy: expected numbers from 0 to 1 for probabilities, got 3.0
(fails (binary-cross-entropy-with-logits [0.5 3.0] [#t #f]))  ; => binary-cross-entropy-with-logits: expected floating-point numbers for targets, got bool (2)
(fails (gaussian-nll-loss [1.0] [2.0] [-1.0]))  ; => gaussian-nll-loss: variances has negative elements: got variances float32 (1)
(fails (kl-div [0.5] [0.5] :reduction "median"))  ; => kl-div: expected 'none, 'mean, 'sum or 'batchmean for :reduction, got median
(fails (soft-margin-loss [1.0 2.0] [#t #f]))  ; => soft-margin-loss: expected labels 1 and -1, got labels bool (2)
(fails (margin-ranking-loss [1.0 2.0] [1.0 3.0] [1]))  ; => margin-ranking-loss: first (2) and labels (1) differ in shape
(fails (multi-margin-loss logits [0 3]))  ; => multi-margin-loss: target 3 is out of range for 3 classes: got scores float32 (2 3), targets int64 (2)
(fails (multilabel-margin-loss logits [0 3]))  ; => multilabel-margin-loss: expected targets of int64 (2 3), got int64 (2)
(fails (multilabel-margin-loss logits [[0 5 -1] [0 -1 1]]))  ; => multilabel-margin-loss: target 5 is out of range for 3 classes: got scores float32 (2 3), targets int64 (2 3)
(fails (cosine-embedding-loss logits logits [1]))  ; => cosine-embedding-loss: expected a label for each of 2 vectors, got labels (1)
(fails (ctc-loss (tensor-log-softmax logits 1) [5] 2 1))  ; => ctc-loss: target 5 is out of range for 3 classes
(fails (ctc-loss (tensor-log-softmax logits 1) [1] 2 1 :blank 3))  ; => ctc-loss: expected the index of one of 3 classes for :blank, got 3
