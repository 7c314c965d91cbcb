"""A tree of clusters."""


class Tree:
    """The leaves below each node of a binary merge list."""

    def __init__(self, merges, n):
        self.leaves = {leaf: [leaf] for leaf in range(n)}
        for number, (left, right) in enumerate(merges):
            self.leaves[n + number] = self.leaves[left] + self.leaves[right]

    def below(self, node):
        return self.leaves[node]
