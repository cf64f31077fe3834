"""One layer used N times, copies of it, and layers drawn apart, after some training steps."""
