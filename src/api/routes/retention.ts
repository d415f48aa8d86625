import { previewRetention } from '../../services/retention/preview-retention.ts'
import { ruleText } from '../../services/retention/retention-rules.ts'
import { route, type Route } from '../route.ts'
import {
  retentionPreview,
  retentionQuery,
  type RetentionPreviewView,
} from '../schemas/retention.ts'

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
]
