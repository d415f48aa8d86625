import type { AuditSubjects } from '#domain/text/event-sentence.ts'
import { maskSecrets } from '#domain/text/mask-secrets.ts'
import { exportAudit } from '#services/audit/export-audit.ts'
import { readAudit } from '#services/audit/read-audit.ts'
import { keyReadsAudit } from '../../identity/identity.ts'
import { fileAnswer } from '../../route/byte-answers.ts'
import { route } from '../../route/route.ts'
import * as schemas from '../../schemas/audit/audit.ts'

const access = { by: 'personOrKey', scope: 'audit:read' } as const

const contentTypes = {
  jsonl: 'application/jsonl; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
} as const

/** The query as the service filters by it. */
function filterOf<Query extends { outside?: string | undefined; timeZone?: string | undefined }>({
  outside,
  timeZone = 'UTC',
  ...query
}: Query) {
  const [begin, end] = outside?.split('-') ?? []
  return begin === undefined || end === undefined
    ? query
    : { ...query, outside: { begin, end, timeZone } }
}

export const auditRoutes = [
  route({
    method: 'get',
    path: '/v1/audit',
    name: 'listAuditEvents',
    summary: 'List audit events',
    description:
      'The audit events, newest first; without the right readAudit, those of requests that the caller may see',
    access,
    query: schemas.auditQuery,
    answers: { 200: { description: 'A page of events', schema: schemas.auditList } },
    problems: ['not_found'],
    answer: async (api, { query, caller, identity }) => {
      const page = await readAudit(api.ctx, caller, {
        ...filterOf(query),
        about: query.about === 'true',
        keyReadsAudit: keyReadsAudit(identity),
      })
      const { documents, about, unreadable, nextCursor } = page
      const items = documents.map((document): unknown => JSON.parse(document))
      const subjects = about === undefined ? {} : { about: maskedSubjects(about) }
      const others = unreadable === 0 ? {} : { unreadable }
      return { status: 200, body: { items, nextCursor, ...others, ...subjects } }
    },
  }),
  route({
    method: 'get',
    path: '/v1/audit/export',
    name: 'exportAudit',
    summary: 'Export the audit events',
    description: 'The audit events as lines, oldest first. The export is recorded',
    access,
    query: schemas.auditExportQuery,
    answers: {
      200: {
        description: 'JSON Lines are the stored documents, byte for byte; cells of CSV are escaped',
        contentTypes: ['application/jsonl', 'text/csv'],
        headers: schemas.auditExportHeaders,
      },
    },
    problems: ['not_found'],
    answer: async (api, { query, caller, identity }) => {
      const { count, lines } = await exportAudit(api.ctx, caller, {
        ...filterOf(query),
        format: query.format,
        keyReadsAudit: keyReadsAudit(identity),
      })
      return fileAnswer(`audit.${query.format}`, lines, {
        'content-type': contentTypes[query.format],
        'x-total-count': String(count),
      })
    },
  }),
]

/** The page of a request shows the real texts; a list masks them (security.md 20). */
function maskedSubjects({ requests, words, ...rest }: AuditSubjects): AuditSubjects {
  const mask = (text: string): string => maskSecrets(text)
  return {
    ...rest,
    requests: requests.map((one) => ({ ...one, effect: mask(one.effect) })),
    words: words.map((one) => ({ ...one, text: mask(one.text) })),
  }
}
