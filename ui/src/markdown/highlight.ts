// Code in colour, for the languages that people ask about most. Anything else stays plain: guessing is slow and often wrong.
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import cpp from "highlight.js/lib/languages/cpp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { escape } from "./escape";

hljs.registerLanguage("bash", bash);
hljs.registerLanguage("cpp", cpp);
hljs.registerLanguage("css", css);
hljs.registerLanguage("diff", diff);
hljs.registerLanguage("go", go);
hljs.registerLanguage("java", java);
hljs.registerLanguage("json", json);
hljs.registerLanguage("markdown", markdown);
hljs.registerLanguage("python", python);
hljs.registerLanguage("rust", rust);
hljs.registerLanguage("sql", sql);
hljs.registerLanguage("typescript", typescript);
hljs.registerLanguage("xml", xml);
hljs.registerLanguage("yaml", yaml);
hljs.registerAliases(["javascript", "js", "jsx", "mjs"], { languageName: "typescript" });
hljs.registerAliases(["shell", "console"], { languageName: "bash" });
hljs.registerAliases(["svelte", "vue"], { languageName: "xml" });
hljs.registerAliases(["toml", "ini"], { languageName: "yaml" });

/** Beyond this, colouring costs more than it helps. */
const MOST = 40_000;

/** Code as HTML: coloured where the language is known, else escaped. */
export function highlight(code: string, language: string): string {
  if (!hljs.getLanguage(language) || code.length > MOST) return escape(code);
  return hljs.highlight(code, { language, ignoreIllegals: true }).value;
}
