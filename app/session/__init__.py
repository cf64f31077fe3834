"""What a link carries, what a session remembers, and the only writer of both.

Of the other rooms it imports core.
"""
