"""Reads Word's .docx without python-docx: the archive, its package, and WordprocessingML."""
