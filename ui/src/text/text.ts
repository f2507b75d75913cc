// The table of strings in use, and the type that every other language has to fill.
import { en } from "./en";

/** The same shape with any words in it: the same keys, the same parameters, lists of the same kind. */
type Words<T> = T extends string
  ? string
  : T extends (...args: infer A) => infer R
    ? (...args: A) => Words<R>
    : T extends readonly (infer Item)[]
      ? readonly Words<Item>[]
      : { readonly [K in keyof T]: Words<T[K]> };

/** What a language must say. A table that leaves something out does not compile. */
export type Strings = Words<typeof en>;

/** The strings of the window. */
export const t: Strings = en;
