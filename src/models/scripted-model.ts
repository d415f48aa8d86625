import { createHash } from 'node:crypto'
import type { Script } from '#policy/script.ts'
import { parseScript } from '#policy/worker/read-script.ts'
import { noUsage, type Model, type ModelAnswer, type ModelRequest } from './model.ts'

/**
 * A model that plays fixed turns (workers-and-policy.md). It counts the turns in the messages, so a
 * retried turn plays the same. After the last turn it repeats the last text, or gives no text if
 * the last turn had calls. Throws for a text that is no valid script.
 */
export function scriptedModel(scriptText: string): Model {
  const { turns } = scriptOf(scriptText)
  return {
    isScripted: true,
    async step(request) {
      request.signal.throwIfAborted()
      const index = request.messages.filter((message) => message.role === 'assistant').length
      const turn = turns[index]
      const last = turns.at(-1)
      const answer =
        turn !== undefined
          ? answerOf(turn, request)
          : {
              text: last === undefined || last.calls.length > 0 ? '' : last.text,
              calls: [],
              usage: noUsage,
            }
      for (const piece of piecesOf(answer.text)) request.onText?.(piece)
      return answer
    },
  }
}

/** A text in words, each with the white space after it. */
function piecesOf(text: string): readonly string[] {
  return text.match(/\s*\S+\s*|\s+/g) ?? []
}

/**
 * The newest parsed scripts by their text. A run needs its script at every turn, and parsing takes
 * longer than a query.
 */
const scripts = new Map<string, Script>()
const maxScripts = 20

function scriptOf(text: string): Script {
  const script = scripts.get(text) ?? parseScript(text)
  if (scripts.size >= maxScripts) scripts.clear()
  scripts.set(text, script)
  return script
}

function answerOf(
  turn: ReturnType<typeof parseScript>['turns'][number],
  request: ModelRequest,
): ModelAnswer {
  return {
    text: turn.text,
    calls: turn.calls.map((call, position) => ({
      id: call.id ?? generatedId(request, position),
      tool: call.tool,
      input: call.input,
    })),
    usage: noUsage,
  }
}

/** A call of a turn has the same id at every attempt of the turn. */
function generatedId({ runId, turn }: ModelRequest, position: number): string {
  const hash = createHash('sha256').update(`${runId}:${turn}:${position}`).digest('hex')
  return `call_${hash.slice(0, 24)}`
}
