import { sql } from 'kysely'
import type { Db, Tx } from '#store/database.ts'
import { callKey, isSameCall, type EarlierCall, type GatewayCall } from './call-identity.ts'

/** The request of the earlier call that this one repeats; `null`: it is a new call. */
export async function findEarlier(
  db: Db | Tx,
  keyId: string,
  call: GatewayCall,
): Promise<string | null> {
  const { rows } = await sql<EarlierCall & { readonly requestId: string }>`
    select g.request_id as "requestId", e.verdict, g.client_call_id as "clientCallId",
      g.refusal is not null or coalesce(r.cancel_reason, '') = 'withdrawn'
        or exists (select 1 from permit p where p.request_id = r.id and p.revision = r.revision
          and p.state = 'lapsed') as "isGivenUp",
      g.left_at is not null as "wasLeft",
      (extract(epoch from clock_timestamp() - g.told_at) * 1000)::float8 as "toldForMs"
    from gateway_call g
    join request r on r.id = g.request_id
    join external_request e on e.request_id = g.request_id
    where g.call_key = ${callKey(keyId, call)}
    order by g.created_at desc limit 1
  `.execute(db)
  const [earlier] = rows
  return earlier !== undefined && isSameCall(earlier, call) ? earlier.requestId : null
}
