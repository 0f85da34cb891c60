def run():
    pass
def run():
    pass
