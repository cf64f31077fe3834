"""The stage bar: the sentence on the first line, what is in focus on the second."""
