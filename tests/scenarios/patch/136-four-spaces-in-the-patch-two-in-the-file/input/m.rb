def f
  if x
    a
  end
end
