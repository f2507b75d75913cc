// Parts of a row of memory.

/** A piece of the quiet line; some lead somewhere. */
export interface Piece {
  text: string;
  /** What the button is called where its text alone would not tell. */
  name?: string;
  run?: () => void;
  testid?: string;
}

/** The date that somebody's words mean. */
export interface RowDate {
  text: string;
  past: boolean;
  /** The words that say it. */
  title: string | null;
}
