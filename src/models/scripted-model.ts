import { createHash } from 'node:crypto'
import type { Script } from '#policy/script.ts'
import { parseScript } from '#policy/worker/read-script.ts'
import type { Model, ModelAnswer, ModelRequest } from './model.ts'

const noUsage = { inputTokens: 0, outputTokens: 0 }

/**
 * A model that plays fixed turns (workers-and-policy.md). How many turns were taken is read from
 * the messages, so a turn that is tried again plays the same. After the last turn the last text is
 * said again, or nothing when the last turn had calls. Throws when the text is no valid script.
 */
export function scriptedModel(scriptText: string): Model {
  const { turns } = scriptOf(scriptText)
  return {
    scripted: true,
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

/** A text word by word, each with the white space behind it. */
function piecesOf(text: string): readonly string[] {
  return text.match(/\s*\S+\s*|\s+/g) ?? []
}

/**
 * The newest scripts by their text: a run asks for its own at every turn, and parsing one takes
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

/** The same call of the same turn has the same id, however often the turn is tried. */
function generatedId({ runId, turn }: ModelRequest, position: number): string {
  const hash = createHash('sha256').update(`${runId}:${turn}:${position}`).digest('hex')
  return `call_${hash.slice(0, 24)}`
}
