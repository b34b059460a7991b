"""The page of `deid review`: people read notes before and after, and mark what was missed or wrong.

queue.py says which notes in which order, note.py what the page shows of one, marks.py checks what it sends,
application.py answers it on this machine's loopback interface alone. lake/reviews.py stores what readers marked.
"""
