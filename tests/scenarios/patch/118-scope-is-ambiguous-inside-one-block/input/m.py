def f():
    a()
    a()
