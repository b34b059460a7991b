"""What goes out: which texts of policies are to be made, exports, and published copies of the clean tables."""
