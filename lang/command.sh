#!/bin/sh
# The command lambent in a virtual environment, where `make` puts it.
#
# Python shows a traceback when Ctrl-C comes while it starts.  So Ctrl-C is held back until
# command.py, the first code of ours that runs, lets it come.
command=$(command -v -- "$0" || echo "./$0")
while [ -L "$command" ]; do
    link=$(readlink "$command")
    case $link in
        /*) command=$link ;;
        *) command=${command%/*}/$link ;;
    esac
done
exec env --block-signal=INT "${command%/*}/python" -P -c \
    'from lambent.lang.command import main; main()' "$@"
