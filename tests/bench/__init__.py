"""Speed and memory beside Python torch, C++ LibTorch and C: `make bench`."""
