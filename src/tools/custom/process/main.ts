import { writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { readLines } from '../bounded-lines.ts'
import type {
  FromMessage,
  LeftBehind,
  LoadedTools,
  ToMessage,
  ToolProcessSetup,
} from '../tool-protocol.ts'
import { answerQuestion, messageOf } from './answer-question.ts'
import { loadToolFiles } from './load-tool-files.ts'
import type { LoadedTool } from './loaded-tool.ts'
import { registerModuleHooks } from './module-hooks.ts'

/** Entry of a tool process: questions come on descriptor 3, answers go to 4, and 5 closes when the parent is gone. */
const [questions, answers, lifeline] = [3, 4, 5] as const
const mostQuestionBytes = 64 * 1024 * 1024

const setup = JSON.parse(process.argv[2] ?? '') as ToolProcessSetup
new Worker(new URL('lifeline.ts', import.meta.url), {
  workerData: { descriptor: lifeline },
}).unref()
registerModuleHooks(setup)

let tools = new Map<string, LoadedTool>()
let controller = new AbortController()

async function answer(message: Exclude<ToMessage, { do: 'abort' }>): Promise<unknown> {
  if (message.do === 'load') {
    const loaded = await loadToolFiles(setup, (loading) => send({ loading }))
    tools = loaded.tools
    const descriptions = [...tools.values()].map((tool) => tool.description)
    return { tools: descriptions, problems: loaded.problems } satisfies LoadedTools
  }
  const tool = tools.get(message.tool)
  if (tool === undefined) throw new Error(`There is no tool ${message.tool}`)
  return answerQuestion(tool, message, controller.signal, setup.maxResultBytes)
}

async function take(line: string): Promise<void> {
  const message = JSON.parse(line) as ToMessage
  if (message.do === 'abort') {
    controller.abort(new Error('The call was cancelled or its time is up'))
    return
  }
  send({ taken: message.id })
  controller = new AbortController()
  try {
    const value = (await answer(message)) ?? null
    send({ id: message.id, ok: true, value, left: leftBehind() })
  } catch (error) {
    send({ id: message.id, ok: false, problem: messageOf(error), left: leftBehind() })
  }
}

function leftBehind(): LeftBehind {
  return {
    memoryBytes: process.memoryUsage.rss(),
    resources: process.getActiveResourcesInfo().length,
  }
}

/** Written at once and whole, so that an answer is out before whatever the tool does next. */
function send(message: FromMessage): void {
  const bytes = Buffer.from(`${JSON.stringify(message)}\n`)
  for (let at = 0; at < bytes.length;) at += writeSync(answers, bytes, at)
}

// A tool's stray promise is its own affair: the call it belongs to has been, or will be, answered.
process.on('unhandledRejection', (error) => console.error(error))

for await (const line of readLines(
  new Socket({ fd: questions, readable: true }),
  mostQuestionBytes,
)) {
  void take(line)
}
