def f
  if x
    a
    b if z
  end
end
