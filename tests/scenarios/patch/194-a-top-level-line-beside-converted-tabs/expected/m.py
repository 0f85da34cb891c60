def f():
	if a:
		b
top

	c
