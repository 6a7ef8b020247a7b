(* Deep recursion, closures, exceptions, a sort through the C-like interface of Array: SECONDS *)
exception Done of int
let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
let rec deep n = if n = 0 then fib 15 else 1 + deep (n - 1)
let sorted () =
  let a = Array.init 2000 (fun i -> i * 7919 mod 1009) in
  Array.stable_sort (fun x y -> compare (y + fib 3) (x + fib 3)) a;
  a.(5)
let raises n = try (if deep n > 0 then raise (Done n)); 0 with Done x -> x
let rec lists n = List.fold_left (fun a x -> a + x) 0 (List.map (fun x -> x + fib 8) (List.init n Fun.id))
let () =
  let seconds = if Array.length Sys.argv > 1 then float_of_string Sys.argv.(1) else 0.3 in
  let start = Sys.time () in
  let sum = ref 0 in
  while Sys.time () -. start < seconds do
    sum := !sum + raises 60 + sorted () + lists 100 + String.length (String.concat "," (List.init 200 string_of_int))
  done;
  Printf.printf "%d\n" !sum
