use super::*;

/// The orders of a message, each with the words that it is about.
fn orders(said: &str) -> Vec<(OrderKind, &str)> {
    read(said).orders.into_iter().map(|order| (order.kind, &said[order.object])).collect()
}

#[test]
fn every_pattern_of_every_language_can_be_read() {
    assert_eq!(book::unreadable(), Vec::<String>::new());
}
#[test]
#[ignore]
fn throwaway_measure() {
    use std::collections::BTreeMap;
    let path = std::env::var("MESSAGES").unwrap();
    let mut counts: BTreeMap<String, [i32; 3]> = BTreeMap::new();
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let v: serde_json::Value = serde_json::from_str(line).unwrap();
        let said = v["text"].as_str().unwrap();
        let read = read(said);
        let mut want: BTreeMap<&str, i32> = BTreeMap::new();
        for o in v["orders"].as_array().unwrap() {
            *want.entry(o["kind"].as_str().unwrap()).or_default() += 1;
        }
        if !v["instruction"].is_null() {
            want.insert("instruction", 1);
        }
        let mut got: BTreeMap<&str, i32> = BTreeMap::new();
        for o in &read.orders {
            let name = match o.kind {
                OrderKind::Remember => "remember",
                OrderKind::Forget => "forget",
                OrderKind::DontStore => "dont_store",
                OrderKind::Instruction | OrderKind::CallMe => "instruction",
                OrderKind::MaybeSeal => "maybe",
                OrderKind::Seal => "seal",
            };
            let n = got.entry(name).or_default();
            *n = if matches!(name, "instruction" | "dont_store") { 1 } else { *n + 1 };
        }
        for k in ["remember", "forget", "dont_store", "instruction"] {
            let (w, g) = (*want.get(k).unwrap_or(&0), *got.get(k).unwrap_or(&0));
            let c = counts.entry(k.into()).or_default();
            c[0] += w.min(g);
            c[1] += (w - g).max(0);
            c[2] += (g - w).max(0);
            if w != g {
                println!(
                    "{} {k} want {w} got {g}: {said}\n    {:?}",
                    v["id"],
                    read.orders
                        .iter()
                        .map(|o| (o.kind, &said[o.range.clone()], &said[o.object.clone()]))
                        .collect::<Vec<_>>()
                );
            } else if w > 0 {
                println!(
                    "ok {} {k} {:?} {}",
                    v["id"],
                    read.orders.iter().map(|o| (o.kind, &said[o.object.clone()])).collect::<Vec<_>>(),
                    v["orders"]
                );
            }
        }
    }
    println!("hit, missed, wrong: {counts:?}");
}
#[test]
#[ignore]
fn throwaway_lines() {
    for said in std::fs::read_to_string(std::env::var("LINES").unwrap()).unwrap().lines().filter(|l| !l.is_empty()) {
        println!("{said}\n      {:?}", orders(said));
    }
}
