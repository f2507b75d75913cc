import type { MemoryFilters } from "./types";

/** Everything, by whomever, as of now. */
export const noFilters: MemoryFilters = {
  origins: [],
  leastConfidence: null,
  mostConfidence: null,
  neverUsed: false,
  superseded: false,
  pinned: false,
  subject: null,
  asOf: null,
  episodeKind: null,
};
