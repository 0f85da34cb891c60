total=0
