"""Contextual string embeddings: two language models of characters, one that reads on and one that reads back.

A word's embedding is the state of the first model after its last character beside the state of the second after its
first one (Akbik et al. 2018, the source of seed 003, section 4.3). No model is downloaded: both are trained on the text
at hand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

Tensor = Any
_CHUNK, _BATCH, _RATE = 200, 32, 2e-3
_LEAST = 5
"""Occurrences that a character needs to have an embedding of its own."""


class CharLanguageModel(nn.Module):
    """characters: those that it knows, their numbers from 1; size: of a word's embedding."""

    def __init__(self, characters: str, hidden: int, char_size: int) -> None:
        super().__init__()
        self.characters, self.size = characters, 2 * hidden
        self._numbers = {character: number for number, character in enumerate(characters, 1)}
        self.embedding = nn.Embedding(len(characters) + 1, char_size)
        self.onward = nn.LSTM(char_size, hidden, batch_first=True)
        self.backward_ = nn.LSTM(char_size, hidden, batch_first=True)
        self.next = nn.Linear(hidden, len(characters) + 1)
        self.previous = nn.Linear(hidden, len(characters) + 1)

    def numbers(self, text: str) -> Tensor:
        """Return the number of each character, 0 for one that is not known."""
        return torch.tensor([self._numbers.get(character, 0) for character in text])

    def loss(self, text: Tensor) -> Tensor:
        """Return the mean loss of forecasting each next and each previous character; text: (rows, characters)."""
        total = torch.zeros((), device=text.device)
        for read, model, output in ((text, self.onward, self.next), (text.flip(1), self.backward_, self.previous)):
            states = output(model(self.embedding(read[:, :-1]))[0])
            total = total + nn.functional.cross_entropy(states.flatten(0, 1), read[:, 1:].flatten())
        return total / 2

    @torch.no_grad()
    def embed(self, texts: Sequence[Sequence[str]]) -> list[Tensor]:
        """Return for each sentence the embeddings of its words, float32 (words, size)."""
        device = self.embedding.weight.device
        lines = [self.numbers("\n" + " ".join(words) + "\n") for words in texts]
        back = [line.flip(0) for line in lines]
        onward, backward = (
            model(self.embedding(nn.utils.rnn.pad_sequence(read, batch_first=True).to(device)))[0]
            for read, model in ((lines, self.onward), (back, self.backward_))
        )
        found = []
        for row, words in enumerate(texts):
            last, first, at = [], [], 1
            for word in words:
                # The characters after the word are read as well: the blank or the line's end.
                last.append(at + len(word))
                first.append(len(lines[row]) - at)
                at += len(word) + 1
            found.append(torch.cat([onward[row, last], backward[row, first]], 1))
        return found


def train_language_model(text: str, hidden: int, char_size: int, device: str) -> CharLanguageModel:
    """Return the models after one pass over the text."""
    counts = Counter(text)
    characters = "".join(sorted(character for character, count in counts.items() if count >= _LEAST))
    model = CharLanguageModel(characters, hidden, char_size).to(device)
    rows = model.numbers(text)
    rows = rows[: len(rows) // _CHUNK * _CHUNK].reshape(-1, _CHUNK)
    optimiser = torch.optim.Adam(model.parameters(), lr=_RATE)
    for at in torch.randperm(len(rows)).split(_BATCH):
        loss = model.loss(rows[at].to(device))
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
    return model.eval()
