def f(
    a,
):
    return a

def g(
    a,
):
    return b
