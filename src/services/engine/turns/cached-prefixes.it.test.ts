import { expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskConfig, deskWorker } from '#test/harness/fixtures/agent-desk.ts'
import { plainModel } from '#test/harness/fixtures/models/plain-model.ts'
import { startProviderServer } from '#test/harness/fixtures/models/provider-server.ts'
import type { Json, JsonObject } from '#domain/json/json.ts'
import type { Model, ModelRequest } from '#models/model.ts'
import { openModel } from '#models/open-model.ts'
import { TranscriptCache } from '../../transcript/transcript-cache.ts'
import { readWindowSteps } from '../../transcript/window-steps.ts'
import { takeTurn } from './take-turn.ts'
import { desk, say, useTurnDesk } from './turns.fixture.ts'
import { compactionInstructions } from '../window/compact.ts'

useTurnDesk()

const server = disposeAfterTests(await startProviderServer())

const turns = 50

function open(model: string, prefix: string): Model {
  const environment = server.environment(prefix)
  return openModel({ ...plainModel, model, script: null, environment })
}

/** The model's answer in a turn: each tenth a text, else a read, and later a long write. */
function wordsOf(turn: number) {
  if (turn % 10 === 0) return { text: [`That was ${turn}.`], call: null }
  const [name, input] =
    turn < 30
      ? ['read_file', { path: 'notes/big.md' }]
      : ['write_file', { path: `scratch/${turn}.txt`, content: `${turn} `.repeat(4000) }]
  return { text: ['I ', 'go on.'], call: { id: `c${turn}`, name, args: JSON.stringify(input) } }
}

/** Runs 50 turns with messages and restarts, and returns all requests to the model. */
async function conversation(): Promise<{ runId: string; requests: ModelRequest[] }> {
  await desk.activate({
    'countersign.yaml': `${deskConfig}models: { scripted-by-the-test: { context: 16000 } }\n`,
    'workers/scribe.md': deskWorker.replace(/limits: .*/, 'limits: { turns: 100 }'),
  })
  await desk.write('notes/big.md', 'A line of the notes.\n'.repeat(400))
  const model = open('anthropic:claude', 'ANTHROPIC')
  const requests: ModelRequest[] = []
  const modelOf = (): Model => ({
    ...model,
    step: (request) => {
      requests.push(request)
      return model.step(request)
    },
  })
  const runId = await desk.start({ conversation: true })
  let transcripts = new TranscriptCache()
  for (let turn = 1; turn <= turns; turn += 1) {
    server.words = ({ body }) =>
      JSON.stringify(body['system']).includes(JSON.stringify(compactionInstructions).slice(1, -1))
        ? { text: ['What was done.'], call: null }
        : wordsOf(turn)
    // Another process, which has read nothing yet.
    if (turn % 15 === 0) transcripts = new TranscriptCache()
    const worker = { ...desk.worker, modelOf, transcripts }
    const outcome = await takeTurn(worker, { runId, turn, signal: new AbortController().signal })
    if (outcome.kind === 'calls') await desk.perform(outcome)
    else await say(runId, `And then, after ${turn}?`)
  }
  return { runId, requests }
}

interface Block {
  readonly role?: Json
  readonly content?: Json
  readonly parts?: Json
}

/** A body's parts in the order of a provider: tools and instructions first. */
function partsOf(body: JsonObject): readonly string[] {
  const { tools, system, instructions, systemInstruction } = body
  const messages = (body['messages'] ?? body['input'] ?? body['contents']) as unknown as Block[]
  const parts = messages.flatMap((message) => {
    const within = message.content ?? message.parts
    return Array.isArray(within)
      ? within.map((part) => ({ role: message.role ?? null, part }))
      : [message]
  })
  const first = { tools, system, instructions, systemInstruction }
  // The cache marks change their place, which providers do not compare.
  return [first, ...parts].map((part) =>
    JSON.stringify(part, (key, value: unknown) => (key === 'cache_control' ? undefined : value)),
  )
}

/** The indexes of bodies that do not begin with the whole previous body. */
function changes(bodies: readonly JsonObject[]): readonly number[] {
  const parts = bodies.map(partsOf)
  return parts.flatMap((now, index) => {
    const before = parts[index - 1]
    if (before === undefined) return []
    return before.every((part, index) => now[index] === part) ? [] : [index]
  })
}

// Rules: product.md 31, 32, 33
test('in 50 turns of a conversation, the provider gets the earlier prompt unchanged, except once for each elision and compaction', async () => {
  const { runId, requests } = await conversation()
  const steps = await readWindowSteps(desk.database.db, runId)
  const kinds = steps.map(({ kind }) => kind)
  expect(new Set(kinds)).toEqual(new Set(['elision', 'compaction']))
  const isAnswered = requests.map(({ system }) => system !== compactionInstructions)
  const bodies = server.questions.map(({ body }) => body).filter((_, index) => isAnswered[index])
  expect(bodies).toHaveLength(turns)
  const atTurns = [...new Set(steps.map(({ atTurn }) => atTurn))]
  expect(changes(bodies).map((index) => index + 1)).toEqual(atTurns)
  expect(atTurns.length).toBeLessThan(turns / 4)

  // The same questions in the formats of other providers.
  const questions = requests.filter((_, index) => isAnswered[index])
  for (const [model, prefix] of [
    ['openai:gpt', 'OPENAI'],
    ['google:gemini-2.5-pro', 'GOOGLE_GENERATIVE_AI'],
    ['openai-compatible:qwen', 'OPENAI_COMPATIBLE'],
  ] as const) {
    const opened = open(model, prefix)
    server.questions.length = 0
    server.words = () => ({ text: ['Yes.'], call: null })
    for (const question of questions) await opened.step(question)
    const sent = server.questions.map(({ body }) => body)
    expect(changes(sent).map((index) => index + 1)).toEqual(atTurns)
  }
})
