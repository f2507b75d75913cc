//! The hard cases: each is a small input with its right outcome, and stands for its whole kind.
//!
//! They are read from the folder in `ATLAS_CASES`, else from `../shared/cases` beside the repository, else from
//! `tests/fixtures/cases`, which has the repository's own.

#![allow(clippy::unwrap_used)]

use std::future::Future;
use std::path::Path;

use atlas_core::memory::index::Index;
use atlas_tests::agent;
use atlas_tests::cases::{self, Case};

mod memory;
mod providers;

/// Runs all cases of a kind, in the folder that is set and in the repository's own, and names each that failed.
async fn run_all<F: Future<Output = Vec<String>>>(kind: &str, run: impl Fn(Case) -> F) {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/cases");
    let mut folders = vec![cases::folder()];
    if folders[0] == own {
        println!(
            "{kind}: no folder of cases in ATLAS_CASES or beside the repository; running the repository's own only"
        );
    } else {
        folders.push(own);
    }
    let (mut ran, mut wrong) = (0, Vec::new());
    for case in folders.iter().flat_map(|folder| cases::read(folder, kind)) {
        let name = case.name.clone();
        ran += 1;
        wrong.extend(run(case).await.into_iter().map(|difference| format!("{name}: {difference}")));
    }
    println!("{kind}: {ran} cases ran, {} differences", wrong.len());
    assert!(ran > 0, "there are no cases of the kind {kind}");
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_of_a_provider_has_its_right_outcome() {
    run_all("providers", providers::run).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_of_memory_has_its_right_outcome() {
    let models = match agent::embedding_models() {
        Some(models) => Index::new(models),
        None => {
            println!("memory: there are no embedding models here; all cases run without them");
            Index::without_models()
        }
    };
    run_all("memory", |case| {
        let models = models.clone();
        async move {
            let result = tokio::task::spawn_blocking(move || memory::run(&case.content, &models)).await;
            result.expect("a case that runs to its end").err().into_iter().collect()
        }
    })
    .await;
}
