"""What to write instead of PyTorch's modules: layers, losses, optimizers, data.

    nn.GELU             =>  tensor-gelu: any procedure of a tensor is a layer
    torch.optim.Adam    =>  (adam parameters :lr 1e-3)

Rows of the table in `pytorch_names.py`, in a separate file because they change as the library
grows.  A row for something that does not exist yet says so, and what a program can do instead.
"""

MODULES = """
nn.Conv1d nn.LazyConv1d = (tensor-conv1d x weight bias) with weights of your own: no such layer
  exists yet
nn.Conv2d nn.LazyConv2d = (tensor-conv2d x weight bias) with weights of your own: no such layer
  exists yet
nn.Conv3d nn.LazyConv3d = (tensor-conv3d x weight bias) with weights of your own: no such layer
  exists yet
nn.ConvTranspose1d nn.LazyConvTranspose1d = (tensor-conv-transpose1d x weight bias) with weights of
  your own: no such layer exists yet
nn.ConvTranspose2d nn.LazyConvTranspose2d = (tensor-conv-transpose2d x weight bias) with weights of
  your own: no such layer exists yet
nn.ConvTranspose3d nn.LazyConvTranspose3d = (tensor-conv-transpose3d x weight bias) with weights of
  your own: no such layer exists yet
nn.BatchNorm1d nn.BatchNorm2d nn.BatchNorm3d nn.LazyBatchNorm1d nn.LazyBatchNorm2d
  nn.LazyBatchNorm3d nn.SyncBatchNorm = (tensor-batch-norm x mean variance weight bias) with weights
  of your own: no such layer exists yet
nn.InstanceNorm1d nn.InstanceNorm2d nn.InstanceNorm3d nn.LazyInstanceNorm1d nn.LazyInstanceNorm2d
  nn.LazyInstanceNorm3d = (tensor-instance-norm x) with weights of your own: no such layer exists
  yet
nn.LayerNorm = (tensor-layer-norm x shape weight bias) with weights of your own: no such layer
  exists yet
nn.GroupNorm = (tensor-group-norm x groups weight bias) with weights of your own: no such layer
  exists yet
nn.RMSNorm = (tensor-rms-norm x shape weight) with weights of your own: no such layer exists yet
nn.Bilinear = (tensor-bilinear x y weight bias) with weights of your own: no such layer exists yet
nn.Embedding = (tensor-embedding weight indices) with weights of your own: no such layer exists yet
nn.EmbeddingBag = (tensor-embedding-bag weight indices offsets) with weights of your own: no such
  layer exists yet
nn.PReLU = (tensor-prelu x weight) with weights of your own: no such layer exists yet
nn.LSTM = (tensor-lstm x states weights biases? layers dropout train? bidirectional? batch-first?)
  with weights of your own: no such layer exists yet
nn.LSTMCell = (tensor-lstm-cell x states w-ih w-hh b-ih b-hh) with weights of your own: no such
  layer exists yet
nn.GRU = (tensor-gru x states weights biases? layers dropout train? bidirectional? batch-first?)
  with weights of your own: no such layer exists yet
nn.GRUCell = (tensor-gru-cell x states w-ih w-hh b-ih b-hh) with weights of your own: no such layer
  exists yet
nn.RNN nn.RNNBase = (tensor-rnn-tanh x state weights biases? layers dropout train? bidirectional?
  batch-first?) with weights of your own: no such layer exists yet
nn.RNNCell nn.RNNCellBase = (tensor-rnn-tanh-cell x state w-ih w-hh b-ih b-hh) with weights of your
  own: no such layer exists yet
nn.MultiheadAttention nn.Transformer nn.TransformerEncoder nn.TransformerEncoderLayer
  nn.TransformerDecoder nn.TransformerDecoderLayer = (tensor-scaled-dot-product-attention query key
  value) between layers with weights of your own: no such layer exists yet
nn.LazyLinear = (linear in out)
nn.CELU = tensor-celu: any procedure of a tensor is a layer
nn.ELU = tensor-elu: any procedure of a tensor is a layer
nn.GELU = tensor-gelu: any procedure of a tensor is a layer
nn.GLU = tensor-glu: any procedure of a tensor is a layer
nn.Hardshrink = tensor-hardshrink: any procedure of a tensor is a layer
nn.Hardsigmoid = tensor-hardsigmoid: any procedure of a tensor is a layer
nn.Hardswish = tensor-hardswish: any procedure of a tensor is a layer
nn.Hardtanh = tensor-hardtanh: any procedure of a tensor is a layer
nn.LeakyReLU = tensor-leaky-relu: any procedure of a tensor is a layer
nn.LogSigmoid = tensor-log-sigmoid: any procedure of a tensor is a layer
nn.Mish = tensor-mish: any procedure of a tensor is a layer
nn.RReLU = tensor-rrelu: any procedure of a tensor is a layer
nn.ReLU6 = tensor-relu6: any procedure of a tensor is a layer
nn.SELU = tensor-selu: any procedure of a tensor is a layer
nn.SiLU = tensor-silu: any procedure of a tensor is a layer
nn.Sigmoid = tensor-sigmoid: any procedure of a tensor is a layer
nn.Softplus = tensor-softplus: any procedure of a tensor is a layer
nn.Softshrink = tensor-softshrink: any procedure of a tensor is a layer
nn.Tanh = tensor-tanh: any procedure of a tensor is a layer
nn.Tanhshrink = (lambda (x) (tensor-tanhshrink x)): any procedure of a tensor is a layer
nn.Softsign = (lambda (x) (tensor-softsign x)): any procedure of a tensor is a layer
nn.Threshold = (lambda (x) (tensor-threshold x limit value)): any procedure of a tensor is a layer
nn.Softmax nn.Softmax2d = (lambda (x) (tensor-softmax x 1)): any procedure of a tensor is a layer
nn.LogSoftmax = (lambda (x) (tensor-log-softmax x 1)): any procedure of a tensor is a layer
nn.Softmin = (lambda (x) (tensor-softmax (- x) 1)): any procedure of a tensor is a layer
nn.AdaptiveLogSoftmaxWithLoss = (tensor-log-softmax x 1)
nn.MaxPool1d = (lambda (x) (tensor-max-pool1d x size)): any procedure of a tensor is a layer
nn.AvgPool1d = (lambda (x) (tensor-avg-pool1d x size)): any procedure of a tensor is a layer
nn.AdaptiveAvgPool1d = (lambda (x) (tensor-adaptive-avg-pool1d x size)): any procedure of a tensor
  is a layer
nn.AdaptiveMaxPool1d = (lambda (x) (tensor-adaptive-max-pool1d x size :return-indices #f)): any
  procedure of a tensor is a layer
nn.LPPool1d = (lambda (x) (tensor-lp-pool1d x p size)): any procedure of a tensor is a layer
nn.MaxUnpool1d = (tensor-max-unpool1d x indices size)
nn.MaxPool2d = (lambda (x) (tensor-max-pool2d x size)): any procedure of a tensor is a layer
nn.AvgPool2d = (lambda (x) (tensor-avg-pool2d x size)): any procedure of a tensor is a layer
nn.AdaptiveAvgPool2d = (lambda (x) (tensor-adaptive-avg-pool2d x size)): any procedure of a tensor
  is a layer
nn.AdaptiveMaxPool2d = (lambda (x) (tensor-adaptive-max-pool2d x size :return-indices #f)): any
  procedure of a tensor is a layer
nn.LPPool2d = (lambda (x) (tensor-lp-pool2d x p size)): any procedure of a tensor is a layer
nn.MaxUnpool2d = (tensor-max-unpool2d x indices size)
nn.MaxPool3d = (lambda (x) (tensor-max-pool3d x size)): any procedure of a tensor is a layer
nn.AvgPool3d = (lambda (x) (tensor-avg-pool3d x size)): any procedure of a tensor is a layer
nn.AdaptiveAvgPool3d = (lambda (x) (tensor-adaptive-avg-pool3d x size)): any procedure of a tensor
  is a layer
nn.AdaptiveMaxPool3d = (lambda (x) (tensor-adaptive-max-pool3d x size :return-indices #f)): any
  procedure of a tensor is a layer
nn.LPPool3d = (lambda (x) (tensor-lp-pool3d x p size)): any procedure of a tensor is a layer
nn.MaxUnpool3d = (tensor-max-unpool3d x indices size)
nn.FractionalMaxPool2d = (tensor-fractional-max-pool2d x size output-size)
nn.FractionalMaxPool3d = (tensor-fractional-max-pool3d x size output-size)
nn.Dropout nn.AlphaDropout nn.FeatureAlphaDropout nn.Dropout1d nn.Dropout2d nn.Dropout3d
  = (tensor-dropout x p train?): the caller says whether it is training
nn.CircularPad1d nn.CircularPad2d nn.CircularPad3d nn.ConstantPad1d nn.ConstantPad2d
  nn.ConstantPad3d nn.ReflectionPad1d nn.ReflectionPad2d nn.ReflectionPad3d nn.ReplicationPad1d
  nn.ReplicationPad2d nn.ReplicationPad3d nn.ZeroPad1d nn.ZeroPad2d nn.ZeroPad3d = (lambda (x)
  (tensor-pad x sizes :mode "constant")): any procedure of a tensor is a layer
nn.ChannelShuffle = (tensor-channel-shuffle x groups)
nn.PixelShuffle = (tensor-pixel-shuffle x factor)
nn.PixelUnshuffle = (tensor-pixel-unshuffle x factor)
nn.CosineSimilarity = (tensor-cosine-similarity a b)
nn.PairwiseDistance = (tensor-pairwise-distance a b)
nn.CrossMapLRN2d nn.LocalResponseNorm = (tensor-local-response-norm x size)
nn.Fold = (tensor-fold x output-size kernel-size)
nn.Unfold = (tensor-unfold x kernel-size)
nn.Unflatten = (tensor-unflatten x dim sizes)
nn.Identity = identity: any procedure of a tensor is a layer
nn.Upsample nn.UpsamplingBilinear2d nn.UpsamplingNearest2d = (tensor-interpolate x size)
nn.BCELoss = (binary-cross-entropy probabilities targets)
nn.BCEWithLogitsLoss = (binary-cross-entropy-with-logits logits targets)
nn.HuberLoss = (huber-loss predictions targets)
nn.L1Loss = (l1-loss predictions targets)
nn.NLLLoss nn.NLLLoss2d = (nll-loss log-probabilities targets)
nn.SmoothL1Loss = (smooth-l1-loss predictions targets)
nn.SoftMarginLoss = (soft-margin-loss predictions labels)
nn.KLDivLoss = (kl-div log-probabilities targets)
nn.PoissonNLLLoss = (poisson-nll-loss predictions targets)
nn.GaussianNLLLoss = (gaussian-nll-loss predictions targets variances)
nn.HingeEmbeddingLoss = (hinge-embedding-loss distances labels)
nn.MultiLabelMarginLoss = (multilabel-margin-loss scores targets)
nn.MultiLabelSoftMarginLoss = (multilabel-soft-margin-loss logits targets)
nn.MultiMarginLoss = (multi-margin-loss scores targets)
nn.CTCLoss = (ctc-loss log-probabilities targets input-lengths target-lengths)
nn.CosineEmbeddingLoss = (cosine-embedding-loss x y labels)
nn.MarginRankingLoss = (margin-ranking-loss x y labels)
nn.TripletMarginLoss = (triplet-margin-loss anchor positive negative)
nn.TripletMarginWithDistanceLoss = (triplet-margin-with-distance-loss anchor positive negative)
nn.LinearCrossEntropyLoss nn.LinearCrossEntropyOptions
  = (linear-cross-entropy x weight targets)
nn.ModuleList nn.ModuleDict nn.ParameterList nn.ParameterDict nn.Container = a list or a hash table
  of layers; (make-layer model named-parameters function) makes a layer of your own
nn.Buffer nn.UninitializedBuffer nn.UninitializedParameter = a tensor; (requires-grad! x) makes it
  trainable
nn.DataParallel nn.parallel.DistributedDataParallel = nothing: programs run in one process,
  operators use several threads
torch.optim.Adam = (adam parameters :lr 1e-3)
torch.optim.AdamW = (adamw parameters :lr 1e-3)
torch.optim.RMSprop = (rmsprop parameters :lr 0.01)
torch.optim.Adagrad = (adagrad parameters :lr 0.01)
torch.optim.SparseAdam = (adagrad parameters), which takes sparse gradients
torch.optim.Adamax torch.optim.Adadelta torch.optim.Adafactor torch.optim.ASGD torch.optim.LBFGS
  torch.optim.Muon torch.optim.NAdam torch.optim.RAdam torch.optim.Rprop torch.optim.Optimizer
  = (make-optimizer kind parameters options state update!) takes an algorithm of your own
torch.optim.lr_scheduler.StepLR = (step-schedule optimizer :step-size 30)
torch.optim.lr_scheduler.MultiStepLR = (multi-step-schedule optimizer :milestones '(30 80))
torch.optim.lr_scheduler.ExponentialLR = (exponential-schedule optimizer :gamma 0.9)
torch.optim.lr_scheduler.ConstantLR = (constant-schedule optimizer :factor 0.1 :steps 5)
torch.optim.lr_scheduler.LinearLR = (linear-schedule optimizer :steps 5)
torch.optim.lr_scheduler.PolynomialLR = (polynomial-schedule optimizer :steps 5)
torch.optim.lr_scheduler.CosineAnnealingLR = (cosine-schedule optimizer :steps 100)
torch.optim.lr_scheduler.CosineAnnealingWarmRestarts = (cosine-restarts-schedule optimizer :steps
  10)
torch.optim.lr_scheduler.OneCycleLR torch.optim.lr_scheduler.CyclicLR = (one-cycle-schedule
  optimizer :max-lr 0.1 :steps 100)
torch.optim.lr_scheduler.ReduceLROnPlateau = (plateau-schedule optimizer :patience 10)
torch.optim.lr_scheduler.LambdaLR torch.optim.lr_scheduler.LRScheduler = (lambda-schedule optimizer
  (lambda (x) (expt 0.95 x)))
torch.optim.lr_scheduler.MultiplicativeLR = (multiplicative-schedule optimizer (lambda (x) 0.95))
torch.optim.lr_scheduler.SequentialLR = (sequential-schedule schedules :milestones '(10))
torch.optim.lr_scheduler.ChainedScheduler = (chained-schedule a b)
torch.optim.swa_utils.AveragedModel = (ema parameters :decay 0.999) or (swa parameters)
torch.nn.utils.clip_grad_norm_ torch.nn.utils.clip_grad_norm torch.nn.utils.clip_grads_with_norm_
  = (clip-grad-norm! parameters max-norm)
torch.nn.utils.get_total_norm = (grad-norm parameters)
torch.nn.utils.clip_grad_value_ = (clip-grad-value! parameters value)
torch.nn.utils.parameters_to_vector = (tensor-cat (map tensor-flatten parameters))
torch.utils.data.DataLoader = (data-loader dataset :batch-size 32 :shuffle #t)
torch.utils.data.TensorDataset = (tensor-dataset x y)
torch.utils.data.Dataset torch.utils.data.IterableDataset = (make-dataset length ref), a list, a
  vector or a tensor
torch.utils.data.Subset = (subset-dataset d indices)
torch.utils.data.ConcatDataset torch.utils.data.ChainDataset = (concat-datasets a b)
torch.utils.data.random_split = (split-dataset d '(0.8 0.2) :seed 0)
torch.utils.data.DistributedSampler torch.utils.data.distributed.DistributedSampler
  = (shard-dataset d rank world)
torch.utils.data.RandomSampler torch.utils.data.BatchSampler torch.utils.data.Sampler
  torch.utils.data.SubsetRandomSampler torch.utils.data.WeightedRandomSampler
  = (data-loader d :shuffle #t), or a :sampler of your own
torch.utils.data.default_collate = (collate examples)
"""
