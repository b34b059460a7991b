"""The page of `deid review`: people read notes before and after, and mark what was missed or wrong.

doubt.py says which notes are worth reading, queue.py in which order, note_json.py what the page shows of one, marks.py
checks what it sends, application.py answers it on this machine's loopback interface alone. lake/notes/reviews.py stores
what readers marked.
"""
