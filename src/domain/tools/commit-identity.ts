/** Author, committer and trailers of a command's commits (product.md 36). */
export interface CommitIdentity {
  readonly author: CommitPerson
  readonly committer: CommitPerson
  /** in order; values have one line each */
  readonly trailers: readonly { readonly name: CommitTrailer; readonly value: string }[]
}

export interface CommitPerson {
  readonly name: string
  readonly email: string
}

/** The trailers that only the service writes, in any case. */
export const commitTrailers = ['Countersign-Request', 'Countersign-Run', 'Approved-by'] as const
export type CommitTrailer = (typeof commitTrailers)[number]

/** A name in Git's form: one line, without the characters that delimit an address. */
export function commitName(name: string): string {
  return name.replace(/[\p{C}<>]+/gu, ' ').trim()
}

/** As Git reads trailers: an indented line is text of the message. */
const ownLine = new RegExp(`^(${commitTrailers.join('|')})[ \\t]*:`, 'im')

/** What is wrong with a message that has one of {@link commitTrailers}; `null`: it has none. */
export function ownLineProblem(message: string): string | null {
  const name = ownLine.exec(message)?.[1]
  if (name === undefined) return null
  return `The message has a line "${name}:", which the service writes itself. Leave it out.`
}
