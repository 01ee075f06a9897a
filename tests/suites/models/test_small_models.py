"""The states of small models cross between Lambent and PyTorch both ways, with the same results.

Each model is a `define-module` and an `nn.Module` with the same names.
"""

from pathlib import Path

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none

torch = pytest.importorskip("torch")

from torch import Tensor, nn  # noqa: E402

from tests.support.module_rows import Row, check_rows  # noqa: E402

BACK_ENDS = ("script", "executable")
_DICE = torch.Generator().manual_seed(14)

PROGRAM = """
(define-module (block in out stride)
  ((conv1 (conv2d in out 3 :stride stride :padding 1 :bias #f))
   (bn1 (batch-norm2d out))
   (conv2 (conv2d out out 3 :padding 1 :bias #f))
   (bn2 (batch-norm2d out))
   (downsample (and (not (= stride 1))
                    (sequential (conv2d in out 1 :stride stride :bias #f)
                                (batch-norm2d out)))))
  (forward (x)
    (let ((y (bn2 (conv2 (tensor-relu (bn1 (conv1 x)))))))
      (tensor-relu (+ y (if downsample (downsample x) x))))))
(define-module (residual-net)
  ((stem (conv2d 3 4 3 :padding 1))
   (layers (list (block 4 4 1) (block 4 8 2)))
   (fc (linear 8 5)))
  (forward (x)
    (fc (tensor-mean (fold (lambda (layer y) (layer y)) (stem x) layers) '(2 3)))))
(define-module (lstm-classifier)
  ((embedding (embedding 11 6 :padding-idx 0))
   (lstm (lstm 6 5 :num-layers 2 :batch-first #t :bidirectional #t))
   (fc (linear 10 3)))
  (forward (x)
    (receive (y h c) (lstm (embedding x) :lengths '(4 2 5))
      (fc (tensor-cat (list (tensor-select h 0 -2) (tensor-select h 0 -1)) 1)))))
(define-module (gru-regression)
  ((gru (gru 3 6))
   (norm (layer-norm 6))
   (head (linear 6 1)))
  (forward (x)
    (receive (y h) (gru x) (head (norm (tensor-ref y -1))))))
(define-module (encoder-classifier)
  ((token-embedding (embedding 11 8))
   (positions (tensor-zeros 5 8) :parameter)
   (encoder (transformer-encoder
             (transformer-encoder-layer 8 2 :dim-feedforward 12 :batch-first #t
                                        :norm-first #t :dropout 0.0)
             2 :norm (layer-norm 8)))
   (head (linear 8 4)))
  (forward (x)
    (head (tensor-mean (encoder (+ (token-embedding x) positions)) 1))))
(define-module (decoder-model)
  ((embedding (embedding 11 8))
   (decoder (transformer-decoder-layer 8 2 :dim-feedforward 12 :batch-first #t
                                       :dropout 0.0))
   (head (linear 8 11 :bias #f)))
  (forward (x memory)
    (head (decoder (embedding x) memory :tgt-is-causal #t))))
(define-module (attention-pool)
  ((query (tensor-ones 1 1 6) :parameter)
   (attention (multi-head-attention 6 3 :batch-first #t))
   (head (linear 6 2)))
  (forward (x)
    (receive (y weights)
        (attention (tensor-expand query (list (tensor-size x 0) 1 6)) x x)
      (values (head (tensor-squeeze y 1)) weights))))
(define-module (autoencoder)
  ((encoder (sequential (conv2d 1 4 3 :stride 2 :padding 1) (prelu)
                        (conv2d 4 8 3 :stride 2 :padding 1) (group-norm 2 8)))
   (decoder (sequential (conv-transpose2d 8 4 2 :stride 2) (leaky-relu 0.2)
                        (conv-transpose2d 4 1 2 :stride 2) (sigmoid))))
  (forward (x) (decoder (encoder x))))
(define-module (bag-model)
  ((embedding (embedding-bag 11 6 :mode "sum"))
   (fc (linear 6 3)))
  (forward (x) (fc (embedding x))))
(define-module (gated width hidden)
  ((up (linear width hidden :bias #f))
   (gate (linear width hidden :bias #f))
   (down (linear hidden width :bias #f)))
  (forward (x) (down (* (tensor-silu (gate x)) (up x)))))
(define-module (llama-block)
  ((input-norm (rms-norm 8 :eps 1e-5))
   (self-attn (grouped-query-attention 8 4 :num-kv-heads 2))
   (post-norm (rms-norm 8 :eps 1e-5))
   (mlp (gated 8 12)))
  (forward (x)
    (let ((x (+ x (self-attn (input-norm x)))))
      (+ x (mlp (post-norm x))))))
"""


def f(*shape: int) -> Tensor:
    return torch.randn(shape, generator=_DICE)


def words(*shape: int) -> Tensor:
    return torch.randint(11, shape, generator=_DICE)


class Block(nn.Module):
    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.downsample = None if stride == 1 else nn.Sequential(
            nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x: Tensor) -> Tensor:
        y = self.bn2(self.conv2(self.bn1(self.conv1(x)).relu()))
        return (y + (x if self.downsample is None else self.downsample(x))).relu()  # type: ignore[no-any-return]


class ResidualNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 3, padding=1)
        self.layers = nn.ModuleList([Block(4, 4, 1), Block(4, 8, 2)])
        self.fc = nn.Linear(8, 5)

    def forward(self, x: Tensor) -> Tensor:
        y = self.stem(x)
        for layer in self.layers:
            y = layer(y)
        return self.fc(y.mean((2, 3)))  # type: ignore[no-any-return]


class LstmClassifier(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(11, 6, 0)
        self.lstm = nn.LSTM(6, 5, 2, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(10, 3)

    def forward(self, x: Tensor) -> Tensor:
        packed = nn.utils.rnn.pack_padded_sequence(
            self.embedding(x), [4, 2, 5], True, enforce_sorted=False)
        _, (h, _) = self.lstm(packed)
        return self.fc(torch.cat((h[-2], h[-1]), 1))  # type: ignore[no-any-return]


class GruRegression(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(3, 6)
        self.norm = nn.LayerNorm(6)
        self.head = nn.Linear(6, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.norm(self.gru(x)[0][-1]))  # type: ignore[no-any-return]


class EncoderClassifier(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(11, 8)
        self.positions = nn.Parameter(torch.zeros(5, 8))
        layer = nn.TransformerEncoderLayer(8, 2, 12, 0.0, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, nn.LayerNorm(8), False)
        self.head = nn.Linear(8, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.encoder(self.token_embedding(x) + self.positions).mean(1))  # type: ignore[no-any-return]


class DecoderModel(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(11, 8)
        self.decoder = nn.TransformerDecoderLayer(8, 2, 12, 0.0, batch_first=True)
        self.head = nn.Linear(8, 11, bias=False)

    def forward(self, x: Tensor, memory: Tensor) -> Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1])
        return self.head(self.decoder(self.embedding(x), memory, mask))  # type: ignore[no-any-return]


class AttentionPool(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.query = nn.Parameter(torch.ones(1, 1, 6))
        self.attention = nn.MultiheadAttention(6, 3, batch_first=True)
        self.head = nn.Linear(6, 2)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        y, weights = self.attention(self.query.expand(x.shape[0], 1, 6), x, x)
        return self.head(y.squeeze(1)), weights


class Autoencoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, 4, 3, 2, 1), nn.PReLU(), nn.Conv2d(4, 8, 3, 2, 1), nn.GroupNorm(2, 8))
        self.decoder = nn.Sequential(
            nn.ConvTranspose2d(8, 4, 2, 2), nn.LeakyReLU(0.2), nn.ConvTranspose2d(4, 1, 2, 2),
            nn.Sigmoid())

    def forward(self, x: Tensor) -> Tensor:
        return self.decoder(self.encoder(x))  # type: ignore[no-any-return]


class BagModel(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.EmbeddingBag(11, 6, mode="sum")
        self.fc = nn.Linear(6, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc(self.embedding(x))  # type: ignore[no-any-return]


class Gated(nn.Module):
    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.up = nn.Linear(width, hidden, bias=False)
        self.gate = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(nn.functional.silu(self.gate(x)) * self.up(x))  # type: ignore[no-any-return]


class Grouped(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.q_proj = nn.Linear(8, 8, bias=False)
        self.k_proj = nn.Linear(8, 4, bias=False)
        self.v_proj = nn.Linear(8, 4, bias=False)
        self.o_proj = nn.Linear(8, 8, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (layer(x).unflatten(-1, (-1, 2)).transpose(1, 2)
                   for layer in (self.q_proj, self.k_proj, self.v_proj))
        y = nn.functional.scaled_dot_product_attention(
            q, k, v, is_causal=True, enable_gqa=True)
        return self.o_proj(y.transpose(1, 2).flatten(2))  # type: ignore[no-any-return]


class LlamaBlock(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.input_norm = nn.RMSNorm(8, 1e-5)
        self.self_attn = Grouped()
        self.post_norm = nn.RMSNorm(8, 1e-5)
        self.mlp = Gated(8, 12)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.self_attn(self.input_norm(x))
        return x + self.mlp(self.post_norm(x))  # type: ignore[no-any-return]


MODELS = [
    Row("(sequential (linear 6 8) (relu) (dropout 0.3) (linear 8 4) (log-softmax))",
        lambda: nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Dropout(0.3), nn.Linear(8, 4),
                              nn.LogSoftmax(-1)), (f(5, 6),)),
    Row("(sequential (conv2d 1 4 3 :padding 1 :bias #f) (batch-norm2d 4) (relu) (max-pool2d 2)"
        " (flatten) (linear 64 10))",
        lambda: nn.Sequential(nn.Conv2d(1, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4),
                              nn.ReLU(),
                              nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64, 10)),
        (f(3, 1, 8, 8),)),
    Row("(residual-net)", ResidualNet, (f(2, 3, 6, 6),)),
    Row("(lstm-classifier)", LstmClassifier, (words(3, 5),)),
    Row("(gru-regression)", GruRegression, (f(4, 2, 3),)),
    Row("(encoder-classifier)", EncoderClassifier, (words(3, 5),)),
    Row("(decoder-model)", DecoderModel, (words(2, 4), f(2, 5, 8))),
    Row("(attention-pool)", AttentionPool, (f(3, 4, 6),)),
    Row("(autoencoder)", Autoencoder, (f(2, 1, 8, 8),)),
    Row("(bag-model)", BagModel, (words(4, 3),)),
    Row("(llama-block)", LlamaBlock, (f(2, 5, 8),)),
]


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_states_of_models_cross_both_ways(back_end: str, tmp_path: Path) -> None:
    check_rows(MODELS, back_end, tmp_path, PROGRAM, cross=True)
