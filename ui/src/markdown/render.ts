// Markdown of strangers (models, documents) as safe HTML.
//
// Invariant: nothing that a model writes becomes HTML of its own. Raw HTML is shown as text, pictures from elsewhere are
// links, links lead to http, https and mailto only, and DOMPurify looks over all of it once more.
import createDOMPurify from "dompurify";
import { Marked, type Token, type Tokens, type TokensList } from "marked";
import { t } from "../text/text";
import { escape } from "./escape";
import { highlight } from "./highlight";

const tags = [
  ..."p br strong em del code pre span a ul ol li blockquote h1 h2 h3 h4 h5 h6 hr div button".split(" "),
  ..."table thead tbody tr th td".split(" "),
];
const attributes = ["href", "title", "class", "start", "align", "dir", "type", "tabindex", "aria-label"];
const classes = /^(hljs-[\w-]+|code|code-head|code-copy|table|task)$/;

const purify = createDOMPurify(window);

purify.addHook("uponSanitizeAttribute", (_node, data) => {
  if (data.attrName !== "class") return;
  const kept = data.attrValue.split(/\s+/).filter((name) => classes.test(name));
  if (kept.length) data.attrValue = kept.join(" ");
  else data.keepAttr = false;
});

/** The address, if it is one that may be opened. */
export function safeLink(href: string): string | null {
  // Browsers skip these characters inside a scheme; so an address with them is none.
  if (/[\u0000-\u001f\u007f]/.test(href)) return null;
  try {
    const url = new URL(href);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

const marked = new Marked({
  gfm: true,
  breaks: false,
  renderer: {
    html: ({ text }) => escape(text),
    link({ href, title, tokens }) {
      const inner = this.parser.parseInline(tokens);
      const link = safeLink(href);
      return link ? `<a href="${escape(link)}" title="${escape(title ? `${title} (${link})` : link)}">${inner}</a>` : inner;
    },
    image({ href, text }) {
      const link = safeLink(href);
      const name = escape(text || href.slice(0, 80));
      return link ? `<a href="${escape(link)}" title="${escape(link)}">${name}</a>` : name;
    },
    code({ text, lang }) {
      const language = (lang ?? "").trim().split(/\s+/)[0]!.toLowerCase();
      const head = `<span>${escape(language)}</span><button type="button" class="code-copy">${escape(t.chat.copyCode)}</button>`;
      return `<div class="code" dir="ltr"><div class="code-head">${head}</div><pre tabindex="0"><code>${highlight(text, language)}</code></pre></div>`;
    },
    checkbox: ({ checked }) => `<span class="task">${checked ? "☑" : "☐"}</span> `,
    table(token) {
      const row = (cells: Tokens.TableCell[]) => `<tr>${cells.map((cell) => this.tablecell(cell)).join("")}</tr>`;
      const head = `<thead>${row(token.header)}</thead>`;
      return `<div class="table"><table>${head}<tbody>${token.rows.map(row).join("")}</tbody></table></div>`;
    },
  },
});

/** The blocks of a text: paragraphs, lists, code, … */
export function blocksOf(source: string): TokensList {
  return marked.lexer(source);
}

/** One block as safe HTML. */
export function renderBlock(token: Token): string {
  return clean(marked.parser([token]));
}

/** A whole text as safe HTML. */
export function render(source: string): string {
  return clean(marked.parser(marked.lexer(source)));
}

function clean(html: string): string {
  return purify.sanitize(html, {
    ALLOWED_TAGS: tags,
    ALLOWED_ATTR: attributes,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
  });
}
