import { v7 as uuidv7 } from 'uuid'
import type { Db } from '#store/database.ts'
import { rowOf } from '../../harness/fixtures/rows.ts'

/** One row of a person for each other operation with an id, and an id that no row has. */
export async function rowsOfPerson(
  db: Db,
  personId: string,
  about: { readonly runId: string; readonly requestId: string; readonly digest: string },
): Promise<readonly (readonly [path: string, there: string, absent: string])[]> {
  const [grant, view, key] = [uuidv7(), uuidv7(), uuidv7()]
  const [link, delivery, proposal] = [uuidv7(), uuidv7(), uuidv7()]
  const owned = { person_id: personId }
  const later = new Date(Date.now() + 60_000)
  const signed = { statement: '{}', signature: '', key_id: '' }
  await db
    .insertInto('approval_grant')
    .values({
      id: grant,
      root_run_id: about.runId,
      request_id: about.requestId,
      digest: about.digest,
      tool: 'write_file',
      scope: 'run',
      path: null,
      queue: 'platform',
      team: 'platform',
      granted_by: personId,
      uses_allowed: null,
      expires_at: null,
      revoked_at: null,
      revoked_by: null,
      ended_at: null,
      ...signed,
    })
    .execute()
  await db
    .insertInto('saved_view')
    .values({ ...owned, id: view, page: 'inbox', name: 'mine', query: '' })
    .execute()
  await db
    .insertInto('api_key_proposal')
    .values({
      id: key,
      name: 'robot',
      owner_id: personId,
      proposed_by: personId,
      scopes: ['runs:read'],
      key_expires_at: null,
      expires_at: later,
    })
    .execute()
  await db
    .insertInto('slack_link')
    .values({ ...owned, id: link, team: 'T1', user_id: 'U1' })
    .execute()
  await db.insertInto('endpoint').values({ name: 'webhook:ci', told_until: '0' }).execute()
  await db
    .insertInto('delivery')
    .values({
      id: delivery,
      endpoint: 'webhook:ci',
      event_id: uuidv7(),
      type: 'request.decided',
      request_id: about.requestId,
      body: '{}',
      last_status: null,
      last_error: null,
      ended_at: null,
    })
    .execute()
  const { digest } = await rowOf(db, 'policy_version', {})
  await db
    .insertInto('policy_proposal')
    .values({
      id: proposal,
      digest,
      previous_digest: digest,
      proposed_by: personId,
      note: null,
      expires_at: later,
      ended_at: null,
      ended_by: null,
      ...signed,
    })
    .execute()
  const { number } = await db
    .insertInto('policy_change')
    .values({
      worker: 'scribe',
      rule_id: 'zone:notes.write',
      rule_text: 'zone notes: write asks',
      evidence: JSON.stringify({ asked: 10, approved: 10, calls: 10, wouldRunAlone: 10 }),
      proposed_by: personId,
      ended_at: null,
    })
    .returning('number')
    .executeTakeFirstOrThrow()
  const ids = [
    ['/v1/grants/{id}', grant],
    ['/v1/me/views/{id}', view],
    ['/v1/key-proposals/{id}', key],
    ['/v1/slack/links/{id}', link],
    ['/v1/webhooks/deliveries/{id}', delivery],
    ['/v1/policy/proposals/{id}', proposal],
  ] as const
  return [
    ...ids.map(([path, there]) => [path, there, uuidv7()] as const),
    ['/v1/policy/changes/{number}', String(number), '999999'],
  ]
}
