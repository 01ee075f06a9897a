"""Trainings on several machines, which are network namespaces of one."""
