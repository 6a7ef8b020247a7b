// Recursion, callbacks of the engine's own functions, and a sort: unwind.js SECONDS
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
function work(a) {
	let s = 0;
	for (const x of a.map(y => y * 2).sort((p, q) => p - q)) s += x;
	return s + JSON.stringify(a).length;
}
function outer(n) {
	let t = 0;
	for (let i = 0; i < n; i++)
		t += fib(18) + work(Array.from({ length: 500 }, (_, k) => (k * 7919) % 1009));
	return t;
}
const end = Date.now() + 1000 * Number(process.argv[2] || 0.5);
let sum = 0;
while (Date.now() < end) sum += outer(5);
console.log(sum);
