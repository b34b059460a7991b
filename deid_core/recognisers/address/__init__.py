"""Recogniser `address`: streets and towns by the form of an address; word lists are in gazetteers/lists/address."""
