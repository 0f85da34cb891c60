def f():
        deep

def g():
    x
