"""The norm before or after a sub-layer, and the residual cut, followed through the layers."""
