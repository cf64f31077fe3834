"""A folder a page: `page.py`, which Streamlit runs, its panels, its figures, its sheet.

Of the other rooms it imports panels, ui, plots, hall, takeaway, runs, session, words and core;
never another page.
"""
