import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import type { RequestDetail } from '../../../../api/schemas/requests/requests.ts'
import { Notice } from '../../notice.tsx'
import { outcomeOf, whyNotYours } from '../../state-words.ts'

/**
 * What stands where a form would, once its answer is recorded (`recorded` says what that means), when the request has
 * ended, or when it is not this person's to answer. `null` while it can be answered.
 */
export function closedAnswer(
  request: RequestDetail,
  recorded: string | null,
  onNext: () => void,
): ReactNode | null {
  if (recorded !== null) {
    return (
      <div className="column">
        <Notice tone="good" title="Recorded">
          {recorded}
        </Notice>
        <Button variant="default" onClick={onNext}>
          Next request
        </Button>
      </div>
    )
  }
  if (request.state !== 'pending') return <Notice tone="plain" title={outcomeOf(request)} />
  if (request.eligibility.canDecide) return null
  return <Notice tone="plain" title={whyNotYours(request.eligibility.reason)} />
}
