def f(
    a,
):
    return a

def g(
    a,
):
    return a
