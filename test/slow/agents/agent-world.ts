import { execFile } from 'node:child_process'
import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { JsonObject } from '#domain/json/json.ts'
import { connectDatabase } from '#store/database.ts'
import { FaultWorld } from '#test/faults/fault-world.ts'
import { faultProject } from '#test/faults/fault-project.ts'
import { fakeClock } from '#test/harness/fixtures/fake-clock.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { openPackedProject, type PackedProject } from '../../packages/packed.ts'
import { ModelServer } from './model-server.ts'

/** How a program ended. */
export interface ProgramEnd {
  readonly code: number
  readonly out: string
  readonly err: string
}

/**
 * A real agent in a project of somebody else's, with the hook from its tarball and a scripted
 * model, and a whole installation that it asks with a key of Grace's.
 */
export class AgentWorld implements AsyncDisposable {
  readonly world: FaultWorld
  readonly model: ModelServer
  readonly project: PackedProject
  readonly env: Readonly<Record<string, string>>

  private constructor(world: FaultWorld, model: ModelServer, project: PackedProject, key: string) {
    this.world = world
    this.model = model
    this.project = project
    this.env = {
      PATH: process.env['PATH'] ?? '',
      HOME: join(project.folder, 'home'),
      COUNTERSIGN_URL: world.installation.url,
      COUNTERSIGN_API_KEY: key,
    }
  }

  /** `moreConfig` is appended to countersign.yaml. */
  static async start(moreConfig = ''): Promise<AgentWorld> {
    const files = faultProject({})
    const third = 'linus@example.com, edsger@example.com]'
    const config = files['countersign.yaml']
      ?.replace('linus@example.com]', third)
      .replace('platform: { team: platform }', 'platform: { team: platform, expiresAfter: 14d }')
    const world = await FaultWorld.start({ ...files, 'countersign.yaml': `${config}${moreConfig}` })
    const grace = await world.as('grace')
    const scopes = ['requests:write', 'requests:read']
    const { body } = await grace.post('/v1/keys', { name: 'agent', scopes })
    const model = await ModelServer.start()
    return new AgentWorld(world, model, await openPackedProject(['hook']), body['key'] as string)
  }

  /** Runs a program in the project folder to its end; what it exits with is an answer. */
  run(
    program: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    signal = new AbortController().signal,
  ): Promise<ProgramEnd> {
    const cwd = this.project.folder
    const options = { cwd, env: { ...this.env, ...env }, timeout: 240_000, signal }
    return new Promise((resolve) => {
      const child = execFile(program, args, options, (error, out, err) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), out, err })
      })
      child.stdin?.end()
    })
  }

  hook(...args: readonly string[]): Promise<ProgramEnd> {
    const { folder } = this.project
    return this.run(join(folder, 'node_modules/.bin/countersign-hook'), args)
  }

  /** Puts the hook of an agent into its settings in the project. */
  async install(agent: string, ...args: readonly string[]): Promise<void> {
    const { code, err } = await this.hook(agent, '--install', ...args)
    if (code !== 0 || err !== '') throw new Error(`the hook was not installed (${code}): ${err}`)
  }

  /** The reported outcome of the newest request of a program; `null`: none was reported. */
  async outcome(): Promise<string | null> {
    const [newest] = await this.world.sql<{ outcome: string | null }>(
      `select outcome from external_request order by request_id desc limit 1`,
    )
    if (newest === undefined) throw new Error('no program opened a request')
    return newest.outcome
  }

  /** The one request that waits, of those whose arguments contain a text, as somebody sees it. */
  async waiting(who = 'linus', text = ''): Promise<Record<string, unknown>> {
    const person = await this.world.as(who)
    let found: Record<string, unknown>[] = []
    const look = async (): Promise<true | string> => {
      const rows = await this.world.sql(`select id from request where state = 'pending'`)
      const answers = rows.map(({ id }) => person.get(`/v1/requests/${String(id)}`))
      found = (await Promise.all(answers))
        .map(({ body }) => body)
        .filter(({ input }) => JSON.stringify(input).includes(text))
      return found.length === 1 || `${found.length} requests wait`
    }
    await waitUntil(look, { withinMs: 120_000 })
    return found[0] ?? {}
  }

  /** The ids of the requests that wait. */
  async pending(): Promise<readonly string[]> {
    const rows = await this.world.sql(
      `select id from request where state = 'pending' order by number`,
    )
    return rows.map(({ id }) => String(id))
  }

  /** Linus decides one of the requests that wait. Returns the status. */
  async decideOn(id: string | undefined, decision: 'approve' | 'deny'): Promise<number> {
    const linus = await this.world.as('linus')
    const { body } = await linus.get(`/v1/requests/${id}`)
    const { digest, revision, presentation } = body as {
      readonly digest: string
      readonly revision: number
      readonly presentation: { readonly digest: string }
    }
    const seen = presentation.digest
    const words = { decision, digest, revision, seen, reason: 'not on a Friday' }
    return (await linus.post(`/v1/requests/${id}/decisions`, words)).status
  }

  /** The contents of a file of the project. */
  textOf(name: string): Promise<string> {
    return readFile(join(this.project.folder, name), 'utf8')
  }

  /** Edsger changes a name in the one call that waits. */
  async revise(from: string, to: string): Promise<void> {
    const { digest, id, input, revision } = await this.waiting('edsger')
    const changed = JSON.parse(JSON.stringify(input).replace(from, to)) as JsonObject
    const edsger = await this.world.as('edsger')
    const body = { input: changed, digest, revision }
    const { body: answer, status } = await edsger.post(`/v1/requests/${String(id)}/revisions`, body)
    if (status !== 200) throw new Error(JSON.stringify(answer))
  }

  /** Decides the one request that waits, of those with the text. Returns the status. */
  async decide(decision: 'approve' | 'deny', who = 'linus', text = ''): Promise<number> {
    const request = await this.waiting(who, text)
    const { digest, id, presentation, revision } = request as {
      readonly digest: string
      readonly id: string
      readonly revision: number
      readonly presentation: { readonly digest: string }
    }
    const answer = await (
      await this.world.as(who)
    ).post(`/v1/requests/${id}/decisions`, {
      decision,
      digest,
      revision,
      seen: presentation.digest,
      reason: 'not on a Friday',
    })
    return answer.status
  }

  /** Stops everything, and starts it again a week later by the clock of the database. */
  async passWeek(): Promise<void> {
    const url = await this.world.installation.databaseUrl()
    const db = connectDatabase({ url, poolSize: 1, applicationName: 'test' })
    const clock = await fakeClock(db)
    await clock.passWhileDown(7 * 86_400_000)
    await db.destroy()
    await this.world.restart()
  }

  has(name: string): Promise<boolean> {
    return access(join(this.project.folder, name)).then(
      () => true,
      () => false,
    )
  }

  /** Waits until it is so. */
  async until(isSo: () => Promise<boolean>): Promise<void> {
    await waitUntil(async () => (await isSo()) || 'it is not so')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.model[Symbol.asyncDispose]()
    await this.project[Symbol.asyncDispose]()
    await this.world[Symbol.asyncDispose]()
  }
}
