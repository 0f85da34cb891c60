def f():
    if x:
        a()
