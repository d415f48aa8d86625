import type { RequestItem } from '#api/schemas/requests/request-item.ts'
import type { TestSession } from './test-session.ts'

/** The requests of a run or of all, as the person of the session sees them, oldest first. */
export async function requestsOf(session: TestSession, runId?: string): Promise<RequestItem[]> {
  const { body } = await session.get(`/v1/requests${runId === undefined ? '' : `?runId=${runId}`}`)
  return (body['items'] as RequestItem[]).toSorted((one, other) => (one.id < other.id ? -1 : 1))
}

/** Approves what a request shows now. Throws the answer of a refusal. */
export async function approve(
  session: TestSession,
  { id, digest, revision }: Pick<RequestItem, 'id' | 'digest' | 'revision'>,
  more: { readonly reason?: string } = {},
): Promise<void> {
  const decision = { decision: 'approve', digest, revision, scope: 'once', ...more }
  const answer = await session.post(`/v1/requests/${id}/decisions`, decision)
  if (answer.status !== 200) throw new Error(`approval: ${JSON.stringify(answer)}`)
}
