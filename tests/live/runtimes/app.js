// Spends a second in inner(), called by middle(), called by outer().
function inner(n) {
  let s = 0;
  for (let i = 0; i < n; i++) s = (s * 31 + i) % 1000003;
  return s;
}
function middle(n) {
  return inner(n) + inner(n + 1);
}
function outer(n) {
  let t = 0;
  for (let i = 0; i < 50; i++) t += middle(n);
  return t;
}
let x = 0;
for (const end = Date.now() + 1000; Date.now() < end;) x += outer(20000);
console.log(x);
