import type { UIMessage } from 'ai'

/** The fields of a run that this page uses; docs/api.md has the others. */
export interface Run {
  readonly id: string
  readonly number: number
  readonly title: string
  readonly state: string
  readonly waitsFor: readonly {
    readonly number: number
    readonly people: readonly { name: string }[]
  }[]
}

export interface TranscriptItem {
  readonly turn: number
  readonly role: 'user' | 'assistant' | 'compaction'
  readonly text?: string
  readonly calls?: readonly {
    readonly toolCallId: string
    readonly tool: string
    readonly input: unknown
    readonly requestId?: string
    readonly result?: { readonly type: string; readonly output?: unknown; readonly text?: string }
  }[]
}

type Call = NonNullable<TranscriptItem['calls']>[number]
type Part = UIMessage['parts'][number]

const resting = ['waiting_for_input', 'completed', 'failed', 'cancelled']

/**
 * A transcript as messages of the AI SDK, one for each turn of the model, with the id that the
 * stream gives it. The turn in progress is left out, because the stream has all of it.
 */
export function messagesOf(run: Run, items: readonly TranscriptItem[]): UIMessage[] {
  const rests = resting.includes(run.state)
  const messages: UIMessage[] = []
  for (const [index, item] of items.entries()) {
    const { role, turn, calls = [] } = item
    const isOpen = !rests && calls.some((call) => call.result === undefined)
    if (role === 'compaction' || isOpen) continue
    const id = role === 'user' ? `${run.id}-${index}` : `${run.id}.${turn}`
    messages.push({ id, role, parts: partsOf(item) })
  }
  return messages
}

function partsOf({ text = '', calls = [] }: TranscriptItem): Part[] {
  const texts: Part[] = text === '' ? [] : [{ type: 'text', text }]
  return [...texts, ...calls.map(partOf)]
}

function partOf({ toolCallId, tool, input, requestId = '', result }: Call): Part {
  const type = `tool-${tool}` as const
  const call = { type, toolCallId, input }
  if (result === undefined) return { ...call, state: 'input-available' }
  if (result.type === 'output') {
    return { ...call, state: 'output-available', output: result.output ?? result.text }
  }
  if (result.type === 'denied') {
    return { ...call, state: 'output-denied', approval: { id: requestId, approved: false } }
  }
  return { ...call, state: 'output-error', errorText: result.text ?? result.type }
}
