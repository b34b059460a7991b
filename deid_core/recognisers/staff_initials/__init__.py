"""Staff initials: two to four letters by which nurses and doctors sign.

Recogniser `person_context` finds them after words of dictation, propagation finds those of people whom the note names
(ensemble/staff_initials.py).
"""
