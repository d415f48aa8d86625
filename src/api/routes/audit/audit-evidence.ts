import { z } from 'zod'
import { exportBundle } from '#services/audit/export/export-bundle.ts'
import { exportLog } from '#services/audit/export/export-log.ts'
import { keyReadsAudit } from '../../identity/identity.ts'
import { fileAnswer } from '../../route/byte-answers.ts'
import { route } from '../../route/route.ts'
import * as schemas from '../../schemas/audit/audit-evidence.ts'
import { requestRef } from '../../schemas/common.ts'

const access = { by: 'personOrKey', scope: 'audit:read' } as const

/** What can be verified offline: of one request, and of the whole log (audit.md, Verifying). */
export const auditEvidenceRoutes = [
  route({
    method: 'get',
    path: '/v1/requests/:id/evidence',
    name: 'getEvidence',
    summary: 'Get an evidence bundle',
    description:
      'An evidence bundle: everything that is needed to verify one request offline. The export is recorded',
    access,
    params: z.object({ id: requestRef }),
    query: schemas.evidenceQuery,
    answers: { 200: { description: 'For countersign audit verify', schema: schemas.bundle } },
    problems: ['not_found', 'forbidden', 'unavailable'],
    answer: async (api, { params, query, caller, identity }) => {
      const body = await exportBundle(api.ctx, caller, {
        request: params.id,
        ...query,
        keysNote: api.settings.evidence.statementKeys,
        keyReadsAudit: keyReadsAudit(identity),
      })
      return { status: 200, body }
    },
  }),
  route({
    method: 'get',
    path: '/v1/audit/log/archive',
    name: 'getLogArchive',
    summary: 'Get the whole log',
    description:
      'The whole log, with everything that is needed to verify it, as a tar archive. The export is recorded',
    access,
    answers: {
      200: {
        description: 'C2SP tlog-tiles with statements and keys, for countersign audit verify',
        contentTypes: ['application/x-tar'],
      },
    },
    problems: ['forbidden'],
    answer: async (api, { caller, identity }) => {
      const archive = await exportLog(api.ctx, caller, {
        keysNote: api.settings.evidence.statementKeys,
        keyReadsAudit: keyReadsAudit(identity),
      })
      return fileAnswer('audit-log.tar', archive, { 'content-type': 'application/x-tar' })
    },
  }),
]
