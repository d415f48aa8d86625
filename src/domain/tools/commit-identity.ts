/**
 * Whose name stands on the commits that a command makes, and what is added to their messages
 * (product.md 36).
 */
export interface CommitIdentity {
  readonly author: CommitPerson
  readonly committer: CommitPerson
  /** in their order; values are one line each */
  readonly trailers: readonly { readonly name: CommitTrailer; readonly value: string }[]
}

export interface CommitPerson {
  readonly name: string
  readonly email: string
}

/** The trailers that only the service writes. Their names count in any case. */
export const commitTrailers = ['Countersign-Request', 'Countersign-Run', 'Approved-by'] as const
export type CommitTrailer = (typeof commitTrailers)[number]

/** As Git has names: one line, without what marks an address. */
export function commitName(name: string): string {
  return name.replace(/[\p{C}<>]+/gu, ' ').trim()
}
