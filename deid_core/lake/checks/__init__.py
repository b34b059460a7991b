"""What is checked or counted: damaged and foreign files, the audit's counts, nights that differ from earlier ones."""
