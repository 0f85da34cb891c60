func f() {
	if x {
		a()
	}
}
