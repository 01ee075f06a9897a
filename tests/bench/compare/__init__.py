"""`lambent bench FOLDER --compare`: the same weights in Lambent and in what else is installed.

    options.py   the words of the command
    running.py   the peers, each in a process of its own, and what they measured
    judging.py   whether precision and outputs are equal
    report.py    the table and the JSON
    chart.py     the SVG
    command.py   from the words to the exit status
    peers/       scripts that other Python programs run; nothing here imports them
"""
