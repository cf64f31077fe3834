"""What the processes of a server share: one store, an SQLite file or Postgres, and its schema.

Of the other rooms it imports core.
"""
