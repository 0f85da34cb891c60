def alpha():
    x = 1
    return x

def beta():
    x = 2
    return x
