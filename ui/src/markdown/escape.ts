const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Text as HTML that shows just this text. */
export function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character]!);
}
