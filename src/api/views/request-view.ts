import { cutText } from '#domain/text/quantities/cut-text.ts'
import { maskSecrets } from '#domain/text/mask-secrets.ts'
import type {
  AlikeRequestRecord,
  RequestDetailRecord,
  RequestItemRecord,
} from '#services/requests/facts/request-record.ts'
import { taskLimits } from '#services/requests/words/task-words.ts'
import type { AlikeRequest } from '../schemas/requests/alike.ts'
import type { RequestDetail } from '../schemas/requests/requests.ts'
import type { RequestItem } from '../schemas/requests/request-item.ts'
import { answerOf, answerWithout } from './answer-of.ts'

/** A request in a list: values that look like secrets are masked, and long words are cut. */
export function requestItemView(record: RequestItemRecord): RequestItem {
  const { title, effect, cues, task, claimedTask, agentReason } = record
  return {
    ...answerWithout(record, 'workspace'),
    title: maskSecrets(title),
    effect: maskSecrets(effect),
    cues: cues.map((cue) => ({ ...cue, text: maskSecrets(cue.text) })),
    task: task === null ? null : { ...answerOf(task), text: maskSecrets(task.text) },
    claimedTask:
      claimedTask === null ? null : cutText(maskSecrets(claimedTask), taskLimits.characters),
    agentReason: agentReason === null ? null : maskSecrets(agentReason),
  }
}

/**
 * Everything of one request, unmasked: the bytes that will run. `workspaceRoot` is null outside the
 * development profile.
 */
export function requestDetailView(
  record: RequestDetailRecord,
  workspaceRoot: string | null,
): RequestDetail {
  const { alike, batch, external } = record
  return {
    ...answerWithout(record, 'workspace', 'version'),
    alike: {
      ...alike,
      same: alike.same.map(alikeRequestView),
      similar: alike.similar.map(alikeRequestView),
    },
    externalId: external?.externalId ?? null,
    verdict: external?.verdict ?? null,
    metadata: external?.metadata ?? null,
    batch:
      batch === null
        ? null
        : {
            ...batch,
            siblings: batch.siblings.map((call) => ({ ...call, title: maskSecrets(call.title) })),
          },
    workspaceRoot: record.kind === 'external' ? null : workspaceRoot,
  }
}

function alikeRequestView(record: AlikeRequestRecord): AlikeRequest {
  return {
    ...answerOf(record),
    title: maskSecrets(record.title),
    effect: maskSecrets(record.effect),
  }
}
