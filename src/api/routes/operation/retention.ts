import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { archiveRuns } from '../../../services/retention/archive-runs.ts'
import { previewRetention } from '../../../services/retention/preview-retention.ts'
import { ruleText } from '../../../services/retention/retention-rules.ts'
import { route, type Route } from '../../route.ts'
import {
  archiveQuery,
  retentionPreview,
  retentionQuery,
  type RetentionPreviewView,
} from '../../schemas/operation/retention.ts'

export const retentionRoutes: Route[] = [
  route({
    method: 'get',
    path: '/v1/retention',
    summary:
      'What `retention` would remove now, by its rules or by others; removes nothing (right readAudit)',
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
    summary:
      'What was said and returned in runs that ended before a moment, a line a run; its hash becomes an event of the trail (right readAudit)',
    access: { by: 'person' },
    query: archiveQuery,
    answers: {
      200: { description: 'JSON Lines, oldest end first', contentTypes: ['application/jsonl'] },
    },
    answer: async (api, { query, caller }) => {
      const lines = await archiveRuns(api.ctx, caller, { before: query.before })
      return async (response) => {
        response.status(200).set({
          'content-type': 'application/jsonl; charset=utf-8',
          'content-disposition': 'attachment; filename="runs.jsonl"',
        })
        await pipeline(Readable.from(lines), response)
      }
    },
  }),
]
