// Closures, iterators, boxed calls and a panic that is caught: unwind-rs SECONDS
use std::hint::black_box;
use std::time::{Duration, Instant};

#[inline(never)]
fn burn(n: u64) -> u64 {
    (0..n).fold(1, |a, b| black_box(a * 31 + b % 7) & 0xffff)
}

#[inline(never)]
fn recurse(n: u64) -> u64 {
    if n == 0 { burn(5000) } else { recurse(n - 1) + black_box(n) }
}

#[inline(never)]
fn boxed(f: &dyn Fn(u64) -> u64) -> u64 {
    f(20) + 1
}

#[inline(never)]
fn sorted() -> u64 {
    let mut v: Vec<u64> = (0..2000).map(|i| (i * 7919) % 1009).collect();
    v.sort_by(|a, b| {
        burn(3);
        b.cmp(a)
    });
    v[3]
}

#[inline(never)]
fn panics() -> u64 {
    let r = std::panic::catch_unwind(|| {
        if recurse(5) != 0 {
            panic!("caught");
        }
    });
    r.is_err() as u64
}

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let seconds: f64 = std::env::args().nth(1).map_or(0.3, |s| s.parse().unwrap());
    let start = Instant::now();
    let mut sum = 0;
    while start.elapsed() < Duration::from_secs_f64(seconds) {
        sum += boxed(&|n| recurse(n)) + sorted() + panics();
    }
    let t = std::thread::spawn(|| recurse(10));
    println!("{}", sum + t.join().unwrap());
}
