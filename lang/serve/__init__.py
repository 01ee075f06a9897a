"""`lambent serve`: models over HTTP, by the protocols that OpenAI's and Ollama's clients speak.

    options.py    the words of the command
    faults.py     errors as the protocol shows them
    bodies.py     JSON from strangers
    fields.py     the fields of a request, checked
    tools.py      the tools of a request, and the schema of a call that is demanded
    requests.py   the requests for completions, from their fields
    embeddings.py requests for embeddings, and their answers
    transcriptions.py  requests to write what is said, and their answers
    multipart.py  forms with files from strangers
    rerank.py     requests that rank documents, and their answers
    responses.py  requests for responses, as requests for chat
    ollama.py     requests of Ollama's protocol, as requests of OpenAI's, and their answers
    answers.py    completions, chunks and usage
    response_answers.py   responses, and the events of their streams
    kept_responses.py     responses that later requests continue
    preparing.py  prompts and grammars, made in slices on a thread of each request
    engine.py     the thread that runs the model: requests in, pieces of text out
    streams.py    pieces on their way to a client
    exchanges.py  what is counted and logged of each request
    metrics.py    for Prometheus
    request_log.py  lines of JSON
    app.py        the HTTP server
    ollama_routes.py  its paths of Ollama's protocol
    command.py    from the command to the end of the server

The event loop is on the main thread and each model's engine on another, so a slow client delays
nobody.
"""
