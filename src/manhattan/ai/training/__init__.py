"""Training of the models: self-play, training data, fitting, and the trainer that runs them."""
