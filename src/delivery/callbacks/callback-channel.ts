import { sql, type Selectable } from 'kysely'
import { callbackEndpoint } from '#services/requests/ending/notify-program.ts'
import type { Seals } from '#domain/statements/row-seals.ts'
import type { Db } from '#store/database.ts'
import { fromJsonRow, type JsonRow } from '#store/json-row.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import { finalOutcome, type NotificationChannel } from '../channels/channel.ts'
import { changedRows } from '../channels/body-matches-request.ts'
import { resolveForeignHost, type TargetRules } from '../webhooks/find-target.ts'
import { answerGitHub, type GitHubAnswerContext } from '../deployments/answer-github.ts'
import { sendSigned } from '../webhooks/send-webhook.ts'
import { readSecrets } from '../webhooks/webhook-secret.ts'

/**
 * Notifies programs at their `callbackUrl`. The message is written when the request ends, so
 * `compose` makes none from the stream. Each key has two slots of its own, so that a program that
 * hangs delays only itself.
 */
export function callbackChannel(
  options: TargetRules & {
    readonly db: Db
    readonly seals: Seals
    readonly deployments?: Omit<GitHubAnswerContext, keyof TargetRules>
  },
): NotificationChannel {
  const { db, seals, allow, isDevelopment } = options
  return {
    name: callbackEndpoint,
    kind: 'callback',
    events: [],
    queues: null,
    slots: { atOnce: 32, perRecipient: 2 },
    compose: async () => [],
    send: async (due, stopping, timeoutMs) => {
      const { id, body, requestId } = due
      const { deployments } = options
      if (deployments !== undefined) {
        const signal = AbortSignal.any([stopping, AbortSignal.timeout(timeoutMs)])
        const outcome = await answerGitHub({ ...deployments, allow, isDevelopment }, due, signal)
        if (outcome !== null) return outcome
      }
      const row = await db
        .selectFrom('external_request')
        .innerJoin('api_key', 'api_key.id', 'external_request.api_key_id')
        .innerJoin('request', 'request.id', 'external_request.request_id')
        .selectAll('external_request')
        .select(['api_key.revoked_at', sql<JsonRow>`to_jsonb(request)`.as('request')])
        .where('external_request.request_id', '=', requestId)
        .executeTakeFirst()
      if (row === undefined) return finalOutcome('the request no longer exists')
      const keys = readSecrets(row.callback_secret ?? undefined)
      if (row.callback_url === null || keys === null) {
        return finalOutcome('the request has no callback address, or its secret cannot be read')
      }
      const request = fromJsonRow<Selectable<RequestTable>>(row.request)
      const isVouched = seals.holds('external_request', row) && seals.holds('request', request)
      const { external_id: externalId } = row
      if (!isVouched || !states(body, { requestId, externalId, state: request.state })) {
        return finalOutcome(changedRows)
      }
      // A row that was put back to before the revocation does not make the key live again.
      const isRevoked = seals.revocations.has({ what: 'api_key', id: row.api_key_id })
      if (row.revoked_at !== null || isRevoked) return finalOutcome('the API key was revoked')
      const url = row.callback_url
      const sending = { id, url, body, allow, isDevelopment, timeoutMs, stopping }
      return sendSigned(keys, { ...sending, resolve: resolveForeignHost })
    },
  }
}

/** Whether a callback has exactly these contents, which are signed for the program. */
function states(body: string, data: object): boolean {
  const stated: unknown = JSON.parse(body)
  if (typeof stated !== 'object' || stated === null || !('data' in stated)) return false
  return JSON.stringify(stated.data) === JSON.stringify(data)
}
