"""Gradients: recording operations, and computing gradients.

The rest is Lisp, in stdlib/tensor/autograd.lisp.  `backward` and `gradients` may call procedures of
the program, those of `custom-gradient`.  They, `%try` and `%try-escape` are the only primitives
that call any.
"""

from lambent.lang.primitives.table import primitive

# Recording.

primitive("requires-grad!", "(x: tensor, on: value = #t) -> tensor", "bridge_requires_grad",
          "Record what is computed from x, or stop recording; returns x.",
          example="(print (requires-grad! [1.0]))  ; => [1.0]",
          effects="reads tensor, writes tensor, allocates anything, fails")
primitive("requires-grad?", "(x: tensor) -> boolean", "ct_is_recorded",
          "Whether what is computed from x is recorded for gradients.", effects="reads tensor",
          example="(print (requires-grad? [1.0]) (requires-grad? (requires-grad! [1.0])))"
          "  ; => #f #t")
primitive("tensor-leaf?", "(x: tensor) -> boolean", "ct_is_leaf",
          "Whether x is a leaf, not the result of a recorded operation: backward stores gradients "
          "in leaves.",
          effects="reads tensor",
          example="(define x (requires-grad! [1.0])) "
          "(print (tensor-leaf? x) (tensor-leaf? (* x 2)))  ; => #t #f")
primitive("retain-grad!", "(x: tensor) -> tensor", "bridge_retain_grad",
          "Let backward store a gradient in x although it is not a leaf; returns x.",
          example="(define y (retain-grad! (* 2 (requires-grad! [1.0])))) (backward (* y y)) "
          "(print (tensor-grad y))  ; => [4.0]",
          effects="reads tensor, writes tensor, allocates anything, fails")
primitive("detach", "(x: tensor) -> tensor", "ct_detach",
          "A view of x that is not part of the recorded computation.",
          example="(print (detach [1.0]))  ; => [1.0]",
          effects="reads tensor, allocates anything, fails")
primitive("grad-enabled?", "() -> boolean", "ct_grad_mode",
          "Whether operations are recorded now: not inside no-grad.", effects="reads state",
          example="(print (grad-enabled?) (no-grad (grad-enabled?)))  ; => #t #f")

# Taking gradients.

primitive("backward", "(loss: tensor, *, gradient: value = #f, retain_graph: value = #f, "
          "create_graph: value = #f) -> void", "bridge_backward",
          "Add the gradients of loss to the tensors that it was computed from.  loss has one "
          "element, unless gradient gives a weight for each.  The recorded graph is freed, unless "
          "retain-graph is true; with create-graph the gradients can be differentiated.",
          example="(define x (requires-grad! [3.0])) (backward (tensor-sum (* x x))) "
          "(print (tensor-grad x))  ; => [6.0]")
primitive("tensor-grad", "(x: tensor) -> value", "bridge_grad",
          "The gradient that backward has stored, or #f.",
          example="(print (tensor-grad [1.0]))  ; => #f",
          effects="reads tensor, allocates anything, fails")
primitive("zero-grad!", "(*tensors: value) -> void", "bridge_zero_grad",
          "Remove the gradients of the tensors.",
          effects="reads tensor, writes tensor, allocates anything, fails")
primitive("gradients", "(y: value, xs: list, *, grad_outputs: value = #f, "
          "create_graph: value = #f, retain_graph: value = #f, allow_unused: value = #f) -> value",
          "bridge_gradients",
          "The gradients of y in each of xs, as a list; nothing is accumulated.  y has one "
          "element, unless grad-outputs gives a weight for each; it may be a list of tensors, and "
          "grad-outputs then, too.  A tensor that y was not computed from is an error, or its "
          "gradient #f if allow-unused is true.  retain-graph and create-graph are as in backward.",
          example="(define x (requires-grad! [3.0])) "
          "(print (gradients (tensor-sum (* x x)) (list x)))  ; => ([6.0])")

primitive("detect-anomaly!", "(on: value) -> void", "bridge_detect_anomaly",
          "Whether, from now on, a gradient that is not a number is an error, which names the "
          "operation.  This is slower, and shows where a nan comes from.",
          example='(detect-anomaly! #t) (detect-anomaly! #f) (print "as before")  ; => as before',
          effects="reads tensor, writes state, allocates anything, fails")

# For stdlib/tensor/autograd.lisp.

primitive("%needs-others?", "(ys: list, xs: list) -> boolean", "bridge_needs_others",
          "Whether the ys were computed from anything that requires a gradient besides the xs.",
          effects="reads anything, allocates anything, fails")
primitive("%custom-gradient", "(inputs: list, results: list, pull: procedure) -> value",
          "bridge_custom_gradient",
          "The results, recorded as those of an operation on the inputs.  pull returns a list of "
          "the gradients of the inputs; it is called with lists of the gradients of the results, "
          "the inputs, and the results.",
          effects="reads anything, writes tensor, allocates anything, fails")
