import type { Json } from '../json/json.ts'
import type { OutputStream } from '../tools/tool-result.ts'
import type { RestReason, RunState } from '../requests/request.ts'

/** Why a message ended, by the AI SDK's names that a run's stream uses. */
const finishReasons = ['stop', 'error', 'other'] as const
export type FinishReason = (typeof finishReasons)[number]

/**
 * A part of the AI SDK's UI message stream that a run's stream uses. The text of another attempt
 * replaces that of one that failed (`reset-step`).
 */
export type UiPart =
  | { readonly type: 'start'; readonly messageId: string }
  | { readonly type: 'start-step' | 'finish-step' | 'reset-step' }
  | { readonly type: 'text-start' | 'text-end'; readonly id: string }
  | { readonly type: 'text-delta'; readonly id: string; readonly delta: string }
  | {
      readonly type: 'tool-input-available'
      readonly toolCallId: string
      readonly toolName: string
      readonly input: Json
    }
  | {
      readonly type: 'tool-approval-request'
      readonly approvalId: string
      readonly toolCallId: string
    }
  | {
      readonly type: 'tool-output-available'
      readonly toolCallId: string
      readonly output: Json
    }
  | {
      readonly type: 'tool-output-error'
      readonly toolCallId: string
      readonly errorText: string
    }
  | { readonly type: 'tool-output-denied'; readonly toolCallId: string }
  | CommandOutputPart
  | {
      readonly type: 'finish'
      readonly finishReason: FinishReason
      readonly messageMetadata: RunEnd
    }

/** Live output of a running command (`transient`); the call's result follows. */
export interface CommandOutputPart {
  readonly type: 'data-command-output'
  readonly id: string
  readonly transient: true
  readonly data: {
    readonly callId: string
    readonly toolCallId: string
    readonly stream: OutputStream
    readonly attempt: number
    /** of the stream, in bytes: where the text begins and ends; a gap before it is not stored */
    readonly start: number
    readonly end: number
    readonly text: string
    /** the attempt's end is unknown, or another began: its output belongs to no result */
    readonly lost: boolean
  }
}

/** The state of the run at the end of a message. */
export interface RunEnd {
  readonly state: RunState
  /** why it rests; `null`: it has ended */
  readonly rest: RestReason | null
  readonly failure: { readonly code: string; readonly message: string } | null
}

/** One event: a part, or the end of the stream. */
export interface UiEvent {
  readonly id: string
  readonly part: UiPart | '[DONE]'
}
