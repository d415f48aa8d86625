import type { Json } from '#domain/json/json.ts'
import type { OutputStream } from '#domain/tools/tool-result.ts'
import type { RestReason, RunState } from '#domain/requests/request.ts'
import type { RunFailure } from '#store/tables/runs.ts'
import type { CallResult } from '../../transcript/store-result.ts'

/** The state of a run, and of the turn at the reader's position. */
export interface StreamView {
  readonly runId: string
  /** turns whose message is stored */
  readonly turns: number
  readonly state: RunState
  readonly rest: RestReason | null
  readonly failure: RunFailure | null
  /** no turn follows unless somebody acts: the run has ended, or waits for a message */
  readonly rests: boolean
  readonly turn: TurnView
}

/**
 * `none`: the model has not begun it, or its attempt has failed. `live`: the model writes; `text`
 * begins at the reader's offset if that attempt is the reader's, else at its beginning. `stored`:
 * its message is stored; `text` likewise.
 */
export type TurnView =
  | { readonly kind: 'none' }
  | { readonly kind: 'live'; readonly attempt: number; readonly text: string }
  | {
      readonly kind: 'stored'
      readonly attempt: number
      readonly text: string
      readonly calls: readonly CallView[]
    }

export interface CallView {
  readonly callId: string
  readonly toolCallId: string
  readonly tool: string
  readonly input: Json
  /** ids of its requests, oldest first */
  readonly requests: readonly string[]
  readonly result: Pick<CallResult, 'type' | 'text' | 'output'> | null
  /** the newest attempt while there is no result; `null`: none has begun */
  readonly live: LiveAttempt | null
}

/** The output of an attempt after the reader's position. */
export interface LiveAttempt {
  readonly attempt: number
  /** nobody knows how it ended */
  readonly isLost: boolean
  readonly streams: readonly LiveStreamPiece[]
}

export interface LiveStreamPiece {
  readonly stream: OutputStream
  readonly start: number
  readonly bytes: Uint8Array
}
