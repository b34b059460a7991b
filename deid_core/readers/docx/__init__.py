"""Read Word's .docx: the zip archive, its package of parts, and WordprocessingML."""
