"""What stands around every page: navigation, settings, the stage bar, notices.

Of the other rooms it imports panels, ui, plots, runs, session, words and core.
"""
