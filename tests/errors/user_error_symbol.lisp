; A message that is no string is shown as write shows it.
(error 'my-procedure "went wrong" 42)
