; Only one element makes a number.
(print (tensor-item [1 2]))
