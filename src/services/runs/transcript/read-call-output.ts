import { Problem } from '../../../domain/problem.ts'
import type { Json } from '../../../domain/json.ts'
import { getContent, getText } from '../../../store/content.ts'
import type { Caller, ServiceContext } from '../../context.ts'
import { assertVisible } from '../visible-run.ts'

/**
 * All that a call of a run wrote to one of its streams, as far as it was kept (security.md 24). Rejects with `not_found`
 * when the run, the call or its output is none that the caller may see.
 */
export async function readCallOutput(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly callId: string; readonly stream: 'stdout' | 'stderr' },
): Promise<Buffer> {
  const call = await ctx.db
    .selectFrom('tool_call')
    .select(['run_id', 'result_output_hash'])
    .where('id', '=', input.callId)
    .executeTakeFirst()
  if (call === undefined) throw new Problem('not_found', `There is no call ${input.callId}`)
  await assertVisible(ctx, caller, call.run_id)
  const hash = call.result_output_hash
  const output = hash === null ? null : (JSON.parse(await getText(ctx.db, hash)) as Json)
  const kept = memberOf(memberOf(memberOf(output, 'full'), input.stream), 'hash')
  if (typeof kept === 'string') return getContent(ctx.db, kept)
  const text = memberOf(output, input.stream)
  if (typeof text === 'string') return Buffer.from(text)
  throw new Problem('not_found', `This call has no ${input.stream}`)
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.hasOwn(value, name) ? value[name] : undefined
}
