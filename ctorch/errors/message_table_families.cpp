// message_table_families.cpp - LibTorch's messages that only one family of operators has, such as
// convolutions, and Lambent's.  The columns are those of message_table.cpp.
//
//     linalg.inv: A must be batches of square matrices, but they are 2 by 3 matrices
//  => expected a square matrix, got one of 2 by 3

#include "errors/errors.h"

namespace {

using ct::DtypeFix;
using ct::MessageRow;

constexpr MessageRow ROWS[] = {
    // Matrices.
    {"must be batches of square matrices, but they are <n> by <n> matrices",
     "expected a square matrix, got one of $1 by $2"},
    {"must have at least 2 dimensions", "expected a matrix"},
    {"Expected tensor with 2 or more dimensions", "expected a matrix"},
    {"expected a tensor with 2 or more dimensions of float, double, cfloat or cdouble types",
     "expected a matrix of floating-point numbers"},
    {"only supported on matrices or batches of matrices", "expected a matrix"},
    {"the input is not positive-definite (the leading minor of order <n>",
     "the matrix is not positive definite: its leading minor of order $1 is not"},
    {"the input matrix is singular", "the matrix is singular"},
    {"The solver failed because", "the matrix is singular"},
    {"Incompatible shapes of A and B for the equation AX = B (<s> and <s>)",
     "A $1 and B $2 do not fit the equation A X = B"},
    {"Incompatible shapes of A and B for the equation AX = B",
     "A and B do not fit the equation A X = B"},

    // Convolutions, pools and paddings.
    {"groups=<n>, weight of size <s>, expected input<s> to have <n> channels, but got <n> channels",
     "input $3 has $5 channels, weight $2 with groups $1 takes $4"},
    {"transposed=1, weight of size <s>, expected input<s> to have <n> channels, but got <n> "
     "channels",
     "input $2 has $4 channels, weight $1 takes $3"},
    {"weight of size <s>, expected bias to be 1-dimensional with <n> elements, but got bias of "
     "size <s>",
     "weight $1 needs a bias of shape ($2), got $3"},
    {"groups=<n>, expected weight to be at least <n> at dimension 0, but got weight of size <s>",
     "a weight of shape $3 is too small for $1 groups"},
    {"groups=<n>, expected weight to be divisible by <n> at dimension 0, but got weight of size "
     "<s>",
     "dim 0 of weight $3 is not divisible by $1 groups"},
    {"Expected <n>D (unbatched) or <n>D (batched) input to <w>, but got input of size: <s>",
     "expected an input of rank $1, or $2 with batches, got shape $4"},
    {"weight should have at least three dimensions", "expected a weight of rank 3 or more"},
    {"per channel: <s>. Kernel size: <s>. Kernel size can't be greater than actual input size",
     "the kernel $2 is larger than the padded input $1"},
    {"expected <w> to be a single integer value or a list of <n> values to match the convolution "
     "dimensions, but got <*>=<s>",
     "expected an integer or a list of $2 for $1, got $4"},
    {"input size: <s>. Calculated output size: <s>. Output size is too small",
     "the output would be empty: input $1 leads to $2"},
    {"pad should be at most half of effective kernel size, but got pad=<n>, kernel_size=<n>",
     "padding $1 is more than half of the kernel size, $2"},
    {"<w> must <*>a single int, or a tuple of <w> ints",
     "expected an integer or a list of $3 for $1"},
    {"padding size is expected to be <n>", "expected $1 numbers for padding"},
    {"corresponding input dimension, but got: padding (<n>, <n>) at dimension <n> of input <s>",
     "padding ($1 $2) is too large for dim $3 of an input $4"},
    {"It is expected <w> equals to <n>, but got size <n>", "expected a list of $2 for $1, got $3"},
    {"<w>.size() must be <n>", "expected $2 numbers for $1"},
    {"output_size must be <n>", "expected $1 numbers for output-size"},
    {"argument <w> should contain one int (got <n>)", "expected one integer for $1, got $2"},

    // Losses and layers.
    {"Expected input batch_size (<n>) to match target batch_size (<n>)",
     "input and target differ in batch size: $1 and $2"},
    {"Class values must be smaller than num_classes", "a class is not less than num-classes"},
    {"only batches of spatial targets supported (3D tensors) but got targets of dimension: <n>",
     "expected a target of rank 3, got one of rank $1"},
    {"only batches of spatial inputs supported (4D tensors), but got input of dimension: <n>",
     "expected an input of rank 4, got one of rank $1"},
    {"multi-target not supported", "expected a target of rank 0 or 1"},
    {"all elements of input should be between 0 and 1", "expected an input between 0 and 1"},
    {"all elements of target should be between 0 and 1", "expected a target between 0 and 1"},
    {"running_mean should contain <n> elements not <n>",
     "expected a running-mean of $1 elements, got $2"},
    {"running_var should contain <n> elements not <n>",
     "expected a running-var of $1 elements, got $2"},
    {"<w> should contain <n> elements not <n>", "expected $2 elements for $1, got $3"},
    {"Given normalized_shape=<s>, expected input with shape <*>, but got input of size<s>",
     "normalized-shape $1 differs from the last sizes of input $3"},
    {"Expected <w> to be of same shape as normalized_shape, but got <w> of shape <s> and "
     "normalized_shape = <s>",
     "$1 $3 differs from normalized-shape $4"},
    {"channels in input to be divisible by num_groups, but got input of shape <s> and "
     "num_groups=<n>",
     "the channels of input $1 are not divisible by $2 groups"},
    {"dropout probability has to be between 0 and 1, but got <n>",
     "expected p between 0 and 1, got $1"},
    {"Odd number of params or hiddens given to a bidirectional RNN",
     "expected an even number of weights, as there are two directions"},
    {"input tensor should be 1D or 2D", "expected input of rank 1 or 2",
     "tensor-nll-loss-nd takes more dimensions"},
    {"got an incorrect number of RNN parameters", "the number of params is wrong"},

    // Creators and random numbers.
    {"upper bound and lower bound inconsistent with step sign", "the sign of step is wrong"},
    {"upper bound and larger bound inconsistent with step sign", "the sign of step is wrong"},
    {"step must be nonzero", "expected a step other than 0"},
    {"number of steps must be non-negative", "expected 0 or more steps"},
    {"<w> expects floating point dtypes, got: TensorOptions(dtype=<t>,",
     "expected a floating-point dtype, got $2"},
    {"requires non-negative window_length, got window_length=<n>",
     "expected a window-length of 0 or more, got $1"},
    {"expects 'from' to be less than 'to', but got from=<n> >= to=<n>",
     "expected low below high, got $1 and $2"},
    {"normal expects std >= 0.0, but found std <n>", "expected std of 0 or more, got $1"},
    {"expects p to be in [0, 1], but got p=<n>", "expected p between 0 and 1, got $1"},
    {"Expected p_in >= 0 && p_in <= 1 to be true", "expected probabilities between 0 and 1"},
    {"cannot sample n_sample > prob_dist.size(-1) samples without replacement",
     "cannot draw more samples than there are categories without replacement",
     "pass :replacement #t"},
    {"probability tensor contains either `inf`, `nan` or element < 0",
     "expected finite probabilities of 0 or more"},
    {"sum of probabilities <= 0", "the probabilities add up to 0"},

    {"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = <n>, sparse_dim = <n>, "
     "dense_dim = <n>",
     "$1 sizes do not match $2 sparse and $3 dense dims"},

    // Choices.
    {"stft requires the return_complex parameter", "expected a value for return-complex",
     "with :return-complex #t the result is of complex numbers"},
    {"Invalid normalization mode: <v>",
     "expected \"forward\", \"backward\" or \"ortho\" for norm, got $1"},
    {"Invalid number of data points (<n>) specified", "expected 1 or more points, got $1"},
    {"When given, dim and shape arguments must have the same length", "dim and s differ in length"},
    {"Got shape with <n> values but input tensor only has <n> dimensions",
     "got $1 sizes for a tensor of rank $2"},
    {"to be one of None, 'trunc', or 'floor' but found <v>",
     "expected #f, \"trunc\" or \"floor\" for rounding-mode, got $1"},
    {"interpolation must be one of linear, lower, higher, midpoint or nearest, but got <v>",
     "expected \"linear\", \"lower\", \"higher\", \"midpoint\" or \"nearest\" for interpolation, "
     "got $1"},
    {"At least one of 'min' or 'max' must not be None", "expected a value for min or max"},
    {"Expected a list of <n> elements", "expected a list of $1"},
    {"to a fixed-size array of size <n>", "expected a list of $1"},
    {"ZeroDivisionError: alpha cannot be 0", "alpha cannot be 0"},
    {"ZeroDivisionError", "division by zero"},
};

}  // namespace

c10::ArrayRef<MessageRow> ct::family_rows() { return ROWS; }
