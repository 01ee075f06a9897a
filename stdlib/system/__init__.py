"""Files, folders, processes, and what else the system is asked for."""
