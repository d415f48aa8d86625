import type { FrontEndMessage } from '#api/schemas/runs/ag-ui.ts'
import type { UiPart } from '#domain/runs/ui-part.ts'

/** The version of the Agent User Interaction Protocol that the service implements. */
export const agUiVersion = '1.0'

/** An event of AG-UI: its `type`, and the fields of that type. */
export type AgUiEvent = { readonly type: string } & Readonly<Record<string, unknown>>

/** The parts of a run that a front end already has, by the ids of its messages. */
export interface FrontEndHistory {
  readonly messages: ReadonlySet<string>
  /** ids of calls that it has, and of calls whose result it has */
  readonly calls: ReadonlySet<string>
  readonly results: ReadonlySet<string>
  /** the last turn of which it has a part; 0: none */
  readonly turn: number
}

/** Reads the history from the messages that a front end sends with its request. Pure. */
export function historyOf(runId: string, messages: readonly FrontEndMessage[]): FrontEndHistory {
  const turns = messages.flatMap(({ id }) => {
    const [own, turn] = id.startsWith(`${runId}.`) ? id.slice(runId.length).split('.') : []
    return own === '' && /^\d{1,9}$/.test(turn ?? '') ? [Number(turn)] : []
  })
  return {
    messages: new Set(messages.map(({ id }) => id)),
    calls: new Set(messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id))),
    results: new Set(
      messages.flatMap(({ role, toolCallId }) =>
        role === 'tool' && toolCallId ? [toolCallId] : [],
      ),
    ),
    turn: turns.reduce((max, turn) => Math.max(max, turn), 0),
  }
}

/**
 * Translates the parts of a run's stream, in order, into events of AG-UI, without those that the
 * front end already has. Steps are left out: a step that waits for a decision would be open at the
 * end.
 */
export class AgUiTranslator {
  readonly #runId: string
  readonly #history: FrontEndHistory
  /** id of the message whose text has begun and not ended */
  #open: string | null = null
  #turn = 0

  constructor(runId: string, history: FrontEndHistory) {
    this.#runId = runId
    this.#history = history
  }

  /** The events of one part; `turn` is the turn that the part belongs to. */
  translate(part: UiPart, turn: number): readonly AgUiEvent[] {
    this.#turn = turn
    switch (part.type) {
      case 'text-start':
        return this.#begin(`${this.#runId}.${part.id}`)
      case 'text-delta':
        return this.#open === null || part.delta === ''
          ? []
          : [{ type: 'TEXT_MESSAGE_CONTENT', messageId: this.#open, delta: part.delta }]
      case 'text-end':
      case 'reset-step':
        return this.end()
      case 'tool-input-available':
        return this.#call(part)
      case 'tool-output-available':
        return this.#result(part.toolCallId, textOf(part.output))
      case 'tool-output-error':
        return this.#result(part.toolCallId, part.errorText)
      case 'tool-output-denied':
        return this.#result(part.toolCallId, 'Denied: this call did not run.')
      default:
        return []
    }
  }

  /** Ends the open text, as each run of AG-UI must before it ends. */
  end(): readonly AgUiEvent[] {
    const messageId = this.#open
    this.#open = null
    return messageId === null ? [] : [{ type: 'TEXT_MESSAGE_END', messageId }]
  }

  #begin(messageId: string): readonly AgUiEvent[] {
    if (this.#history.messages.has(messageId)) return []
    this.#open = messageId
    return [{ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' }]
  }

  #call({
    toolCallId,
    toolName,
    input,
  }: Extract<UiPart, { type: 'tool-input-available' }>): readonly AgUiEvent[] {
    if (this.#history.calls.has(toolCallId)) return []
    const parentMessageId = `${this.#runId}.${this.#turn}.calls`
    return [
      { type: 'TOOL_CALL_START', toolCallId, toolCallName: toolName, parentMessageId },
      { type: 'TOOL_CALL_ARGS', toolCallId, delta: JSON.stringify(input) },
      { type: 'TOOL_CALL_END', toolCallId },
    ]
  }

  #result(toolCallId: string, content: string): readonly AgUiEvent[] {
    if (this.#history.results.has(toolCallId)) return []
    const messageId = `${this.#runId}.${this.#turn}.result.${toolCallId}`
    return [{ type: 'TOOL_CALL_RESULT', messageId, toolCallId, role: 'tool', content }]
  }
}

function textOf(output: unknown): string {
  return typeof output === 'string' ? output : JSON.stringify(output)
}
