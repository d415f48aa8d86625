import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Answer, TestSession } from '../harness/installation/test-session.ts'
import { waitUntil } from '../harness/wait-until.ts'
import type { Scene } from './dump-project.ts'

/** A service of any version, over its HTTP API. */
export interface EarlierService {
  readonly projectDir: string
  signIn(email: string): Promise<TestSession>
  /** kill -9; it is started again */
  killTemporalWorker(): Promise<void>
}

/** The facts about the scenes that the API gave: a later version must give the same. */
export interface DumpFacts {
  readonly runs: readonly { readonly scene: Scene; readonly id: string; readonly state: string }[]
  readonly requests: readonly {
    readonly id: string
    readonly scene: Scene
    readonly kind: string
    readonly state: string
    readonly execution: string | null
  }[]
  readonly auditEvents: number
}

interface Request {
  readonly id: string
  readonly kind: string
  readonly state: string
  readonly digest: string
  readonly revision: number
  readonly execution?: { readonly state: string } | null
}

/**
 * Makes runs, requests, decisions, executions and events in all states. Some still run when this
 * resolves.
 */
export async function playScenes(service: EarlierService): Promise<DumpFacts> {
  const [ada, grace, linus] = await Promise.all(
    ['ada', 'grace', 'linus'].map((name) => service.signIn(`${name}@example.com`)),
  )
  if (ada === undefined || grace === undefined || linus === undefined) throw new Error('nobody')
  const runs = new Map<Scene, string>()
  const start = async (scene: Scene): Promise<string> => {
    const run = String(
      done(await ada.post('/v1/runs', { worker: scene, input: `Play ${scene}` }))['id'],
    )
    runs.set(scene, run)
    return run
  }
  const requestsOf = async (scene: Scene): Promise<Request[]> => {
    const { body } = await grace.get(`/v1/requests?runId=${runs.get(scene) ?? ''}`)
    return (body['items'] as Request[]).toSorted((one, other) => (one.id < other.id ? -1 : 1))
  }
  const pending = async (scene: Scene, count = 1): Promise<Request[]> => {
    let found: Request[] = []
    await until(async () => {
      found = (await requestsOf(scene)).filter(({ state }) => state === 'pending')
      return found.length === count || `${scene}: ${found.length} pending`
    })
    return found
  }
  const decide = async (
    who: TestSession,
    request: Request | undefined,
    how: Record<string, unknown> = {},
  ): Promise<void> => {
    const { id = '', digest, revision } = request ?? {}
    const decision = how['decision'] ?? 'approve'
    const scope = decision === 'approve' ? { scope: 'once' } : {}
    const body = { decision, digest, revision, ...scope, ...how }
    done(await who.post(`/v1/requests/${id}/decisions`, body))
  }
  const first = async (scene: Scene): Promise<Request> => {
    const [request] = await pending(scene)
    if (request === undefined) throw new Error(`${scene} asks nothing`)
    return request
  }
  const untilState = (scene: Scene, state: string): Promise<void> =>
    until(async () => {
      const found = (await grace.get(`/v1/runs/${runs.get(scene) ?? ''}`)).body['state']
      return found === state || `${scene} is ${String(found)}`
    })
  const untilWritten = (line: string): Promise<void> =>
    until(async () => {
      const journal = await readFile(join(service.projectDir, 'journal.txt'), 'utf8').catch(
        () => '',
      )
      return journal.includes(line) || `${line} has not begun`
    })

  await start('approved')
  await start('edited')
  await start('granted')
  await start('denied')
  await start('stopped')
  await start('hurried')
  await start('cancelled')
  await decide(grace, await first('approved'), { reason: 'As planned' })
  const request = await first('edited')
  const change = { path: 'notes/edited.md', content: 'as edited\n' }
  const { digest, revision } = request
  done(
    await grace.post(`/v1/requests/${request.id}/revisions`, {
      input: change,
      digest,
      revision,
      reason: 'Shorter',
    }),
  )
  await decide(linus, await first('edited'))
  await decide(grace, await first('granted'), { scope: 'run' })
  await decide(grace, await first('denied'), {
    decision: 'deny',
    then: 'continue',
    reason: 'Not this',
  })
  await decide(grace, (await pending('stopped', 2))[0], { decision: 'deny', then: 'stop' })
  await first('cancelled')
  done(await ada.post(`/v1/runs/${runs.get('cancelled') ?? ''}/cancel`, { reason: 'Enough' }))
  for (const scene of ['approved', 'edited', 'granted', 'denied', 'hurried'] as const)
    await untilState(scene, 'completed')

  // Two calls of which nobody knows whether they ran: one is settled, one is left.
  await start('settled')
  await start('lost')
  await decide(grace, await first('settled'))
  await decide(grace, await first('lost'))
  await untilWritten('settled')
  await untilWritten('lost')
  await service.killTemporalWorker()
  await until(async () => (await requestsOf('lost')).length === 2 || 'no outcome check yet')
  const check = await first('settled')
  const found = { ran: true, then: 'continue', reason: 'The journal has it' }
  done(await grace.post(`/v1/requests/${check.id}/settle`, found))
  await untilState('settled', 'completed')

  await start('waiting')
  const [waiting] = await pending('waiting', 2)
  done(await linus.post(`/v1/requests/${waiting?.id ?? ''}/comments`, { text: 'Who knows this?' }))
  done(await linus.post(`/v1/requests/${waiting?.id ?? ''}/claim`))
  done(await ada.post(`/v1/runs/${runs.get('waiting') ?? ''}/messages`, { text: 'No hurry.' }))
  await start('quorum')
  await decide(grace, await first('quorum'))
  await start('executing')
  for (const request of await pending('executing', 2)) await decide(grace, request)
  await untilWritten('executing')

  const states = await Promise.all(
    [...runs].map(async ([scene, id]) => {
      const { body } = await grace.get(`/v1/runs/${id}`)
      const requests = await requestsOf(scene)
      return { scene, id, state: String(body['state']), requests }
    }),
  )
  const events = await grace.get('/v1/audit?limit=200')
  return {
    runs: states.map(({ scene, id, state }) => ({ scene, id, state })),
    requests: states.flatMap(({ scene, requests }) =>
      requests.map(({ id, kind, state, execution }) => ({
        id,
        scene,
        kind,
        state,
        execution: execution?.state ?? null,
      })),
    ),
    auditEvents: (events.body['items'] as unknown[]).length,
  }
}

/** Ends the scenes that still run, so that the service can stop. */
export async function endScenes(projectDir: string): Promise<void> {
  await writeFile(join(projectDir, 'go'), '')
  await rm(join(projectDir, 'journal.txt'), { force: true })
}

function until(holds: () => Promise<boolean | string>): Promise<void> {
  return waitUntil(holds, { withinMs: 120_000, everyMs: 200 })
}

function done({ status, body }: Answer): Record<string, unknown> {
  if (status >= 300) throw new Error(JSON.stringify(body))
  return body
}
