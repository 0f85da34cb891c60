alpha
beta_a
beta_b
gamma
