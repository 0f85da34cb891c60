def alpha():
    x = 1
    return x

def beta():
    x = 1
    return x
