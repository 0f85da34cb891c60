def f():
    a()
    c()
