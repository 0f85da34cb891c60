def beta():
    y = 0
    x = 1
