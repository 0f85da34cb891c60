def f():
    a()
        b()
