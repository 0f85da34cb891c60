func f() {
	if x {
		a()
		c()
	}
