//! The real models, beside what onnxruntime and numpy make of the same files.

use super::*;

/// The models of the source tree. `None`, and said so, where the set-up has not brought them.
pub(crate) fn models() -> Option<Models> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../embedding");
    if folder.join("minilm.onnx").exists() {
        return Some(Models::in_folder(folder));
    }
    eprintln!("passed by: the models are not here; `bash .ci/models embedding` fetches them");
    None
}

#[derive(serde::Deserialize)]
struct Reference(String, Vec<f32>, Vec<f32>);

fn references() -> Vec<Reference> {
    serde_json::from_str(include_str!("tests/reference.json")).unwrap()
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

#[test]
fn the_transformer_reads_as_onnxruntime_does() {
    let Some(models) = models() else { return };
    let transformer = models.transformer().unwrap();
    for Reference(text, expected, _) in references() {
        let cosine = cosine(&transformer.read(&text).unwrap().whole, &expected);
        assert!(cosine > 0.99, "{cosine} for {text:.60}");
    }
}

#[test]
fn the_word_vectors_are_those_of_the_table() {
    let Some(models) = models() else { return };
    let words = models.static_model().unwrap();
    for Reference(text, _, expected) in references() {
        let vector = words.embed(&text);
        if expected.iter().all(|x| *x == 0.0) {
            assert_eq!(vector, [0.0; 256], "no word, no direction: {text}");
        } else {
            let cosine = cosine(&vector, &expected);
            assert!(cosine > 0.999, "{cosine} for {text:.60}");
        }
    }
}

#[test]
fn what_means_the_same_is_nearer_than_what_does_not() {
    let Some(models) = models() else { return };
    let texts = ["My sister adopted a puppy", "Somebody in the family got a dog", "The invoice is overdue"];
    let transformer = models.transformer().unwrap();
    let [puppy, dog, invoice] = texts.map(|text| transformer.read(text).unwrap().whole);
    assert!(dot(&puppy, &dog) > dot(&puppy, &invoice) + 0.2);
    let words = models.static_model().unwrap();
    let [puppy, dog, invoice] = texts.map(|text| words.embed(text));
    assert!(dot(&puppy, &dog) > dot(&puppy, &invoice) + 0.2);
}

#[test]
fn the_same_text_gives_the_same_vector_from_many_threads() {
    let Some(models) = models() else { return };
    let read = || models.transformer().unwrap().read("I moved to Porto in May").unwrap();
    let first = read();
    std::thread::scope(|scope| {
        let others: Vec<_> = (0..3).map(|_| scope.spawn(read)).collect();
        assert!(others.into_iter().all(|other| other.join().unwrap() == first));
    });
}

#[test]
fn a_missing_or_damaged_file_is_named_and_the_other_model_still_works() {
    let Some(models) = models() else { return };
    let folder = tempfile::tempdir().unwrap();
    let source = models.folder().unwrap();
    let broken = || Models::in_folder(folder.path());
    assert_eq!(broken().static_model().err(), Some(EmbeddingError::Missing("wordllama.safetensors")));
    for file in ["minilm.onnx", "minilm-tokenizer.json", "wordllama.safetensors", "wordllama-tokenizer.json"] {
        std::fs::copy(source.join(file), folder.path().join(file)).unwrap();
    }
    assert_eq!(broken().static_model().unwrap().version(), models.static_model().unwrap().version());

    std::fs::write(folder.path().join("minilm.onnx"), b"half of it").unwrap();
    assert_eq!(broken().transformer().err(), Some(EmbeddingError::Damaged("minilm.onnx")));
    assert!(broken().static_model().is_ok());

    let whole = std::fs::read(source.join("wordllama.safetensors")).unwrap();
    std::fs::write(folder.path().join("wordllama.safetensors"), &whole[..whole.len() / 2]).unwrap();
    assert_eq!(broken().static_model().err(), Some(EmbeddingError::Damaged("wordllama.safetensors")));

    std::fs::copy(source.join("minilm-tokenizer.json"), folder.path().join("wordllama-tokenizer.json")).unwrap();
    std::fs::write(folder.path().join("wordllama.safetensors"), whole).unwrap();
    assert_eq!(broken().static_model().err(), Some(EmbeddingError::Damaged("wordllama-tokenizer.json")));
    assert_eq!(Models::none().transformer().err(), Some(EmbeddingError::Missing("the folder of the models")));
}

#[test]
fn a_version_tells_other_files_and_other_ways_apart() {
    let versions = [version(1, &[b"ab", b"c"]), version(1, &[b"a", b"bc"]), version(2, &[b"ab", b"c"])];
    assert!(versions.iter().all(|version| *version > 0));
    assert_eq!(versions.iter().collect::<std::collections::BTreeSet<_>>().len(), 3);
}

#[test]
fn eight_bits_keep_a_cosine_and_one_bit_keeps_the_sign() {
    let wave = |shift: f32| (0..384).map(|n| (n as f32 * 0.37 + shift).sin()).collect::<Vec<f32>>();
    let (a, b) = (wave(0.0), wave(0.8));
    let [qa, qb] = [&a, &b].map(|vector| Quantized::of(vector).unwrap());
    assert!((qa.cosine(&qb) - cosine(&a, &b)).abs() < 0.01);
    assert_eq!(Quantized::from_bytes(qa.bytes().to_vec()), Some(qa.clone()));
    let signs: [u64; BITS_TRANSFORMER] = qa.signs();
    let expected = |n: usize| qa.bytes()[n].cast_signed() > 0;
    assert!((0..384).all(|n| (signs[n / 64] >> (n % 64) & 1 == 1) == expected(n)));
    assert_eq!([Quantized::of(&[0.0; 384]), Quantized::of(&[f32::NAN; 384])], [None, None]);
}
