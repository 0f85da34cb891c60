if (a) {
  x();
}
if (b) {
  x();
} // b
