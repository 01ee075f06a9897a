"""`lambent serve`: a language model over HTTP, by the protocol that OpenAI's clients speak.

    options.py    the words of the command
    faults.py     errors as the protocol shows them
    bodies.py     JSON from strangers
    fields.py     the fields of a request, checked
    tools.py      the tools of a request, and the schema of a call that is demanded
    requests.py   the requests for completions, from their fields
    embeddings.py requests for embeddings, and their answers
    answers.py    completions, chunks and usage
    preparing.py  prompts and grammars, made in slices on a thread of each request
    engine.py     the thread that runs the model: requests in, pieces of text out
    app.py        the HTTP server
    command.py    from the command to the end of the server

The event loop is on the main thread and the engine on another, so a slow client delays nobody.
"""
