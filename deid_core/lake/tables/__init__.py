"""The lake's Delta tables: their columns, how they are written and read, and the rows that executors return."""
