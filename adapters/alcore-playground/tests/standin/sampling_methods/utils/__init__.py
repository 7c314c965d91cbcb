"""What the tree of clusters is made of."""
