def f():
        deep

def h():
    y
def g():
    x
