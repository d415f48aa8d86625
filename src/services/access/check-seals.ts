import type { SealableRow } from '#domain/statements/row-seals.ts'
import type { ServiceContext } from '../core/context.ts'
import { inUnitOfWork } from '../core/unit-of-work.ts'
import { byVisitor } from '../core/authority.ts'

/** A session or key, read together with its person. */
type RowOfPerson = SealableRow & {
  readonly id: string
  readonly email: string
  readonly disabled_at: Date | null
  readonly other_ids: readonly string[] | null
  readonly person_seal: string | null
}

/**
 * Whether the seals of a session or key and of its person hold (security.md 29). Records a row that
 * was made or changed by SQL; its bearer then counts as unknown.
 */
export async function checkSeals(
  ctx: ServiceContext,
  table: 'session' | 'api_key',
  row: RowOfPerson,
  personId: string,
): Promise<boolean> {
  const { id, email, disabled_at, other_ids } = row
  const person = { id: personId, email, disabled_at, other_ids, seal: row.person_seal }
  if (ctx.seals.holds(table, row) && ctx.seals.holds('person', person)) return true
  await recordForged(ctx, { what: table === 'api_key' ? 'key' : table, id, personId })
  return false
}

/** The rows that this process has recorded: one event for each, however often it is tried. */
const recorded = new Set<string>()
const maxRecorded = 10_000

async function recordForged(
  ctx: ServiceContext,
  { what, id, personId }: { readonly what: string; readonly id: string; readonly personId: string },
): Promise<void> {
  const key = `${ctx.processId} ${what} ${id}`
  if (recorded.has(key) || recorded.size >= maxRecorded) return
  recorded.add(key)
  ctx.log.error({ what, id }, 'a row without a valid seal was refused')
  await inUnitOfWork(ctx, byVisitor('sign-in', 'system'), (unit) =>
    unit.audit({
      type: 'session.refused',
      detail: { method: what, why: 'tampered', id, personId },
    }),
  )
}
