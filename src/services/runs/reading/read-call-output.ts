import { memberOf } from '#domain/json/value-in.ts'
import type { OutputState } from '#domain/requests/request.ts'
import { isCommandTool } from '#domain/tools/built-in-tools.ts'
import { Problem } from '#domain/problem.ts'
import type { Json } from '#domain/json/json.ts'
import type { OutputStream } from '#domain/tools/tool-result.ts'
import { getContent, getText } from '#store/content/content.ts'
import type { Db } from '#store/database.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { missingProblem } from '../../core/problems/missing.ts'
import { refuseErased } from '../../requests/words/erased-requests.ts'
import { assertVisible } from '../visible-run.ts'
import { invalid } from '../../core/problems/invalid.ts'

/** The part of a stream that can be read from an offset. */
export interface CallOutput {
  /** `running`: more may come; `ended`: this is all that was stored */
  readonly state: OutputState
  /** the number of the attempt; the offsets of another one begin at 0 */
  readonly attempt: number
  /** offset of `bytes`: greater than the one asked for when earlier bytes are no longer stored */
  readonly start: number
  readonly bytes: Buffer
}

/**
 * The output of a run's call on one of its streams from `offset` (bytes) on: after its end
 * everything that was stored (security.md 24), while it runs the newest part. Rejects with
 * `not_found` for a run, call or output that the caller may not see, and with `invalid_request`
 * when `offset` is beyond the end.
 */
export async function readCallOutput(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly callId: string; readonly stream: OutputStream; readonly offset: number },
): Promise<CallOutput> {
  // One query, since storing a result between two would remove the live output.
  const call = await ctx.db
    .selectFrom('tool_call')
    .leftJoin('execution', 'execution.call_id', 'tool_call.id')
    .leftJoin('live_output', (join) =>
      join
        .onRef('live_output.call_id', '=', 'tool_call.id')
        .onRef('live_output.attempt', '=', 'execution.attempt')
        .on('live_output.stream', '=', input.stream),
    )
    .select(['run_id', 'tool', 'result_type', 'result_output_hash', 'execution.attempt'])
    .select(['execution.state', 'tool_call.request_id', 'skipped', 'bytes'])
    .where('tool_call.id', '=', input.callId)
    .orderBy('execution.attempt', 'desc')
    .limit(1)
    .executeTakeFirst()
  // A caller who may not see the run must not learn its id.
  const missing = missingProblem('call', input.callId)
  if (call === undefined) throw missing
  await assertVisible(ctx, caller, call.run_id, missing)
  const { attempt, state, result_type: result } = call
  const isOpen = result === null && (state === 'started' || state === 'unknown')
  if (isOpen && attempt !== null) {
    return {
      state: state === 'started' ? 'running' : 'unknown',
      attempt,
      ...from(input.offset, call.skipped ?? 0, call.bytes ?? Buffer.alloc(0)),
    }
  }
  await refuseErased(ctx.db, call.request_id)
  // A hash in another tool's result is only its own text, and gives no right to the content.
  if (!isCommandTool(call.tool)) throw new Problem('not_found', 'This call ran no command')
  const outputBytes = await storedOutput(ctx.db, call.result_output_hash, input.stream)
  return { state: 'ended', attempt: attempt ?? 0, ...from(input.offset, 0, outputBytes) }
}

async function storedOutput(db: Db, hash: string | null, stream: OutputStream): Promise<Buffer> {
  const output = hash === null ? null : (JSON.parse(await getText(db, hash)) as Json)
  const fullHash = memberOf(memberOf(memberOf(output, 'full'), stream), 'hash')
  if (typeof fullHash === 'string') return getContent(db, fullHash)
  const text = memberOf(output, stream)
  if (typeof text === 'string') return Buffer.from(text)
  throw new Problem('not_found', `This call has no ${stream}`)
}

function from(offset: number, skipped: number, bytes: Buffer): { start: number; bytes: Buffer } {
  const end = skipped + bytes.length
  if (offset > end) {
    throw invalid('offset', `must be at most ${end}, the end of the output`)
  }
  const start = Math.max(offset, skipped)
  return { start, bytes: bytes.subarray(start - skipped) }
}
