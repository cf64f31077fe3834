"""What one takes home: a lecture as one page that opens offline, and as a notebook that runs.

`page` and `notebook` give the bytes of the files, `file_name` a name for them; the command
`glassformer lecture` writes them. A run
itself is a file already: the Tensors page saves it whole, and so does `Trace.save`.

Of the other rooms it imports panels, ui, plots, runs, session, words and core.
"""

from glassformer.core.lectures.lecture import Lecture

# What does the work is imported when it is asked for: a notebook's widgets need none of it.


def page(lecture: Lecture, language: str, notes: bool = False) -> bytes:
    """The page of a lecture; see `document.lecture_page`."""
    from glassformer.app.takeaway import document

    return document.lecture_page(lecture, language, notes)


def notebook(lecture: Lecture, language: str) -> bytes:
    """The notebook of a lecture; see `notebooks.lecture_notebook`."""
    from glassformer.app.takeaway import notebooks

    return notebooks.lecture_notebook(lecture, language)


def file_name(lecture: Lecture, language: str, ending: str) -> str:
    """A name for one of the files; see `files.file_name`."""
    from glassformer.app.takeaway import files

    return files.file_name(lecture, language, ending)
