"""How the committed models are made; nothing here is needed where they are used."""
