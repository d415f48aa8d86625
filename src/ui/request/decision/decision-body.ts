import type { DecisionBody } from '../../../api/schemas/decisions.ts'
import type { RequestDetail } from '../../../api/schemas/requests.ts'
import type { ScopeName } from '../../../api/schemas/grants.ts'

/** What is chosen in the panel; nothing is until somebody chooses. */
export type Choice = 'deny' | 'stop' | 'approve' | 'edit'

/** What the panel holds besides the choice. */
export interface PanelFields {
  readonly choice: Choice | null
  readonly scope: ScopeName
  readonly uses: string
  readonly reason: string
  /** all of what will happen has been on the screen */
  readonly seen: boolean
  readonly offline: boolean
}

/** Why submitting is not possible now, or `null`. Each names what to do. Pure. */
export function whyNotSubmit(request: RequestDetail, fields: PanelFields): string | null {
  const { choice } = fields
  if (fields.offline) return 'Offline: nothing can be submitted until the service is back.'
  if (choice === null) return 'Choose a decision first.'
  if (choice === 'edit') return 'Preview your changes first; then approve what you see.'
  const high = request.risk === 'high'
  if (high && fields.reason.trim() === '') return 'High risk needs a reason.'
  if (choice === 'approve') {
    if (high && !fields.seen) {
      return request.presentation.truncated
        ? 'High risk: part of this is not shown here, so it cannot be approved here.'
        : 'High risk: scroll through all of what will happen first.'
    }
    if (fields.uses !== '' && !/^[1-9]\d{0,5}$/.test(fields.uses))
      return 'Uses is a number from 1 on.'
  }
  return null
}

/** The decision as the API takes it, bound to what the page shows. Pure. */
export function decisionBody(
  shown: Pick<RequestDetail, 'digest' | 'revision' | 'risk' | 'presentation'>,
  fields: PanelFields,
): DecisionBody {
  const reason = fields.reason.trim() === '' ? {} : { reason: fields.reason.trim() }
  const bound = { digest: shown.digest, revision: shown.revision }
  if (fields.choice !== 'approve') {
    return {
      decision: 'deny',
      ...bound,
      then: fields.choice === 'stop' ? 'stop' : 'continue',
      ...reason,
    }
  }
  const wider = fields.scope !== 'once' && fields.uses !== ''
  return {
    decision: 'approve',
    ...bound,
    scope: fields.scope,
    ...reason,
    ...(shown.risk === 'high' && { seen: shown.presentation.digest }),
    ...(wider && { grant: { uses: Number(fields.uses) } }),
  }
}

/** What an approval with this scope covers, exactly (product.md 10; security.md 16). Pure. */
export function scopeCovers(
  scope: ScopeName,
  request: Pick<RequestDetail, 'tool' | 'presentation'>,
): string {
  const path = request.presentation.metadata['path']
  switch (scope) {
    case 'once':
      return 'This call, once.'
    case 'run':
      return `Every further ${request.tool} with exactly these arguments, until the root run ends.`
    case 'path':
      return `Every further ${request.tool} on ${typeof path === 'string' ? path : 'this file'}, whatever the content, until the root run ends.`
    case 'command':
      return 'This command again, whatever the files it names contain by then, until the root run ends.'
  }
}
