use colonnade::container::{store::*, zip::*};
use std::time::Instant;
fn main() {
    let p = std::env::args().nth(1).unwrap();
    for _ in 0..8 {
        let f = std::fs::File::open(&p).unwrap();
        let t = Instant::now();
        let s = Source::file(f, true).unwrap();
        let a = t.elapsed(); let t = Instant::now();
        let d = Directory::parse(s.structure(), 1 << 30).unwrap();
        let b = t.elapsed(); let t = Instant::now();
        check_duplicate_names(&d).unwrap(); 
        let c = t.elapsed(); let t = Instant::now();
        check_no_nul(&d).unwrap();
        let c2 = t.elapsed(); let t = Instant::now();
        let o = data_offsets(s.structure(), &d).unwrap();
        let e = t.elapsed(); let t = Instant::now();
        check_overlaps(&d, &o).unwrap();
        let g = t.elapsed(); let t = Instant::now();
        let st = Store::open_source(s.clone(), Limits::default()).unwrap();
        let h = t.elapsed(); let t = Instant::now();
        let ax = st.axes(1).unwrap();
        let fr = st.load(&ax, &Request{positions:None,rows:None,private:false,threads:1,progress:&colonnade::plan::NoProgress}).unwrap();
        let i = t.elapsed(); let t = Instant::now();
        let r = fr.runs(&|_|0).unwrap();
        let j = t.elapsed(); let t = Instant::now();
        println!("map {a:?} parse {b:?} dup {c:?} nul {c2:?} local {e:?} overlap {g:?} | open {h:?} load {i:?} runs {j:?} {}", r.len());
        drop(r); drop(fr); drop(st);
        let _ = t;
    }
}
