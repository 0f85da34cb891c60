def f():
    if x:
        b()
        if y:
            c()
