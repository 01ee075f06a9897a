; A long value is cut in the message.
(print (vector-length '(aaaaaaaaaa bbbbbbbbbb cccccccccc dddddddddd eeeeeeeeee ffffffffff gggggggggg)))
