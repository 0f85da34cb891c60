def f():
    a()

    c()
    b()
