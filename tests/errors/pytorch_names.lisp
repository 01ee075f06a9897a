; A function by PyTorch's name.
(print (torch.nn.functional.relu [1.0]))
