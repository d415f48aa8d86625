import fc from 'fast-check'
import assert from 'node:assert/strict'
import { test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { rowOf, setRows } from '#test/harness/fixtures/rows.ts'
import { Problem } from '#domain/problem.ts'
import { reviseRequest } from '../../revising/revise-request.ts'
import { revokePermit } from '../../permits/revoke-permit.ts'
import { advanceRequests } from '../../requests/ending/advance-requests.ts'
import { TurnModel, type CallKind } from './turn-model.fixture.ts'

let turns = 0
let texts = 0

const desk = disposeAfterTests(await openAgentDesk())

const does = [
  'approve',
  'approve',
  'approve',
  'deny',
  'stop',
  'edit',
  'expire',
  'revoke',
  'touch',
  'look',
  'look',
  'pump',
  'next turn',
] as const
const kinds: readonly CallKind[] = ['ask', 'ask', 'ask', 'free', 'read', 'blocked', 'error']
const aCall = fc.record({ kind: fc.constantFrom(...kinds), file: fc.integer({ min: 0, max: 1 }) })
const aStep = fc.record({ do: fc.constantFrom(...does), place: fc.integer({ min: 0, max: 5 }) })
const aTurn = fc.record({
  calls: fc.array(aCall, { minLength: 2, maxLength: 6 }),
  steps: fc.array(aStep, { maxLength: 14 }),
})
type Turn = typeof aTurn extends fc.Arbitrary<infer T> ? T : never
type Step = Turn['steps'][number]

/** One turn on the real store, with the model of what should become of it beside it. */
class Played {
  readonly model: TurnModel
  readonly #folder: string
  #runId = ''
  #ids: string[] = []

  constructor(turn: Turn) {
    turns += 1
    this.#folder = `turn-${turns}`
    this.model = new TurnModel(
      new Map(),
      turn.calls.map(({ kind, file }) => ({
        kind,
        path: kind === 'read' ? 'notes/there.md' : this.#pathOf(kind, file),
        content: this.#text(),
      })),
    )
  }

  #pathOf(kind: CallKind, file: number): string {
    return `${kind === 'free' ? 'scratch' : 'notes'}/${this.#folder}/${file}.md`
  }

  #text(): string {
    texts += 1
    return `text ${texts}\n`
  }

  async start(): Promise<void> {
    await desk.write('notes/there.md', 'there\n')
    desk.steps.length = 0
    desk.modelRequests.length = 0
    const calls = this.model.calls.map(({ kind, path, content }) => {
      if (kind === 'read') return { tool: 'read_file', input: { path } }
      if (kind === 'blocked') return { tool: 'delete_file', input: { path: 'notes/there.md' } }
      const to = kind === 'error' ? `../${path}` : path
      return { tool: 'write_file', input: { path: to, content } }
    })
    desk.say({ calls })
    this.#runId = await desk.start()
    await desk.turn(this.#runId, 1)
    this.#ids = (await desk.calls(this.#runId, 1)).map((call) => call.id)
  }

  /** Takes the step in the store and in the model, which must agree on whether it is allowed. */
  async step({ do: what, place }: Step): Promise<void> {
    switch (what) {
      case 'approve':
        return this.#asked(place, this.model.decide(place, 'approved'), (id) =>
          desk.decide(desk.people.grace, id),
        )
      case 'deny':
        return this.#asked(place, this.model.decide(place, 'denied'), (id) =>
          desk.decide(desk.people.grace, id, { decision: 'deny' }),
        )
      case 'stop':
        return this.#asked(place, this.model.stop(place), (id) =>
          desk.decide(desk.people.grace, id, { decision: 'deny', then: 'stop' }),
        )
      case 'edit': {
        const text = this.#text()
        const may = this.model.edit(place, text)
        return this.#asked(place, may, (id) => this.#edit(place, id, text))
      }
      case 'revoke':
        return this.#asked(place, this.model.revoke(place), (request) =>
          revokePermit(desk.api, desk.people.grace.caller, { request, reason: 'no' }),
        )
      case 'expire':
        if (this.model.decide(place, 'expired')) await this.#expire(place)
        return
      case 'touch': {
        const path = this.#pathOf('ask', place % 2)
        const text = this.#text()
        this.model.disk.set(path, text)
        await desk.write(path, text)
        return
      }
      case 'look':
        return this.#look(place)
      case 'pump':
        for (const each of this.model.calls.keys()) await this.#look(each)
        return
      case 'next turn':
        await this.#nextTurn()
    }
  }

  async #asked(
    place: number,
    allowed: boolean,
    act: (requestId: string) => Promise<unknown>,
  ): Promise<void> {
    const calls = await desk.calls(this.#runId, 1)
    const requestId = calls[place]?.requestId ?? ''
    if (requestId === '') return
    const refused = await act(requestId).then(
      () => null,
      (error: unknown) => error,
    )
    if (refused !== null && !(refused instanceof Problem)) throw refused
    assert.equal(refused === null, allowed, `${refused?.code ?? 'allowed'} at ${place}`)
  }

  async #edit(place: number, request: string, content: string): Promise<void> {
    const current = await rowOf(desk.database.db, 'request', { id: request })
    const input = { path: this.model.calls[place]?.path ?? '', content }
    const { caller } = desk.people.linus
    await reviseRequest(desk.api, caller, { request, ...current, input })
  }

  async #expire(place: number): Promise<void> {
    const calls = await desk.calls(this.#runId, 1)
    await setRows(
      desk.database.db,
      'request',
      { id: calls[place]?.requestId ?? '' },
      { expires_at: new Date(0) },
    )
    await advanceRequests(desk.api, { runId: this.#runId })
  }

  async #look(place: number): Promise<void> {
    const id = this.#ids[place]
    if (id === undefined) return
    this.model.perform(place)
    await desk.execute(id)
  }

  /** Whoever asks for the next turn while a call has no result gets this one. */
  async #nextTurn(): Promise<void> {
    if (this.model.isOver) return
    const turn = await desk.turn(this.#runId, 2)
    assert.deepEqual([turn.kind, desk.modelRequests.length], ['calls', 1])
  }

  async compare(): Promise<void> {
    const calls = await desk.calls(this.#runId, 1)
    const modelled = this.model.calls.map((call) => call.result)
    assert.deepEqual(
      calls.map((call) => call.result),
      modelled,
    )
    const started = await desk.database.db
      .selectFrom('execution')
      .innerJoin('tool_call', 'tool_call.id', 'execution.call_id')
      .select(['tool_call.position', 'execution.state'])
      .where('tool_call.run_id', '=', this.#runId)
      .where('tool_call.read_only', '=', false)
      .where('execution.state', '!=', 'refused')
      .orderBy('execution.started_at')
      .execute()
    assert.deepEqual(
      started.map(({ position, state }) => [position - 1, state]),
      this.model.ran.map((position) => [position, 'succeeded']),
    )
    for (const [path, text] of this.model.disk) assert.equal(await desk.read(path), text)
  }

  /** Approves whatever still waits and carries it out, until every call has its result. */
  async finish(): Promise<void> {
    for (let round = 0; !this.model.isOver; round += 1) {
      assert.ok(round < 20, 'the turn does not end')
      for (const place of this.model.calls.keys()) {
        if (this.model.calls[place]?.standing === 'pending') {
          await this.step({ do: 'approve', place })
        }
      }
      await this.step({ do: 'pump', place: 0 })
    }
    await this.compare()
    const kind = this.model.stopped === Infinity ? 'ended' : 'waiting_for_input'
    assert.deepEqual(await desk.turn(this.#runId, 2), { kind })
  }
}

// Rules: product.md 1, 7, 8, 11, 12, 14, 15
test('whatever people do and whatever changes, in any order, a turn ends as the rules require', async () => {
  await fc.assert(
    fc.asyncProperty(aTurn, async (turn) => {
      const played = new Played(turn)
      await played.start()
      for (const step of turn.steps) {
        await played.step(step)
        await played.compare()
      }
      await played.finish()
    }),
    { numRuns: 50, interruptAfterTimeLimit: 25_000, endOnFailure: false },
  )
}, 240_000)
