import { sql, type RawBuilder } from 'kysely'
import type { JsonObject } from '#domain/json/json.ts'
import type { CallFacts } from '#domain/requests/request.ts'
import { failUnless } from '#store/connection/fail-unless.ts'
import { toJsonb } from '#store/database.ts'
import { newestPolicyDigest } from './call-at-hand.ts'

/** The row of an attempt that begins. */
export interface StartingAttempt {
  readonly callId: string
  readonly attempt: number
  readonly requestId: string | null
  /** consumed by it */
  readonly permitId: string | null
  readonly grantId: string | null
  readonly digest: string
  readonly executor: string
  readonly detail: JsonObject
  /** the state of the call's files, stored with the call */
  readonly facts: CallFacts
  /** the epoch and the newest activation by which it was judged */
  readonly epoch: number
  readonly newestPolicy: string | null
}

/** The permit is no longer live, or policy or epoch are others than the attempt was judged by. */
export const changedSince = 'What an attempt was judged by has changed'

/**
 * The statement that consumes the permit and marks the attempt `started`. It fails with
 * {@link changedSince} when the permit is no longer live, or when another version of the policy or
 * another epoch began. The caller holds the locks of run and requests.
 */
export function attemptToStart(starting: StartingAttempt): RawBuilder<unknown> {
  const { callId, permitId } = starting
  return sql`
    with spent as (
      update permit set state = 'consumed', ended_at = clock_timestamp()
      where id = ${permitId}::uuid and state = 'live' returning id
    ), allowed as (
      select from installation
      where epoch = ${starting.epoch}::integer
        and ${newestPolicyDigest} is not distinct from ${starting.newestPolicy}::text
        and (${permitId}::uuid is null or exists (select from spent))
    ), updated_call as (
      update tool_call set facts = ${toJsonb(starting.facts)}::jsonb
      where id = ${callId} and exists (select from allowed)
    ), started as (
      insert into execution (call_id, attempt, state, request_id, permit_id, grant_id, executed_digest,
        executor, detail, epoch, started_at)
      select ${callId}::uuid, ${starting.attempt}::integer, 'started', ${starting.requestId}::uuid,
        ${permitId}::uuid, ${starting.grantId}::uuid, ${starting.digest}, ${starting.executor},
        ${toJsonb(starting.detail)}::jsonb, installation.epoch, clock_timestamp()
      from allowed cross join installation
      returning call_id
    )
    select ${failUnless(sql`(select count(*) from started) = 1`, sql`${changedSince}::text`)}
  `
}
