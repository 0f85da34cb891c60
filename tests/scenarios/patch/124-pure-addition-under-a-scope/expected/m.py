def alpha():
    x = 1
    return x

def beta():
    y = 0
    x = 1
    return x
