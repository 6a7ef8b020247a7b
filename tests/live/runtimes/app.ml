(* Spends half a second in inner, called by middle, called by outer. *)
let[@inline never] first x = x (* shares its address with the symbol of the whole unit *)
let[@inline never] rec inner n i s = if i >= n then s else inner n (i + 1) (((s * 31) + i) mod 1000003)
let[@inline never] middle n = 1 + inner n 0 0 + inner (n + 1) 0 0

let[@inline never] outer n =
  let t = ref 0 in
  for _ = 1 to 50 do
    t := !t + middle n
  done;
  !t

let () =
  let stop = Sys.time () +. 0.5 and x = ref 0 in
  while Sys.time () < stop do
    x := !x + outer 20000
  done;
  print_int (first !x)
