import type { Json, JsonObject } from '#domain/json/json.ts'
import type { PictureType } from '#domain/tools/picture-type.ts'

/** Arguments that are not JSON: the model gets an error, and nobody is asked. */
export interface InvalidInput {
  readonly invalidJson: string
}

export interface ModelCall {
  /** the model's own id for the call */
  readonly id: string
  readonly tool: string
  readonly input: Json | InvalidInput
}

/** A picture of a tool's result, or one that a person sent. */
export interface ModelPicture {
  readonly mediaType: PictureType
  readonly bytes: Uint8Array
}

/**
 * The transcript as a model gets it. Every call of an assistant message has its result in the
 * `tool` message after it.
 */
export type ModelMessage =
  | {
      readonly role: 'user'
      readonly text: string
      /** sent by a person with the message, or in the result of the tool that a person invoked */
      readonly pictures?: readonly ModelPicture[]
    }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly ModelCall[] }
  | {
      readonly role: 'tool'
      readonly results: readonly {
        readonly id: string
        readonly tool: string
        /** names each picture by type, size and hash, whether or not it is among `pictures` */
        readonly text: string
        readonly isError: boolean
        readonly pictures?: readonly ModelPicture[]
      }[]
    }

export interface ModelTool {
  readonly name: string
  readonly description: string
  readonly jsonSchema: JsonObject
}

export interface ModelRequest {
  /** with `turn`, what a scripted model makes the ids of its calls from */
  readonly runId: string
  readonly turn: number
  readonly system: string
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly ModelTool[]
  readonly signal: AbortSignal
  /**
   * Gets the answer's text piece by piece while it is written. The pieces together are the answer's
   * `text`. It must return at once and not throw. A step that fails may have given pieces, which
   * are no answer.
   */
  readonly onText?: (piece: string) => void
}

export interface ModelAnswer {
  readonly text: string
  readonly calls: readonly ModelCall[]
  readonly usage: ModelUsage
  /** the name of the model that the provider says has answered; absent: it says none */
  readonly responseModel?: string | undefined
}

/** What a step used, in tokens. */
export interface ModelUsage {
  /** all of the request */
  readonly inputTokens: number
  /** those of the input tokens that the provider read from its cache; absent: none */
  readonly cachedInputTokens?: number
  readonly outputTokens: number
}

/** The usage of an answer that reports none. */
export const noUsage: ModelUsage = { inputTokens: 0, outputTokens: 0 }

/** A model behind one interface: exactly one step, no tool is ever executed here. */
export interface Model {
  /** plays fixed turns; marked as such wherever the run is shown */
  readonly isScripted: boolean
  /** Rejects with `ModelProblem`, or with the signal's reason when `signal` fired. */
  step(request: ModelRequest): Promise<ModelAnswer>
}

/**
 * A model gave no usable answer. The message is a sentence for people and contains neither a key
 * nor a prompt.
 */
export class ModelProblem extends Error {
  override readonly name = 'ModelProblem'
  /** the same request may succeed later */
  readonly isRetryable: boolean
  /** the provider refused the request because it is too long */
  readonly isTooLong: boolean
  /** how long the provider wants the next attempt to wait, in milliseconds */
  readonly retryAfterMs?: number

  constructor(
    message: string,
    facts: {
      readonly isRetryable: boolean
      readonly retryAfterMs?: number
      readonly isTooLong?: boolean
    },
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.isRetryable = facts.isRetryable
    this.isTooLong = facts.isTooLong ?? false
    if (facts.retryAfterMs !== undefined) this.retryAfterMs = facts.retryAfterMs
  }
}
