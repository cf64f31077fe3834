"""Recording a run: the tape, the table of sites, the trace and its tables."""
