import { maskSecrets } from '#domain/text/mask-secrets.ts'
import type { ChangeSetRecord, PresentedRequest } from '#services/runs/reading/read-change-set.ts'
import type { ChangeSet } from '../schemas/requests/change-set.ts'
import { answerOf } from './answer-of.ts'
import { requestItemView } from './request-view.ts'

/** Presentations are not masked, because people decide by them. Titles are masked as in lists. */
export function changeSetView({ task, calls }: ChangeSetRecord): ChangeSet {
  return {
    task: answerOf(task),
    calls: calls.map(({ shown: record, attachments, ...call }) => ({
      ...call,
      title: maskSecrets(call.title),
      ...(record !== null && shownView(record)),
      attachments: attachments.map(shownView),
    })),
  }
}

function shownView({ request, presentation }: PresentedRequest) {
  const { seen, signatureRequired, assumes, comments } = request
  return {
    request: {
      ...requestItemView(request),
      ...answerOf({ seen, signatureRequired, assumes, comments }),
    },
    presentation: answerOf(presentation),
  }
}
