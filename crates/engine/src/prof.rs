//! debugging only
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Instant;
static P: Mutex<BTreeMap<&'static str, (u64, f64, f64)>> = Mutex::new(BTreeMap::new());
pub fn time<T>(name: &'static str, f: impl FnOnce() -> T) -> T {
    let t = Instant::now();
    let r = f();
    let d = t.elapsed().as_secs_f64();
    let mut p = P.lock().unwrap();
    let e = p.entry(name).or_default();
    e.0 += 1; e.1 += d; e.2 = e.2.max(d);
    r
}
pub fn tell() {
    for (k, v) in P.lock().unwrap().iter() { eprintln!("PROF {k:24} n={:7} s={:8.3} max={:.3}", v.0, v.1, v.2); }
}
pub fn add(name: &'static str, d: f64) {
    let mut p = P.lock().unwrap();
    let e = p.entry(name).or_default();
    e.0 += 1; e.1 += d; e.2 = e.2.max(d);
}
