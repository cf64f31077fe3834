"""Runs computed elsewhere: a front asks, workers on Ray Serve answer, else it computes itself.

requests: what is asked. packing: how answers travel. answers: what a worker computes. runner: who
asks, twice, and what then. client: the engine over HTTP. serving: the deployment, for Ray alone.
"""
