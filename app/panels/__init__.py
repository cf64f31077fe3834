"""What two pages or more draw: attention, words, two runs beside each other, provenance.

Of the other rooms it imports ui, plots, runs, session, words and core.
"""
