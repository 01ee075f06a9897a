; Nothing was recorded.
(backward [1.0])
