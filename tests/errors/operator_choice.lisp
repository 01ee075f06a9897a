; A mode that does not go with the input.
(print (tensor-interpolate (tensor-ones 1 1 4 4) :scale-factor 2 :mode "trilinear"))
