import type { Client, RequestState } from '#program-client'
import { createClient } from '#program-client'
import { createProgram } from '../../api/program.ts'
import { createTestApi, type Reply, type TestApi } from '../../api/test-api.ts'

/** A service with a program of Ada's that asks, and Grace, who decides; Linus changes calls. */
export interface ApprovalDesk extends AsyncDisposable {
  readonly client: Client
  readonly apiKey: string
  readonly url: string
  /** the pending requests of a tool, oldest first */
  pending(tool: string): Promise<Request[]>
  /** Grace decides the only pending request of a tool, with a reason. */
  decide(tool: string, decision: 'approve' | 'deny'): Promise<Request>
  /** Linus changes the only pending request of a tool. */
  revise(tool: string, input: object): Promise<void>
  decideAs(name: 'ada' | 'grace', request: Request, decision: 'approve' | 'deny'): Promise<Reply>
  /** state of a request and of what its permit became */
  stateOf(id: string): Promise<{ readonly state: RequestState; readonly execution: string }>
}

export interface Request {
  readonly id: string
  readonly number: number
  readonly externalId: string
  readonly input: unknown
}

/** Opens the API over a database of its own. */
export async function openApprovalDesk(): Promise<ApprovalDesk> {
  const api: TestApi = await createTestApi()
  const people = {
    ada: await api.signIn(api.people.ada),
    grace: await api.signIn(api.people.grace),
    linus: await api.signIn(api.people.linus),
  }
  const { key } = await createProgram(api, people.ada)
  const pending: ApprovalDesk['pending'] = async (tool) => {
    const { body } = await people.grace.get(`/v1/requests?state=pending&tool=${tool}`)
    const items = body.items as { id: string; number: number }[]
    const found = items.toSorted((a, b) => a.number - b.number)
    return Promise.all(
      found.map(async ({ id }) => (await people.grace.get(`/v1/requests/${id}`)).body),
    )
  }
  const decideAs: ApprovalDesk['decideAs'] = async (name, { id }, decision) => {
    const { body } = await people.grace.get(`/v1/requests/${id}`)
    const { digest, presentation, revision } = body
    const seen = presentation.digest
    const decisionBody = { decision, digest, revision, reason: 'looked at it', seen }
    return people[name].post(`/v1/requests/${id}/decisions`, decisionBody)
  }
  return {
    client: createClient({ url: api.url, apiKey: key, timeoutMs: 5000 }),
    apiKey: key,
    url: api.url,
    pending,
    decideAs,
    async decide(tool, decision) {
      const [request, ...more] = await pending(tool)
      if (request === undefined || more.length > 0) {
        throw new Error(`${more.length + (request === undefined ? 0 : 1)} of ${tool} are pending`)
      }
      const { status, text } = await decideAs('grace', request, decision)
      if (status !== 200) throw new Error(text)
      return request
    },
    async revise(tool, input) {
      const [request] = await pending(tool)
      const { body } = await people.linus.get(`/v1/requests/${request?.id}`)
      const changed = { input, digest: body.digest, revision: body.revision }
      const { status, text } = await people.linus.post(`/v1/requests/${body.id}/revisions`, changed)
      if (status !== 200) throw new Error(text)
    },
    async stateOf(id) {
      const { body } = await people.grace.get(`/v1/requests/${id}`)
      return { state: body.state, execution: body.execution.state }
    },
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  }
}
