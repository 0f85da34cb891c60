def alpha():
    x = 3
    return x

def beta():
    x = 1
    return x
