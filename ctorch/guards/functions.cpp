// functions.cpp - the checks that PyTorch makes in Python before it calls an operator.
//
//     (tensor-hardtanh x 1.0 -1.0)   =>   expected min-val of at most the max-val -1.0, got 1.0
//
// LibTorch itself would return a meaningless result.

#include "guards/guards.h"

namespace {

using ct::Arguments;
using ct::Failure;

void hardtanh(const Arguments &a)
{
    at::Scalar least = a.value("min_val").toScalar(), most = a.value("max_val").toScalar();
    if (least.toDouble() > most.toDouble())
        throw Failure{"expected min-val of at most the max-val " +
                          ct::double_text(most.toDouble()) + ", got " +
                          ct::double_text(least.toDouble()),
                      ""};
}

void triplet_margin_loss(const Arguments &a)
{
    double margin = a.value("margin").toDouble();
    if (!(margin > 0))
        throw Failure{"expected a margin greater than 0, got " + ct::double_text(margin), ""};
}

// For losses by element: LibTorch would broadcast, and take the mean over more elements.
void same_shapes(const Arguments &a)
{
    at::Tensor input = a.tensor("self"), target = a.tensor("target");
    if (input.sizes() != target.sizes())
        throw Failure{"expected a target of the input's shape " + ct::shape_text(input) + ", got " +
                          ct::shape_text(target),
                      ""};
}

void margin_ranking_loss(const Arguments &a)
{
    at::Tensor one = a.tensor("input1"), two = a.tensor("input2"), target = a.tensor("target");
    if (one.dim() != two.dim() || one.dim() != target.dim())
        throw Failure{"expected tensors of the same rank, got shapes " + ct::shape_text(one) + ", " +
                          ct::shape_text(two) + " and " + ct::shape_text(target),
                      ""};
}

constexpr ct::Guarded FUNCTION_GUARDS[] = {
    {"hardtanh", hardtanh},
    {"hardtanh_", hardtanh},
    {"triplet_margin_loss", triplet_margin_loss},
    {"binary_cross_entropy", same_shapes},
    {"binary_cross_entropy_with_logits", same_shapes},
    {"margin_ranking_loss", margin_ranking_loss},
};

}  // namespace

c10::ArrayRef<ct::Guarded> ct::function_guards() { return FUNCTION_GUARDS; }
