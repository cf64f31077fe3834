"""The heads' own small matrices, and the one large matrix that stands for them."""
