"""Recogniser `address`: streets and towns that no list knows."""
