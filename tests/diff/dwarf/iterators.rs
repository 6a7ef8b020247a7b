// Iterators, traits, formatting: what Rust inlines.
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

trait Shape {
    fn area(&self) -> f64;
    fn name(&self) -> String {
        "shape".to_string()
    }
}
struct Square(f64);
struct Circle(f64);
impl Shape for Square {
    fn area(&self) -> f64 {
        self.0 * self.0
    }
}
impl Shape for Circle {
    #[inline(always)]
    fn area(&self) -> f64 {
        self.0 * self.0 * 3.14
    }
    fn name(&self) -> String {
        format!("circle{}", self.0)
    }
}

fn sum<T: Iterator<Item = u64>>(it: T) -> u64 {
    it.filter(|x| x % 3 == 0).map(|x| x * 2).sum()
}

mod deep {
    pub mod er {
        pub fn go(n: u64) -> Vec<String> {
            (0..n).map(|i| i.to_string()).filter(|s| s.len() > 1).collect()
        }
    }
}

fn main() {
    let n: u64 = std::env::args().count() as u64 * 1000;
    let mut by_name: HashMap<String, Vec<u64>> = HashMap::new();
    for i in 0..n {
        by_name.entry(format!("k{}", i % 17)).or_default().push(i * i);
    }
    let mut by_sum: BTreeMap<u64, String> = BTreeMap::new();
    for (k, v) in &by_name {
        by_sum.insert(sum(v.iter().copied()), k.clone());
    }
    let shapes: Vec<Box<dyn Shape>> = vec![Box::new(Square(2.0)), Box::new(Circle(3.0))];
    let mut out = String::new();
    for s in &shapes {
        write!(out, "{} {} ", s.name(), s.area()).unwrap();
    }
    let mut texts = deep::er::go(n);
    texts.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
    println!("{} {:?} {}", out, by_sum.iter().next(), texts.len());
}
