"""The process: its memory, its headers, who is let in, how often its loop is woken.

Of the other rooms it imports runs, session, stores, words and core.
"""
