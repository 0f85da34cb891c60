alpha
beta
gamma
