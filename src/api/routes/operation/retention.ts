import { archiveRuns } from '#services/retention/archive-runs.ts'
import { previewRetention } from '#services/retention/preview-retention.ts'
import { ruleText } from '#services/retention/retention-rules.ts'
import { fileAnswer } from '../../route/byte-answers.ts'
import { route } from '../../route/route.ts'
import {
  archiveQuery,
  retentionPreview,
  retentionQuery,
  type RetentionPreviewView,
} from '../../schemas/operation/retention.ts'

export const retentionRoutes = [
  route({
    method: 'get',
    path: '/v1/retention',
    name: 'previewRetention',
    summary: 'Preview retention',
    description:
      'Count what `retention` would remove now, by its rules or by the given ones. Removes nothing (right readAudit)',
    access: { by: 'person' },
    query: retentionQuery,
    answers: { 200: { description: 'How much of each kind', schema: retentionPreview } },
    answer: async (api, { query, caller }) => {
      const { transcripts, records } = await previewRetention(api.ctx, caller, {
        ...(query.transcripts === undefined ? {} : { transcriptsMs: query.transcripts }),
        ...(query.records === undefined ? {} : { recordsMs: query.records }),
      })
      const body: RetentionPreviewView = {
        transcripts:
          transcripts === null
            ? null
            : { rule: ruleText('transcripts', transcripts.olderThanMs), runs: transcripts.runs },
        records:
          records === null
            ? null
            : { rule: ruleText('records', records.olderThanMs), ...records.counts },
      }
      return { status: 200, body }
    },
  }),
  route({
    method: 'get',
    path: '/v1/runs-archive',
    name: 'getRunsArchive',
    summary: 'Get the archive of runs',
    description:
      'The messages and results of the runs that ended before a given time, one line for each run. The hash of the archive is recorded as an audit event (right readAudit)',
    access: { by: 'person' },
    query: archiveQuery,
    answers: {
      200: { description: 'JSON Lines, oldest end first', contentTypes: ['application/jsonl'] },
    },
    answer: async (api, { query, caller }) => {
      const lines = await archiveRuns(api.ctx, caller, { before: query.before })
      return fileAnswer('runs.jsonl', lines, { 'content-type': 'application/jsonl; charset=utf-8' })
    },
  }),
]
