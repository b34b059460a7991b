"""Staff initials: two to four letters by which nurses and doctors sign. Part of recogniser `person_context`."""
