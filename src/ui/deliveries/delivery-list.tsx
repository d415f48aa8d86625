import { Button } from '@mantine/core'
import { Link } from 'react-router'
import type { WebhookDelivery } from '#api/schemas/notifications/webhooks.ts'
import { countWords } from '#domain/text/quantities/count-words.ts'
import { Failure } from '../states/failure.tsx'
import { Loading } from '../states/loading.tsx'
import { ShowMore } from '../states/show-more.tsx'
import { Time } from '../text/time.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { useDeliveries, useResend, type DeliveryFilter } from './use-deliveries.ts'
import { verbs } from '../words/verbs.ts'
import './deliveries.css'

const stateWords: Record<WebhookDelivery['state'], string> = {
  pending: 'waits',
  delivered: 'arrived',
  dead: 'given up',
}

/** Deliveries of notifications. People with the right can resend those that failed for good. */
export function DeliveryList({
  filter,
  mayResend,
  none,
}: {
  filter: DeliveryFilter
  mayResend: boolean
  none: string
}) {
  const deliveries = useDeliveries(filter)
  const resend = useResend()
  if (deliveries.isPending) return <Loading what="notifications" lines={3} />
  if (deliveries.isLoadingError) return <Failure query={deliveries} />
  const items = deliveries.data.pages.flatMap((page) => page.items)
  if (items.length === 0) return <p className="dim">{none}</p>
  return (
    <>
      <ul className="plain-list">
        {items.map((one) => (
          <li key={one.id} className="delivery">
            <span className="grow break">
              {one.type} to <VisibleText text={one.endpoint} />{' '}
              <span className="mark">{stateWords[one.state]}</span>
              <br />
              <span className="dim small">
                <Time at={one.createdAt} /> · {countWords(one.attempts, 'attempt')}
                {one.requestId !== null && (
                  <>
                    {' '}
                    · <Link to={`/requests/${one.requestId}`}>its request</Link>
                  </>
                )}
                {one.lastError !== null && (
                  <>
                    {' '}
                    · <VisibleText text={one.lastError} />
                  </>
                )}
              </span>
            </span>
            {mayResend && one.state === 'dead' && (
              <Button
                size="compact-sm"
                variant="default"
                aria-label={`Send again: ${one.type} to ${one.endpoint}, ${one.createdAt}`}
                onClick={() => void resend(one.id)}
              >
                {verbs.sendAgain}
              </Button>
            )}
          </li>
        ))}
      </ul>
      <ShowMore list={deliveries} words="Show older ones" />
    </>
  )
}
