import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import type { RequestItem } from '#api/schemas/requests/request-item.ts'
import type { RunDetail } from '#api/schemas/runs/runs.ts'
import type { Transcript, TranscriptCall } from '#api/schemas/runs/transcript.ts'
import { Installation } from '../harness/installation/installation.ts'
import { startRun } from '../harness/installation/start-run.ts'
import type { Answer, TestSession } from '../harness/installation/test-session.ts'
import { waitUntil } from '../harness/wait-until.ts'

const command = fileURLToPath(new URL('../../bin/countersign', import.meta.url))
const rests = ['waiting_for_approval', 'waiting_for_input', 'completed', 'failed', 'cancelled']

/**
 * A real installation, which the tests use as other programs do: over HTTP and `bin/countersign`.
 */
export class ContractDesk implements AsyncDisposable {
  readonly installation: Installation

  private constructor(installation: Installation) {
    this.installation = installation
  }

  static async open(files: Readonly<Record<string, string>>): Promise<ContractDesk> {
    return new ContractDesk(await Installation.start(files))
  }

  /** The session of a person of the project, `ada` for `ada@example.com`. */
  as(name: string): Promise<TestSession> {
    return this.installation.as(name)
  }

  /** Starts a run and waits until it rests. */
  async run(
    worker: string,
    { by = 'alan', ...more }: { by?: string; mode?: string } = {},
  ): Promise<string> {
    const id = await startRun(await this.as(by), { worker, input: 'go', ...more })
    await this.until(id, rests, by)
    return id
  }

  async until(run: string, states: readonly string[], by = 'alan'): Promise<RunDetail> {
    const session = await this.as(by)
    let found: RunDetail | undefined
    await waitUntil(
      async () => {
        found = (await session.get(`/v1/runs/${run}`)).body as unknown as RunDetail
        return states.includes(found.state) || `the run is ${found.state}`
      },
      { everyMs: 50 },
    )
    return found as RunDetail
  }

  /** Every call of the run in order, as its transcript has them. */
  async calls(run: string, by = 'alan'): Promise<TranscriptCall[]> {
    const { body } = await (await this.as(by)).get(`/v1/runs/${run}/transcript`)
    return (body as unknown as Transcript).items.flatMap((item) => item.calls ?? [])
  }

  /** The run's requests, oldest first, as `viewer` sees them. */
  async requests(run: string, viewer = 'grace'): Promise<RequestDetail[]> {
    const session = await this.as(viewer)
    const { body } = await session.get(`/v1/requests?runId=${run}&limit=200`)
    const items = (body['items'] as RequestItem[]).toSorted((a, b) => a.number - b.number)
    return Promise.all(items.map((item) => this.request(item.id, viewer)))
  }

  async request(reference: string | number, viewer = 'grace'): Promise<RequestDetail> {
    const { body } = await (await this.as(viewer)).get(`/v1/requests/${reference}`)
    return body as unknown as RequestDetail
  }

  /** The run's first pending request, once there is one. */
  async pending(run: string, viewer = 'grace'): Promise<RequestDetail> {
    let found: RequestDetail | undefined
    await waitUntil(
      async () => {
        found = (await this.requests(run, viewer)).find(({ state }) => state === 'pending')
        return found !== undefined || 'nothing is pending'
      },
      { everyMs: 100 },
    )
    return found as RequestDetail
  }

  /** Decides what `request` showed; waits until the effect is known. */
  async decide(
    request: Pick<RequestDetail, 'id' | 'digest' | 'revision'>,
    body: Record<string, unknown> = {},
    by = 'grace',
  ): Promise<Answer> {
    const { id, digest, revision } = request
    const decision = { decision: 'approve', digest, revision, ...body }
    return (await this.as(by)).post(`/v1/requests/${id}/decisions`, decision, { prefer: 'wait=20' })
  }

  /** The newest pending request of a program for a tool, once there is one. */
  async pendingOfProgram(tool: string): Promise<RequestDetail> {
    let found: RequestItem | undefined
    const grace = await this.as('grace')
    await waitUntil(
      async () => {
        const { body } = await grace.get(`/v1/requests?state=pending&tool=${tool}`)
        found = (body['items'] as RequestItem[]).find(({ kind }) => kind === 'external')
        return found !== undefined || `nothing of ${tool} is pending`
      },
      { everyMs: 100 },
    )
    return this.request(found?.id ?? '')
  }

  /** Grace decides the request of a program after she has seen it. */
  async decideForProgram(request: RequestDetail, decision: string): Promise<void> {
    const seen = request.presentation.digest
    const answer = await this.decide(request, { decision, reason: 'looked at it', seen })
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
  }

  /** `countersign ARGS` in the project folder, without a terminal. */
  cli(...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    return new Promise((resolve) => {
      const child = execFile(
        process.execPath,
        [command, ...args],
        { cwd: this.installation.folder },
        (error, stdout, stderr) =>
          resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
      )
      child.stdin?.end()
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.installation[Symbol.asyncDispose]()
  }
}
