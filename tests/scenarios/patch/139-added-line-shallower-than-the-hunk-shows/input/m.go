func f() {
	if x {
		a()
		b()
