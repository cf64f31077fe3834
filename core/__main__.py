"""`python -m glassformer` where it is installed; a checkout has it in glassformer.py."""

from glassformer import main

if __name__ == "__main__":
    main()
