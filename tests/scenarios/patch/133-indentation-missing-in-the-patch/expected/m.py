def f():
    if x:
        c()
        b()
