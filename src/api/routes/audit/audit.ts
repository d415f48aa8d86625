import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { exportAudit } from '../../../services/audit/export-audit.ts'
import { readAudit } from '../../../services/audit/read-audit.ts'
import { keyReadsAudit } from '../../identity.ts'
import { route, type Route } from '../../route.ts'
import * as schemas from '../../schemas/audit/audit.ts'
import { withoutUndefined } from '../../without-undefined.ts'

const access = { by: 'personOrKey', scope: 'audit:read' } as const

const contentTypes = {
  jsonl: 'application/jsonl; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
} as const

export const auditRoutes: Route[] = [
  route({
    method: 'get',
    path: '/v1/audit',
    summary: 'The trail, newest first; without the right readAudit, of requests one may see',
    access,
    query: schemas.auditQuery,
    answers: { 200: { description: 'A page of events', schema: schemas.auditList } },
    problems: ['not_found'],
    answer: async (api, { query, caller, identity }) => {
      const page = await readAudit(api.ctx, caller, {
        ...withoutUndefined(query),
        keyReadsAudit: keyReadsAudit(identity),
      })
      const items = page.documents.map((document): unknown => JSON.parse(document))
      return { status: 200, body: { items, nextCursor: page.nextCursor } }
    },
  }),
  route({
    method: 'get',
    path: '/v1/audit/export',
    summary: 'The trail as lines, oldest first; exporting is recorded',
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
        ...withoutUndefined(query),
        keyReadsAudit: keyReadsAudit(identity),
      })
      return async (response) => {
        response.status(200).set({
          'content-type': contentTypes[query.format],
          'x-total-count': String(count),
          'content-disposition': `attachment; filename="audit.${query.format}"`,
        })
        await pipeline(Readable.from(lines), response)
      }
    },
  }),
]
