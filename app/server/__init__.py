"""The process: its memory, its headers, how often its loop is woken.

Of the other rooms it imports runs, session and core.
"""
