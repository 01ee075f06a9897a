"""`lambent serve`: a language model over HTTP, by the protocol that OpenAI's clients speak.

    options.py    the words of the command
    faults.py     errors as the protocol shows them
    bodies.py     JSON from strangers
    fields.py     the fields of a request, checked
    requests.py   the requests for completions, from their fields
    answers.py    completions, chunks and usage
    engine.py     the thread that runs Lisp: requests in, pieces of text out
    sampling.py   options of a request as the engine takes them
    app.py        the HTTP server
    command.py    from the command to the end of the server

The event loop is on the main thread and the engine on another, so a slow client delays nobody.
"""
