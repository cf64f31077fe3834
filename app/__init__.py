"""The Streamlit app: pages, widgets and figures over `core`."""
