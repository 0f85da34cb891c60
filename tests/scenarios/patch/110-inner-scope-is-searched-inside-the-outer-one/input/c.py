class A:
    def run(self):
        pass

class B:
    def stop(self):
        pass
