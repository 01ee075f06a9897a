;; tensor-shapes.lisp - LispETorch's operators that rearrange tensors, select
;; from them, sort and draw.

;; Shapes and indices.

(define (tensor_transpose x dim0 dim1)
  "Two dimensions exchanged."
  (tensor-transpose x dim0 dim1))

(define (tensor_reshape x shape)
  "The elements in another shape."
  (tensor-reshape x (%sizes shape)))

(define (tensor_contiguous x)
  "The tensor with its elements in order in memory."
  (tensor-contiguous x))

(define (tensor_unsqueeze x dim)
  "The tensor with a dimension of size 1 more."
  (tensor-unsqueeze x dim))

(define (tensor_squeeze x dim)
  "The tensor without a dimension of size 1."
  (tensor-squeeze x dim))

(define (tensor_slice x dim start end)
  "The elements from start up to end along a dimension."
  (tensor-slice x dim start end))

(define (torch_tensor_slice x . arguments)
  "tensor_slice; (torch_tensor_slice x start end) takes the last dimension of a
  batch, and its end is within: -1 is the last element."
  (if (= (length arguments) 3)
      (apply tensor_slice x arguments)
      (let* ((dim (min 1 (- (tensor-rank x) 1)))
             (end (cadr arguments))
             (past (if (= end -1) (tensor-size x dim) (+ end (if (< end 0) 1 0)))))
        (tensor-slice x dim (car arguments) past))))

(define (tensor_select x dim k)
  "The elements at an index of a dimension, which goes away."
  (unless (< (- -1 (tensor-size x dim)) k (tensor-size x dim)) (%out-of-bounds))
  (tensor-select x dim k))

(define (tensor_cat tensors dim)
  "Tensors one after the other along a dimension."
  (tensor-cat (%elements tensors) dim))

(define (tensor_stack tensors . dim)
  "Tensors side by side along a new dimension (0)."
  (tensor-stack (%elements tensors) (%option dim 0 0)))

(define (tensor_triu x . diagonal)
  "The part from a diagonal up, zeros below."
  (tensor-triu x (%option diagonal 0 0)))

(define (tensor_tril x . diagonal)
  "The part up to a diagonal, zeros above."
  (tensor-tril x (%option diagonal 0 0)))

(define (tensor_set_item x indices value)
  "A copy of a tensor in which the element at the indices, up to 4, is a value."
  (let ((keys (%sizes indices)))
    (when (> (length keys) (min 4 (tensor-rank x)))
      (%fail "tensor_set_item: " (length keys) " indices for "
             (tensor-rank x) " dimensions"))
    (for-each (lambda (k size)
                (unless (< (- -1 size) k size) (%out-of-bounds)))
              keys (take (tensor-shape x) (length keys)))
    (apply tensor-set! (tensor-clone x) (append keys (list value)))))

(define (tensor_gather x dim index)
  "The elements of x at the indices along a dimension."
  (tensor-gather x dim index))

(define (tensor_masked_fill_ x mask value)
  "Put a value where a mask is true or not 0; changes x and returns it."
  (no-grad (tensor-masked-fill! x (%mask mask) value)))

(define (%mask mask)
  "A mask of booleans."
  (if (eq? (tensor-dtype mask) 'bool) mask (tensor-ne mask 0)))

(define (torch_index_put_ x indices value)
  "Put a value at the indices of the first dimension; changes x and returns it."
  (no-grad
    (tensor-index-put! x (list (tensor (%sizes indices) :dtype 'int64))
                       (if (number? value)
                           (tensor value :dtype (tensor-dtype x))
                           (tensor-to value (tensor-dtype x))))))

(define (torch_where mask a b)
  "a where a mask is true, b elsewhere."
  (tensor-where (%mask mask) a b))

(define (torch_ge a b)
  "Whether each element of a is at least b."
  (tensor-ge a b))

;; Sorting and sampling.

(define (torch_topk x k . options)
  "(values indices) of the k greatest elements along a dimension (the last), or
  of the least if largest is false."
  (let ((dim (if (pair? options) (car options) -1))
        (largest (or (< (length options) 2) (%true? (cadr options)))))
    (%new-list 'list (tensor-topk x k dim largest))))

(define (torch_sort x . options)
  "(values indices) in order along a dimension (the last): (torch_sort x dim
  descending), or (torch_sort x descending)."
  (let* ((dims (filter number? options))
         (flags (remove number? options)))
    (%new-list 'list (tensor-sort x (if (pair? dims) (car dims) -1)
                                  (and (pair? flags) (%true? (car flags)))))))

(define (torch_multinomial probabilities count . replacement)
  "Indices drawn with probabilities, int64."
  (tensor-multinomial probabilities count
                      (and (pair? replacement) (%true? (car replacement)))))
