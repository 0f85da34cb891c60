def  beta( a ):
    x = 2
def other():
    x = 1
