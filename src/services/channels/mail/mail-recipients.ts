import { sql } from 'kysely'
import type { EmailChoice } from '#domain/channels/email.ts'
import type { Db, Tx } from '#store/database.ts'
import { isAway } from '../../requests/people/away.ts'
import { isQuestionTo } from '../../requests/people/visible-to.ts'
import { isDecider } from '../../requests/people/who-decides.ts'

/** Somebody who may be notified of a request, and how. */
export interface MailRecipient {
  readonly id: string
  readonly email: string
  readonly choice: EmailChoice
  /** also of the decisions of others */
  readonly ended: boolean
  /**
   * the quorum or an escalation names them, and they are neither behind the request nor away; or
   * they may answer the question
   */
  readonly mayDecide: boolean
  /** started the run, or is the person for whom a program asked */
  readonly isStarter: boolean
  /** has decided this revision */
  readonly hasDecided: boolean
}

/**
 * The people who may be notified of a request now: those who may decide it, and those who asked for
 * it. Disabled people are left out.
 */
export async function mailRecipients(
  db: Db | Tx,
  requestId: string,
  usual: EmailChoice,
): Promise<readonly MailRecipient[]> {
  const { rows } = await sql<MailRecipient>`
    select * from (
      select p.id, p.email, coalesce(c.choice, ${usual}) as choice, coalesce(c.ended, false) as ended,
        ${isQuestionTo('request', sql.ref('p.id'))}
          or not ${isAway('p')} and ${isDecider('request', 'p')} as "mayDecide",
        exists (select 1 from run where run.id = request.run_id and run.started_by = p.id)
          or exists (select 1 from external_request e
            where e.request_id = request.id and e.on_behalf_of = p.id) as "isStarter",
        exists (select 1 from decision d where d.request_id = request.id
          and d.revision = request.revision and d.person_id = p.id) as "hasDecided"
      from request cross join person p left join mail_choice c on c.person_id = p.id
      where request.id = ${requestId} and p.disabled_at is null
    ) people
    where "mayDecide" or "isStarter"
    order by email
  `.execute(db)
  return rows
}
