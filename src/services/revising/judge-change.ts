import type { Selectable } from 'kysely'
import type { JsonObject } from '#domain/json/json.ts'
import { gatewayWorkerName } from '#policy/worker/gateway-workers.ts'
import type { Tx } from '#store/database.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import type { SigningContext } from '../core/context.ts'
import type { RemoteJudgement, StoredPresentation } from '../core/host-queries.ts'
import { judgeChangedExternal } from '../external/judge-changed-external.ts'
import { invalid } from '../core/problems/invalid.ts'
import { gatewayServerOf } from '../requests/facts/gateway-call.ts'

/** The judgement of a changed call, and its presentation. */
export interface JudgedChange {
  readonly judged: RemoteJudgement
  /** Stores the presentation, in the transaction that writes the revision. */
  present(tx: Tx): Promise<StoredPresentation>
}

/** Judges a changed call by the policy of its run's worker, of its server, or of its program. */
export async function judgeChange(
  ctx: SigningContext,
  request: Selectable<RequestTable>,
  input: JsonObject,
): Promise<JudgedChange> {
  const server = await gatewayServerOf(ctx.db, request.id)
  if (server !== null)
    return judgeServed(ctx, request, { worker: gatewayWorkerName(server), input })
  if (request.kind === 'external') return judgeChangedExternal(ctx, request, input)
  const run = await ctx.db
    .selectFrom('run')
    .select('worker')
    .where('id', '=', request.run_id)
    .executeTakeFirst()
  if (run === undefined) throw invalid('request', 'has no run, so no worker can judge the change')
  return judgeByWorker(ctx, request, { worker: run.worker, input })
}

/** An approval of a gateway call is for that call alone, whatever scopes the tool offers. */
async function judgeServed(
  ctx: SigningContext,
  request: Selectable<RequestTable>,
  changed: ChangedCall,
): Promise<JudgedChange> {
  const { judged: judgement, present } = await judgeByWorker(ctx, request, changed)
  const { routing } = judgement.judgement
  const once = routing === null ? null : { ...routing, scopes: ['once' as const] }
  return { judged: { ...judgement, judgement: { ...judgement.judgement, routing: once } }, present }
}

interface ChangedCall {
  readonly worker: string
  readonly input: JsonObject
}

async function judgeByWorker(
  ctx: SigningContext,
  { call_id: callId, id, run_id: runId, tool }: Selectable<RequestTable>,
  { worker, input }: ChangedCall,
): Promise<JudgedChange> {
  const answer = await ctx.judgeRemotely({
    worker,
    tool,
    input,
    ...(runId === null ? {} : { runId }),
    ...(callId === null ? {} : { callId }),
    present: true,
    isEdit: true,
  })
  return {
    judged: answer,
    present: async () => {
      if (answer.presented === null) throw new Error(`Request ${id} was judged but not presented`)
      return answer.presented
    },
  }
}
