import { waitUntil } from '../../harness/wait-until.ts'
import type { Client, Reply, TestApi } from '../test-api.ts'

/** Decides a request as it was read, with all that its page sends. */
export function decideAsShown(
  by: Client,
  request: Reply['body'],
  decision: string,
  reason = 'looked',
): Promise<Reply> {
  return by.post(`/v1/requests/${request.id}/decisions`, {
    decision,
    digest: request.digest,
    revision: request.revision,
    reason,
    seen: request.presentation.digest,
    ...(decision === 'approve' && request.alike.again > 0 ? { again: true } : {}),
  })
}

/** The request that a program's name of its call gets, once it waits, as somebody sees it. */
export async function requestNamed(
  { database }: Pick<TestApi, 'database'>,
  viewer: Client,
  externalId: string,
): Promise<Reply['body']> {
  let id: string | undefined
  const look = async () => {
    const row = await database.db
      .selectFrom('external_request')
      .select('request_id')
      .where('external_id', '=', externalId)
      .executeTakeFirst()
    id = row?.request_id
    return id !== undefined || 'nothing waits'
  }
  await waitUntil(look, { withinMs: 30_000 })
  return (await viewer.get(`/v1/requests/${id}`)).body
}
