"""Lectures: scenes to show one after the other, read from TOML, with what their runs answer.

A scene is a link to a screen, with texts in every language of the lecture and, where wanted, a
question. No number stands in a lecture: it names where in the run the number is read.

Of the other rooms it imports model, text and trace.
"""
