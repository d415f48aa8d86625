/** How parts of a transcript leave the model's window (product.md 31). */
const windowStepKinds = ['elision', 'compaction'] as const
export type WindowStepKind = (typeof windowStepKinds)[number]

/** The author of an entry of a transcript; a compaction is the model's summary of old turns. */
export const transcriptRoles = ['user', 'assistant', 'compaction'] as const

/** The context of a model without a known size, in tokens. */
export const defaultContextTokens = 32_768

/** Used where no provider has counted: code and prose have 3 to 4 bytes a token. */
export const estimatedTokensPerByte = 0.3

/** The size that a picture counts: providers bill pictures by their dimensions. */
export const pictureAsTextBytes = 6000

/** A recorded step after which a run's model sees less of the transcript. */
export interface WindowStep {
  readonly kind: WindowStepKind
  /** the first turn with it */
  readonly atTurn: number
  readonly fromTurn: number
  readonly throughTurn: number
  /**
   * of an elision: the last call of `throughTurn` that it covers, counted from 1; 0: the pictures
   * of the messages that the turn read
   */
  readonly throughPosition: number
  /** of an elision: larger results are left out, in bytes */
  readonly resultsOver: number
  /** of a compaction: the model's summary of its turns */
  readonly text: string | null
  readonly at: Date
}

/** The turn from which on the model no longer sees a call's result; `null`: it sees it. */
export function elidedAt(
  steps: readonly WindowStep[],
  call: { readonly turn: number; readonly position: number; readonly resultBytes: number },
): number | null {
  const step = steps.find(
    ({ kind, throughTurn, throughPosition, resultsOver }) =>
      kind === 'elision' &&
      call.resultBytes > resultsOver &&
      (call.turn < throughTurn || (call.turn === throughTurn && call.position <= throughPosition)),
  )
  return step?.atTurn ?? null
}

/** The newest compaction, which includes the earlier ones; `null`: there is none. */
export function lastCompaction(steps: readonly WindowStep[]): WindowStep | null {
  return steps.findLast(({ kind }) => kind === 'compaction') ?? null
}
