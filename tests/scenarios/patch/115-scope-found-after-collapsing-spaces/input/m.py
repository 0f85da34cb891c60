def  beta( a ):
    x = 1
def other():
    x = 1
