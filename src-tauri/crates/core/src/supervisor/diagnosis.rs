//! What the last lines of a local engine tell, by rules. Where they tell nothing, a model can be asked with the same
//! lines: they hold no secret.

use crate::providers::error::Diagnosis;

/// What an engine writes and what it means, in lower case. The first that is met counts: a card's own memory is told as
/// a fault of the card, which is why that stands before the memory.
const RULES: &[(&str, Diagnosis)] = &[
    ("cuda error", Diagnosis::Graphics),
    ("no cuda-capable device", Diagnosis::Graphics),
    ("hip error", Diagnosis::Graphics),
    ("vk::", Diagnosis::Graphics),
    ("ggml_vulkan: device memory allocation", Diagnosis::Graphics),
    ("ggml_metal_init: error", Diagnosis::Graphics),
    ("error while loading shared libraries", Diagnosis::LibraryMissing),
    ("cannot open shared object file", Diagnosis::LibraryMissing),
    ("library not loaded", Diagnosis::LibraryMissing),
    ("' not found (required by", Diagnosis::LibraryMissing),
    ("illegal instruction", Diagnosis::IllegalInstruction),
    ("failed to allocate", Diagnosis::OutOfMemory),
    ("insufficient memory", Diagnosis::OutOfMemory),
    ("unable to allocate", Diagnosis::OutOfMemory),
    ("cannot allocate memory", Diagnosis::OutOfMemory),
    ("bad_alloc", Diagnosis::OutOfMemory),
    ("out of memory", Diagnosis::OutOfMemory),
    ("couldn't bind", Diagnosis::PortTaken),
    ("address already in use", Diagnosis::PortTaken),
    ("unknown model architecture", Diagnosis::ModelUnsupported),
    ("unknown pre-tokenizer", Diagnosis::ModelUnsupported),
    ("gguf version", Diagnosis::ModelUnsupported),
    ("key not found in model", Diagnosis::ModelUnsupported),
    ("invalid ggml type", Diagnosis::ModelUnsupported),
    ("invalid magic", Diagnosis::ModelDamaged),
    ("bad magic", Diagnosis::ModelDamaged),
    ("failed to read magic", Diagnosis::ModelDamaged),
    ("not within the file bounds", Diagnosis::ModelDamaged),
    ("corrupted or incomplete", Diagnosis::ModelDamaged),
    ("unexpectedly reached end of file", Diagnosis::ModelDamaged),
    ("failed to read tensor", Diagnosis::ModelDamaged),
    ("wrong number of tensors", Diagnosis::ModelDamaged),
    ("failed to open gguf file", Diagnosis::ModelUnreadable),
    ("permission denied", Diagnosis::ModelUnreadable),
    ("invalid argument: --", Diagnosis::OtherVersion),
    ("unknown argument", Diagnosis::OtherVersion),
];

/// What the last lines tell; none where no rule knows them.
pub fn diagnose(log: &[String]) -> Option<Diagnosis> {
    let log = log.join("\n").to_lowercase();
    RULES.iter().find(|(sign, _)| log.contains(sign)).map(|(_, diagnosis)| *diagnosis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_of_an_engine_tell_what_is_wrong() {
        let of = |line: &str| diagnose(&["main: loading model".to_owned(), line.to_owned()]);
        let cases = [
            ("gguf_init_from_file_impl: invalid magic characters: '{\"sa', expected 'GGUF'", Diagnosis::ModelDamaged),
            (
                "llama_model_load: error loading model: tensor 'blk.3.ffn_up.weight' data is not within the file bounds, \
                 model is corrupted or incomplete",
                Diagnosis::ModelDamaged,
            ),
            (
                "llama_model_load: error loading model: unknown model architecture: 'mamba9'",
                Diagnosis::ModelUnsupported,
            ),
            (
                "ggml_backend_cpu_buffer_type_alloc_buffer: failed to allocate buffer of size 9663676416",
                Diagnosis::OutOfMemory,
            ),
            ("terminate called after throwing an instance of 'std::bad_alloc'", Diagnosis::OutOfMemory),
            ("CUDA error: out of memory", Diagnosis::Graphics),
            ("start: couldn't bind HTTP server socket, hostname: 127.0.0.1, port: 8080", Diagnosis::PortTaken),
            (
                "llama-server: error while loading shared libraries: libgomp.so.1: cannot open shared object file",
                Diagnosis::LibraryMissing,
            ),
            ("Illegal instruction (core dumped)", Diagnosis::IllegalInstruction),
            ("error: invalid argument: --ctx-size", Diagnosis::OtherVersion),
            ("gguf_init_from_file: failed to open GGUF file 'x.gguf' (Permission denied)", Diagnosis::ModelUnreadable),
        ];
        for (line, expected) in cases {
            assert_eq!(of(line), Some(expected), "{line}");
        }
        assert_eq!(of("srv  update_slots: all slots are idle"), None);
        assert_eq!(diagnose(&[]), None);
    }
}
