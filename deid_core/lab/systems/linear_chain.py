"""A CRF layer: the probability of a sequence of tags by their scores and by the moves from tag to tag."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

Tensor = Any


class LinearChain(nn.Module):
    """moves: score from tag to tag; starts: of the first tag. Sequences are padded at their ends."""

    def __init__(self, tags: int) -> None:
        super().__init__()
        self.moves = nn.Parameter(torch.zeros(tags, tags))
        self.starts = nn.Parameter(torch.zeros(tags))

    def loss(self, scores: Tensor, gold: Tensor, mask: Tensor) -> Tensor:
        """Return the mean negative logarithm of the probability of the gold tags.

        scores: (sequences, tokens, tags); gold: tag numbers (sequences, tokens); mask: where a token is.
        """
        return (self.total(scores, mask) - self._of_path(scores, gold, mask)).mean()

    def _of_path(self, scores: Tensor, gold: Tensor, mask: Tensor) -> Tensor:
        of_tags = scores.gather(2, gold[..., None])[..., 0] * mask
        of_moves = self.moves[gold[:, :-1], gold[:, 1:]] * mask[:, 1:]
        return self.starts[gold[:, 0]] + of_tags.sum(1) + of_moves.sum(1)

    def total(self, scores: Tensor, mask: Tensor) -> Tensor:
        """Return the logarithm of the sum over all paths of each sequence."""
        alpha = self.starts + scores[:, 0]
        for at in range(1, scores.shape[1]):
            following = torch.logsumexp(alpha[:, :, None] + self.moves, 1) + scores[:, at]
            alpha = torch.where(mask[:, at, None], following, alpha)
        return torch.logsumexp(alpha, 1)

    def best(self, scores: Tensor, mask: Tensor) -> list[list[int]]:
        """Return the most likely tags of each sequence (Viterbi)."""
        alpha = self.starts + scores[:, 0]
        backs = []
        for at in range(1, scores.shape[1]):
            most, back = (alpha[:, :, None] + self.moves).max(1)
            alpha = torch.where(mask[:, at, None], most + scores[:, at], alpha)
            backs.append(back)
        paths = []
        for row, length in enumerate(mask.sum(1).tolist()):
            path = [int(alpha[row].argmax())]
            for back in reversed(backs[: length - 1]):
                path.append(int(back[row, path[-1]]))
            paths.append(path[::-1])
        return paths
