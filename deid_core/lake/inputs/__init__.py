"""What comes in: the sources of notes, the plan of what to read of them, the hospital's tables of a note's people."""
