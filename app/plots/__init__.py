"""Numbers in, a figure out: theme, colours, axes, bars, maps and curves for all pages.

Of the other rooms it imports core; knows no Streamlit.
"""
