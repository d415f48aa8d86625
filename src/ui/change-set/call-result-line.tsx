import { ApiRefusal } from '../api/call-api.ts'
import type { BulkItem } from '#api/schemas/requests/decisions.ts'
import { refusalWords } from '../deciding/decision/wording/refusal-words.ts'
import { Notice } from '../states/notice.tsx'
import { clockTime } from '../text/time.tsx'
import type { CallChoice } from './plan-decisions.ts'

/** The result of one of several decisions, at the place of its choice. */
export function CallResultLine({ item, choice }: { item: BulkItem; choice: CallChoice }) {
  if (item.status === 200) {
    return (
      <Notice tone="plain" title={choice === 'deny' ? 'Denied by you' : 'Approved by you'}>
        {item.state === 'pending'
          ? 'Recorded. It waits for others to decide too.'
          : 'Recorded. The run goes on.'}
      </Notice>
    )
  }
  const { status, code, detail, ...facts } = item
  const refusal = new ApiRefusal(status, code ?? 'internal', detail ?? 'It was refused.', facts)
  const words = refusalWords(refusal, choice === 'deny' ? 'denial' : 'approval', clockTime)
  return (
    <Notice tone="bad" title={words.title}>
      {words.text}
    </Notice>
  )
}
