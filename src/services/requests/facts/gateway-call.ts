import { Problem } from '#domain/problem.ts'
import type { Db, Tx } from '#store/database.ts'

/** The gateway server whose call a request is for; `null`: it is not a gateway call. */
export async function gatewayServerOf(db: Db | Tx, requestId: string): Promise<string | null> {
  const row = await db
    .selectFrom('gateway_call')
    .select('server')
    .where('request_id', '=', requestId)
    .executeTakeFirst()
  return row?.server ?? null
}

/**
 * Throws for gateway calls and deployments: the service itself consumes their permits and reports
 * their ends.
 */
export async function refuseServiceCall(tx: Tx, requestId: string): Promise<void> {
  if ((await gatewayServerOf(tx, requestId)) !== null) {
    throw new Problem('conflict', 'This call is made by the service: call its tool again')
  }
  const deployment = await tx
    .selectFrom('external_request')
    .select('request_id')
    .where('request_id', '=', requestId)
    .where('deployment', 'is not', null)
    .executeTakeFirst()
  if (deployment === undefined) return
  throw new Problem('conflict', 'The service itself reports this decision to GitHub')
}
