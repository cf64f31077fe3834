"""The hall: rooms in which an audience follows a lecture on its own devices, light pages for them.

Of the other rooms it imports server, stores, runs, session, words and core.
"""
