import x

def f():
    a
