import { sql } from 'kysely'
import { cueIds, cueNotices, displayedCues, type CueId } from '#domain/policy/cues.ts'
import type { Db, Tx } from '#store/database.ts'

/**
 * The facts about a request in a notification besides its effect, without any words of the call.
 */
export interface RequestNotice {
  /** who started the run; `null`: nobody, or a program asked */
  readonly starter: string | null
  /** its cues, each kind once */
  readonly cues: readonly CueId[]
}

/** What a notification says about a request. */
export async function readNotice(db: Db | Tx, requestId: string): Promise<RequestNotice> {
  const { rows } = await sql<RequestNotice>`
    select (select person.name from run join person on person.id = run.started_by
        where run.id = request.root_run_id) as starter,
      coalesce((select jsonb_agg(distinct cue->>'id') from request_revision as revision,
        jsonb_array_elements(revision.cues) as cue
        where revision.request_id = request.id and revision.revision = request.revision), '[]') as cues
    from request where request.id = ${requestId}
  `.execute(db)
  const { starter, cues } = rows[0] ?? { starter: null, cues: [] }
  const present = cueIds.filter((id) => cues.includes(id)).map((id) => ({ id }))
  return { starter, cues: displayedCues(present).map(({ id }) => id) }
}

/** The cues as one line of fixed words; `null` for none. */
export function cuesLine({ cues }: Pick<RequestNotice, 'cues'>): string | null {
  return cues.length === 0 ? null : `Attention: ${cues.map((id) => cueNotices[id]).join('; ')}`
}
