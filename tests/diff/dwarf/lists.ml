(* Lines but no functions: OCaml leaves the debug information to the assembler. *)
let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
let sum l = List.fold_left (fun a x -> a + (x * 2)) 0 l

let () =
  let l = List.init 1000 (fun i -> fib (i mod 15)) in
  Printf.printf "%d\n" (sum (List.sort compare l))
