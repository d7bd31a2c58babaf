"""What every room of annotation uses: phases, visibility, places by handle, the material of an item."""
