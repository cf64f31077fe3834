"""What Streamlit lacks: components and their kit, charts, pickers, the style sheet.

Of the other rooms it imports plots, session, words and core; knows no page.
"""
